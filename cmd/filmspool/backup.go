package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
)

func (p *program) backupCommand() *cobra.Command {
	return &cobra.Command{Use: "backup FILE", RunE: func(c *cobra.Command, args []string) error {
		return p.instance(c.Context(), daemon.Existing, func(ctl control.API) error {
			return p.newFile(args[0], func(w io.Writer) error { return ctl.Backup(c.Context(), w) })
		})
	}}
}
