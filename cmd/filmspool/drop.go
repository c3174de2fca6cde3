package main

import (
	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon/control"
)

func (p *program) dropCommand() *cobra.Command {
	c := p.orderCommand(&control.Order{Verb: control.Drop}, "Leave entries out that have not arrived", `They stay in the record and are not sent; "filmspool send ID" takes one back. What is in doubt
may have arrived: dropping it takes nothing away. What was delivered: filmspool undo.`)
	c.SuggestFor = []string{"remove", "delete", "rm", "reject"}
	c.Example = "  filmspool drop 12\n  filmspool drop --reason backdated --yes"
	return c
}
