package main

import (
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/spf13/cobra"
)

func (p *program) dropCommand() *cobra.Command {
	c := p.orderCommand(&entry.Order{Verb: entry.VerbDrop})
	c.SuggestFor = []string{"remove", "delete", "rm", "reject"}
	c.Example = "  filmspool drop 12\n  filmspool drop --reason backdated --yes"
	return c
}
