package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
)

func (p *program) rulesCommand() *cobra.Command {
	return group("rules", "See, test and forget what filmspool fix has remembered", p.rulesListCommand(), p.rulesTestCommand(), p.rulesRemoveCommand())
}

func (p *program) rulesListCommand() *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List what you said that films and series are", Args: exactly()}
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return p.instance(c.Context(), daemon.Reading, func(ctl control.API) error {
			all, err := ctl.Corrections(c.Context())
			if err != nil {
				return err
			}
			if *asJSON {
				return printJSON(p.stdout, all)
			}
			if len(all) == 0 {
				p.stdout.Println("Nothing is remembered.")
				return nil
			}
			t := p.stdout.table(2)
			t.Printf("ID\tWHAT IS TOLD AS\tIS\tSINCE\tENTRIES\n")
			for _, r := range all {
				t.Printf("%d\t%s\t%s\t%s\t%d\n", r.ID, told(r.Told), r.Is, r.Since.Local().Format(time.DateOnly), r.Entries)
			}
			return t.Flush()
		})
	}
	return c
}

func (p *program) rulesTestCommand() *cobra.Command {
	return p.resolving(&cobra.Command{
		Use: "test", Short: "Say what films and episodes are, and which correction says so", Args: cobra.NoArgs,
		Long: `Does what filmspool resolve does: it reads one item a line from standard input, as
JSON, and says of each what it is. Where a correction decides, it names that.`,
		Example: `  echo '{"kind":"movie","title":"The Matrix","year":1999}' | filmspool rules test --json`,
	})
}

func (p *program) rulesRemoveCommand() *cobra.Command {
	c := &cobra.Command{Use: "remove ID", Short: "Forget a correction; what it has changed stays", Args: exactly("ID")}
	c.RunE = func(c *cobra.Command, args []string) error {
		id, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil || id < 1 {
			return &exitError{
				code: exitUsage, message: fmt.Sprintf("%q is not a correction's id, which is a number", shortened(args[0])), hint: "filmspool rules list",
			}
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
