package main

import (
	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
)

func (p *program) undoCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "undo ID…", Example: "  filmspool undo 12 --dry-run", SuggestFor: []string{"unwatch"},
		ValidArgsFunction: p.completeIDs(entry.VerbUndo),
	}
	dry := c.Flags().Bool("dry-run", false, "")
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
		p.stdout.Say("cli.wouldUndo", "title", p.label(did.Entry))
	case did.Removed:
		p.stdout.Say("cli.undone", "title", p.label(did.Entry))
	default:
		p.stdout.Say("cli.undoneBefore", "title", p.label(did.Entry))
	}
}
