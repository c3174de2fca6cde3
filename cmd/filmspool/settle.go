package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon/status"
)

func (p *program) settleCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "settle ID --as STATE", Short: "Say what became of an entry in doubt", Args: exactly("ID"),
		Long: `An entry is in doubt when it may have arrived. Look for it at the service, and say
what you found: delivered, or rejected when it is not there ("queue retry" sends it
again then), or dropped when you want neither.`,
		Example: `  filmspool queue settle 12 --as delivered`,
	}
	asJSON := jsonFlag(c)
	as := c.Flags().String("as", "", "delivered, rejected or dropped")
	c.RunE = func(c *cobra.Command, args []string) error {
		id, err := entryID(args[0])
		if err != nil {
			return err
		}
		if !slices.Contains([]string{"delivered", "rejected", "dropped"}, *as) {
			return usage("--as %q is not delivered, rejected or dropped; usage: %s", *as, c.UseLine())
		}
		return p.instance(c.Context(), false, func(ctl status.Control) error {
			after, err := ctl.Settle(c.Context(), id, *as)
			return p.sayEntry(after, *asJSON, err)
		})
	}
	return c
}
