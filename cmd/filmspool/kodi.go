package main

import (
	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/report"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/kodi/scan"
)

func (p *program) kodiCommand() *cobra.Command {
	scan := &cobra.Command{
		Use: "scan", Short: "Show what a scan of the libraries finds now; nothing changes", Args: usage.Exactly(),
	}
	asJSON := jsonFlag(scan)
	scan.RunE = func(c *cobra.Command, _ []string) error {
		look := func(ctl control.API) (control.Scan, error) { return ctl.ScanKodi(c.Context()) }
		return ask(c.Context(), p, daemon.Offline, *asJSON, look, func(found control.Scan) error {
			report.Scan(p.stdout, found)
			return nil
		})
	}
	return group("kodi", "Look at the Kodi libraries, and import their past", scan, p.kodiLibrariesCommand(), p.kodiImportCommand(),
		p.kodiChangeCommand("add", "Watch a Kodi library", "is watched", func(ctl control.API) kodiChange { return ctl.AddKodi }),
		p.kodiChangeCommand("remove", "Watch a Kodi library no longer", "is no longer watched", func(ctl control.API) kodiChange { return ctl.RemoveKodi }))
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
		found := kodi.Discover(o.Config.Folders(), p.getenv)
		if *asJSON {
			return p.stdout.JSON(found)
		}
		p.sayLibraries(found)
		return nil
	}
	return c
}

// sayLibraries tells of each library, and how to have one watched.
func (p *program) sayLibraries(found []scan.Library) {
	if len(found) == 0 {
		p.stdout.Println("No Kodi keeps a library where it usually does. To watch one elsewhere: filmspool kodi add PATH, with the path of its userdata folder")
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
		if l.Problem.Code != "" {
			p.stdout.Printf("  %s\n", l.Problem)
		}
		if !l.Configured {
			p.stdout.Printf("  to watch it: %s\n", p.addressed("filmspool kodi add "+l.Userdata))
		}
	}
}
