package main

import (
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

func (p *program) rulesCommand() *cobra.Command {
	return group("rules", "See, test and forget what filmspool fix has remembered", p.rulesListCommand(), p.rulesRemoveCommand(), p.resolving(&cobra.Command{
		Use: "test", Short: "Say what films and episodes are, and which correction says so", Args: cobra.NoArgs,
		Long: `Does what filmspool resolve does: it reads one item a line from standard input, as
JSON, and says of each what it is. Where a correction decides, it names that.`,
		Example: `  echo '{"kind":"movie","title":"The Matrix","year":1999}' | filmspool rules test --json`,
	}))
}

func (p *program) rulesListCommand() *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List what you said that films and series are", Args: usage.Exactly()}
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return ask(c.Context(), p, daemon.Reading, *asJSON, func(ctl control.API) ([]identity.Correction, error) {
			return ctl.Corrections(c.Context())
		}, p.sayCorrections)
	}
	return c
}

// sayCorrections prints a table of corrections.
func (p *program) sayCorrections(all []identity.Correction) error {
	if len(all) == 0 {
		p.stdout.Println("Nothing is remembered.")
		return nil
	}
	t := p.stdout.Table(2)
	t.Printf("ID\tWHAT IS TOLD AS\tIS\tSINCE\tENTRIES\n")
	for _, r := range all {
		t.Printf("%d\t%s\t%s\t%s\t%d\n", r.ID, told(r.Told), r.Is, r.Since.Local().Format(time.DateOnly), r.Entries)
	}
	return t.Flush()
}

func (p *program) rulesRemoveCommand() *cobra.Command {
	c := &cobra.Command{Use: "remove ID", Short: "Forget a correction; what it has changed stays", Args: usage.Exactly("ID")}
	c.RunE = func(c *cobra.Command, args []string) error {
		id, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil || id < 1 {
			return &typed.Error{Problem: typed.Quoted(args[0]) + " is not a correction's id, which is a number", Next: "filmspool rules list"}
		}
		return p.instance(c.Context(), daemon.Offline, func(ctl control.API) error {
			if err := ctl.ForgetCorrection(c.Context(), id); err != nil {
				return err
			}
			p.stdout.Printf("Correction %d is forgotten. What it has changed stays.\n", id)
			return nil
		})
	}
	return c
}
