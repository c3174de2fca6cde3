// Package report tells a person what an instance has answered, in words and tables.
//
// It owns the words for how things stand, for entries, for what was fixed and for Kodi
// libraries. It promises nothing to scripts, which read JSON. It refuses to ask, and to
// decide.
package report

import (
	"strings"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/kodi/scan"
)

// Scan tells what each library holds and what of it is new.
func Scan(w *terminal.Printer, found control.Scan) {
	if len(found.Libraries) == 0 {
		w.Println("No library is configured. To add one, name its userdata folder under [[kodi.libraries]]; see: filmspool kodi libraries")
	}
	for _, l := range found.Libraries {
		w.Printf("%s  %s\n", l.Userdata, l.State)
		if l.Problem != "" {
			w.Printf("  %s\n", l.Problem)
		}
		if l.Hint != "" {
			w.Printf("  hint:  %s\n", l.Hint)
		}
		for _, id := range l.Reporters {
			w.Printf("  the add-on %s of this Kodi reports to the same service: what is new here is held for you\n", id)
		}
		if l.Database == "" {
			continue
		}
		switch l.Announcements {
		case scan.Heard:
			w.Println("  announcements: Kodi says what it plays")
		case scan.Silent:
			w.Println("  announcements: not heard, since no Kodi of this machine has said anything yet")
		}
		w.Printf("  %s: %d films, %d episodes, %d watched\n", l.Database, l.Films, l.Episodes, l.Watched)
		Found(w, "new, would be sent", l.New)
		Found(w, "would be held", l.Held)
		Found(w, "would be ignored, and kept for the record", l.Ignored)
		Found(w, "without an identifier", l.Unresolved)
		if l.Beside != nil {
			sayBeside(w, *l.Beside)
		}
	}
}

// Found lists viewings under a heading.
func Found(w *terminal.Printer, heading string, found []scan.Found) {
	if len(found) == 0 {
		return
	}
	t := w.Table(2, 1)
	t.Row("  " + heading + ":")
	for _, f := range found {
		says := strings.TrimSpace(f.Note + " " + f.Why)
		for _, m := range f.Media {
			t.Row("    "+terminal.Second(f.WatchedAt), m.Label()+"  "+says)
		}
		if len(f.Media) == 0 {
			t.Row("    "+terminal.Second(f.WatchedAt), f.Path+"  "+says)
		}
	}
	_ = t.Flush() // what is printed around it does not tell either
}

// sayBeside tells what of a library's tags, sets and playlists is new.
func sayBeside(w *terminal.Printer, b scan.Beside) {
	if len(b.Watchlist) > 0 {
		w.Println("  for the watchlist:")
		sayWishes(w, b.Watchlist)
	}
	for _, l := range b.Lists {
		sayList(w, l)
	}
	for _, name := range b.Smart {
		w.Printf("  smart playlist %s: not evaluated\n", name)
	}
	for _, why := range b.Unread {
		w.Printf("  no list of playlist %s\n", why)
	}
}

func sayWishes(w *terminal.Printer, all []scan.WishFound) {
	for _, f := range all {
		note := ""
		if !f.Media.Identified() {
			note = "  without an identifier: would be held"
		}
		w.Printf("    %s%s\n", f.Media.Label(), note)
	}
}

// sayList tells of one list, and what of its playlist is left out.
func sayList(w *terminal.Printer, l scan.ListFound) {
	switch {
	case l.New:
		w.Printf("  new list %s, of a %s:\n", l.Name, l.From)
	case len(l.Items) > 0:
		w.Printf("  new on list %s, of a %s:\n", l.Name, l.From)
	default:
		w.Printf("  nothing new on list %s, of a %s:\n", l.Name, l.From)
	}
	sayWishes(w, l.Items)
	for _, left := range l.LeftOut {
		w.Printf("    left out: %s\n", left)
	}
	if more := l.Left - len(l.LeftOut); more > 0 {
		w.Printf("    and %d more\n", more)
	}
}
