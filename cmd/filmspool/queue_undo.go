package main

import (
	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
)

func (p *program) undoCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "undo ID", Short: "Take a delivered viewing back from the service", Args: usage.Exactly("ID"),
		Long: `A service takes back all viewings of an item at once, or none. So this asks for it
only when the service shows exactly one viewing of the item, and that is this one;
else it says what would go along, and changes nothing. Before an entry has left,
"queue drop" withdraws it.`,
		Example: `  filmspool queue undo 12 --dry-run`,
	}
	dry := c.Flags().Bool("dry-run", false, "find out whether it could be taken back, and take nothing")
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		id, err := entryID(args[0])
		if err != nil {
			return err
		}
		return p.instance(c.Context(), daemon.Offline, func(ctl control.API) error {
			did, err := ctl.Undo(c.Context(), control.Undo{ID: id, DryRun: *dry})
			if err != nil {
				return err
			}
			if *asJSON {
				return p.stdout.JSON(did)
			}
			p.sayUndone(did)
			return nil
		})
	}
	return c
}

// sayUndone tells what became of it.
func (p *program) sayUndone(did control.Undone) {
	switch {
	case did.DryRun && did.Removed:
		p.stdout.Printf("This would take back the one viewing of %s that the service has.\n", did.Label())
	case did.Removed:
		p.stdout.Printf("Taken back: %s.\n", did.Label())
	default:
		p.stdout.Printf("The service has no viewing of %s any more: nothing was to be taken back.\n", did.Label())
	}
}
