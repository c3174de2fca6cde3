package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/kodi/scan"
)

func (p *program) kodiCommand() *cobra.Command {
	scan := &cobra.Command{
		Use: "scan", Short: "Show what a scan of the libraries finds now; nothing changes", Args: usage.Exactly(),
	}
	asJSON := jsonFlag(scan)
	scan.RunE = func(c *cobra.Command, _ []string) error {
		look := func(ctl control.API) (control.Scan, error) { return ctl.ScanKodi(c.Context()) }
		return ask(c.Context(), p, daemon.Looking, *asJSON, look, p.sayScan)
	}
	return group("kodi", "Look at the Kodi libraries, and import their past", scan, p.kodiLibrariesCommand(), p.kodiImportCommand())
}

// sayScan tells what each library holds and what of it is new.
func (p *program) sayScan(found control.Scan) error {
	if len(found.Libraries) == 0 {
		p.stdout.Println("No library is configured. To add one, name its userdata folder under [[kodi.libraries]]; see: filmspool kodi libraries")
	}
	for _, l := range found.Libraries {
		p.stdout.Printf("%s  %s\n", l.Userdata, l.State)
		if l.Problem != "" {
			p.stdout.Printf("  %s\n", l.Problem)
		}
		if l.Hint != "" {
			p.stdout.Printf("  hint:  %s\n", l.Hint)
		}
		for _, id := range l.Reporters {
			p.stdout.Printf("  the add-on %s of this Kodi reports to the same service: what is new here is held for you\n", id)
		}
		if l.Database == "" {
			continue
		}
		switch l.Announcements {
		case scan.Heard:
			p.stdout.Println("  announcements: Kodi says what it plays")
		case scan.Silent:
			p.stdout.Println("  announcements: not heard, since no Kodi of this machine has said anything yet")
		}
		p.stdout.Printf("  %s: %d films, %d episodes, %d watched\n", l.Database, l.Films, l.Episodes, l.Watched)
		sayFound(p.stdout, "new, would be sent", l.New)
		sayFound(p.stdout, "would be held", l.Held)
		sayFound(p.stdout, "would be ignored, and kept for the record", l.Ignored)
		sayFound(p.stdout, "without an identifier", l.Unresolved)
		if l.Beside != nil {
			sayBeside(p.stdout, *l.Beside)
		}
	}
	return nil
}

// sayFound lists viewings under a heading.
func sayFound(w *terminal.Printer, heading string, found []scan.Found) {
	if len(found) == 0 {
		return
	}
	w.Printf("  %s:\n", heading)
	for _, f := range found {
		says := strings.TrimSpace(f.Note + " " + f.Why)
		for _, m := range f.Media {
			w.Printf("    %s  %s  %s\n", terminal.Second(f.WatchedAt), m.Label(), says)
		}
		if len(f.Media) == 0 {
			w.Printf("    %s  %s  %s\n", terminal.Second(f.WatchedAt), f.Path, says)
		}
	}
}

func (p *program) kodiLibrariesCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "libraries", Short: "List the Kodi libraries of this machine, and which of them are watched", Args: usage.Exactly(),
	}
	asJSON := jsonFlag(c)
	c.RunE = func(*cobra.Command, []string) error {
		o, err := p.options()
		if err != nil {
			return err
		}
		found := daemon.KodiLibraries(o.Config, p.getenv)
		if *asJSON {
			return p.stdout.JSON(found)
		}
		p.sayLibraries(found)
		return nil
	}
	return c
}

// sayLibraries tells of each library, and how to have one watched.
func (p *program) sayLibraries(found []daemon.KodiLibrary) {
	if len(found) == 0 {
		p.stdout.Println("No Kodi keeps a library where it usually does. To watch one elsewhere, name its userdata folder under [[kodi.libraries]]; see: filmspool config path")
	}
	for _, l := range found {
		state := "not watched"
		if l.Configured {
			state = "watched"
		}
		p.stdout.Printf("%s  %s\n", l.Userdata, state)
		if l.Profile != "" {
			p.stdout.Printf("  profile: %s\n", l.Profile)
		}
		if l.Database != "" {
			p.stdout.Printf("  %s\n", l.Database)
		}
		if l.Problem != "" {
			p.stdout.Printf("  %s\n", l.Problem)
		}
		if !l.Configured {
			p.stdout.Printf("  to watch it, add to the configuration:\n    [[kodi.libraries]]\n    userdata = %s\n", strconv.Quote(l.Userdata))
		}
	}
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
