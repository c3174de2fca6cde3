package main

import (
	"fmt"
	"io"

	"github.com/filmspool/filmspool/kodi"
)

// sayBeside tells what of a library's tags, sets and playlists is new.
func sayBeside(w io.Writer, b kodi.Beside) {
	if len(b.Watchlist) > 0 {
		fmt.Fprintln(w, "  for the watchlist:")
		sayWishes(w, b.Watchlist)
	}
	for _, l := range b.Lists {
		sayList(w, l)
	}
	for _, name := range b.Smart {
		fmt.Fprintf(w, "  smart playlist %s: not evaluated\n", name)
	}
	for _, why := range b.Unread {
		fmt.Fprintf(w, "  no list of playlist %s\n", why)
	}
}

func sayWishes(w io.Writer, all []kodi.WishFound) {
	for _, f := range all {
		note := ""
		if !f.Media.Identified() {
			note = "  without an identifier: would be held"
		}
		fmt.Fprintf(w, "    %s%s\n", f.Media.Label(), note)
	}
}

// sayList tells of one list, and what of its playlist is left out.
func sayList(w io.Writer, l kodi.ListFound) {
	switch {
	case l.New:
		fmt.Fprintf(w, "  new list %s, of a %s:\n", l.Name, l.From)
	case len(l.Items) > 0:
		fmt.Fprintf(w, "  new on list %s, of a %s:\n", l.Name, l.From)
	default:
		fmt.Fprintf(w, "  nothing new on list %s, of a %s:\n", l.Name, l.From)
	}
	sayWishes(w, l.Items)
	for _, left := range l.LeftOut {
		fmt.Fprintf(w, "    left out: %s\n", left)
	}
	if more := l.Left - len(l.LeftOut); more > 0 {
		fmt.Fprintf(w, "    and %d more\n", more)
	}
}
