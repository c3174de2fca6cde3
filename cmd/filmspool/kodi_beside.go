package main

import (
	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/kodi/scan"
)

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
