package main

import (
	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
)

func (p *program) undoCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "undo ID…", Short: "Take a delivered viewing back from the service",
		Long: `A service takes back all viewings of an item at once, or none. So it is asked for only when
the service shows exactly one viewing of the item, and that is this one; else nothing changes.`,
		Example:           `  filmspool undo 12 --dry-run`,
		ValidArgsFunction: p.completeIDs(entry.VerbUndo),
	}
	dry := c.Flags().Bool("dry-run", false, "find out whether it could be taken back, and take nothing")
	asJSON := jsonFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		for _, text := range args {
			id, err := entryID(text)
			if err != nil {
				return err
			}
			err = ask(c.Context(), p, daemon.Offline, *asJSON, func(ctl control.API) (control.Undone, error) {
				return ctl.Undo(c.Context(), control.Undo{ID: id, DryRun: *dry})
			}, p.sayUndone)
			if err != nil {
				return err
			}
		}
		return nil
	}
	return c
}

// sayUndone tells what became of a viewing that was to be taken back.
func (p *program) sayUndone(did control.Undone) {
	switch {
	case did.DryRun && did.Removed:
		p.stdout.Say("cli.wouldUndo", "title", did.Label())
	case did.Removed:
		p.stdout.Say("cli.undone", "title", did.Label())
	default:
		p.stdout.Say("cli.undoneBefore", "title", did.Label())
	}
}
