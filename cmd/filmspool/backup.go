package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
)

func (p *program) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE", Short: "Copy the whole queue to a file, while all goes on",
		Long: `FILE must not exist. To go back to it, stop Filmspool and put it in the place of the database
(filmspool config path). What waited in it is held then, as it may have been sent since.
Keys are not in it.`,
		RunE: func(c *cobra.Command, args []string) error {
			return p.instance(c.Context(), daemon.Existing, func(ctl control.API) error {
				return p.newFile(args[0], func(f *os.File) error { return ctl.Backup(c.Context(), f) })
			})
		},
	}
}
