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
		if l.Problem.Code != "" {
			w.Printf("  %s\n", l.Problem)
		}
		if l.Hint.Code != "" {
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
		sayTagged(w, l.Watchlist)
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

// sayTagged lists what would be put on the watchlist.
func sayTagged(w *terminal.Printer, all []scan.Tagged) {
	if len(all) > 0 {
		w.Println("  for the watchlist:")
	}
	for _, f := range all {
		note := ""
		if !f.Media.Identified() {
			note = "  without an identifier: would be held"
		}
		w.Printf("    %s%s\n", f.Media.Label(), note)
	}
}
