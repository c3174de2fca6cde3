package main

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
)

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
