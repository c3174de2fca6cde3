package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon/status"
	"github.com/filmspool/filmspool/queue"
)

func (p *program) importCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "import FILE", Short: "Take what another filmspool has exported", Args: exactly("FILE"),
		Long: `Takes the lines of "queue export" from FILE, or from standard input when it is "-".
What is here already is passed over, so importing twice does no harm. What was
delivered stays delivered. What had not left is held with the reason "imported":
the other filmspool may be sending it. Release it when that runs no more.`,
		Example: `  filmspool queue import diary.jsonl --dry-run
  filmspool queue release --reason imported`,
	}
	dry := c.Flags().Bool("dry-run", false, "say what would be taken, and take nothing")
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		in := p.stdin
		if args[0] != "-" {
			f, err := os.Open(args[0])
			if err != nil {
				return fmt.Errorf("read the file: %w", err)
			}
			defer f.Close()
			in = f
		}
		return p.instance(c.Context(), false, func(ctl status.Control) error {
			sum, err := ctl.Import(c.Context(), in, *dry)
			if err != nil {
				return err
			}
			if *asJSON {
				return printJSON(p.stdout, sum)
			}
			sayImported(p.stdout, sum, *dry)
			return nil
		})
	}
	return c
}

// sayImported tells what an import did, or would do.
func sayImported(w *printer, sum queue.Imported, dry bool) {
	would := ""
	if dry {
		would = "This would be taken. "
	}
	w.Printf("%sLines %d: new %d with %s, known already %d, another event under the same id %d.\n",
		would, sum.Lines, sum.Events, entries(sum.Entries), sum.Known, sum.Conflicts)
	if sum.Held > 0 {
		w.Printf("Held, as they had not left where they come from: %s.\n", entries(sum.Held))
		w.Println("hint:  when nothing else will send them: filmspool queue release --reason imported")
	}
	if sum.InDoubt > 0 {
		w.Printf("In doubt: %s.\n", entries(sum.InDoubt))
		w.Println("hint:  filmspool queue list --state in_doubt")
	}
}
