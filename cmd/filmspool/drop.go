package main

import (
	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon/control"
)

func (p *program) dropCommand() *cobra.Command {
	c := p.orderCommand(&control.Order{Verb: control.Drop})
	c.SuggestFor = []string{"remove", "delete", "rm", "reject"}
	c.Example = "  filmspool drop 12\n  filmspool drop --reason backdated --yes"
	return c
}
