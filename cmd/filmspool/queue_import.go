package main

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
)

func (p *program) importCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "import FILE", Short: "Take what another filmspool has exported", Args: usage.Exactly("FILE"),
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
		var lines terminal.Lines
		in := p.stdin
		if args[0] != "-" {
			f, err := os.Open(args[0])
			if err == nil {
				defer f.Close()
				err = lines.Expect(f)
				in = f
			}
			if err == nil {
				_, err = f.Read(nil) // of a folder that fails
			}
			if info, statErr := os.Stat(args[0]); err != nil || statErr == nil && info.IsDir() {
				return fileFault("read", args[0], err)
			}
		}
		p.soFar = lines.String
		return ask(c.Context(), p, daemon.Offline, *asJSON, func(ctl control.API) (queue.Imported, error) {
			return ctl.Import(c.Context(), io.TeeReader(in, &lines), *dry)
		}, func(sum queue.Imported) error {
			sayImported(p.stdout, sum, *dry)
			return nil
		})
	}
	return c
}

// sayImported tells what an import did, or would do.
func sayImported(w *terminal.Printer, sum queue.Imported, dry bool) {
	if sum.Lines == 0 {
		w.Println("There was no line to import.")
		return
	}
	begins := map[bool]string{false: "Imported", true: "This would be imported"}[dry]
	if sum.Events > 0 {
		w.Printf("%s: %s, which became %s.\n", begins, terminal.Counted(sum.Events, "new event"), terminal.Counted(sum.Entries, "entr"))
	} else {
		w.Printf("Nothing is new.\n")
	}
	if sum.Known > 0 {
		w.Printf("Passed over, as they are here already: %s.\n", terminal.Counted(sum.Known, "line"))
	}
	if sum.Conflicts > 0 {
		w.Printf("Left out, as another event has the same id here: %s.\n", terminal.Counted(sum.Conflicts, "line"))
	}
	if sum.Held > 0 {
		w.Printf("Held, as they had not left where they come from: %s.\n", entries(sum.Held))
		w.Hint("when nothing else will send them: filmspool queue release --reason imported")
	}
	if sum.InDoubt > 0 {
		w.Printf("In doubt: %s.\n", entries(sum.InDoubt))
		w.Hint("filmspool queue list --state in_doubt")
	}
}
