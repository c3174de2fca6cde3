package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
)

func (p *program) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE", Short: "Copy the whole queue to a file, while all goes on", Args: usage.Exactly("FILE"),
		Long: `Writes a whole copy of the queue to FILE, which must not exist. To go back to it, stop
filmspool and put it in the place of the database ("config path" says where). What was
pending in it is held then, as it may have been sent since. Keys are not in it.`,
		Example: `  filmspool queue backup /media/disk/filmspool.db`,
		RunE: func(c *cobra.Command, args []string) error {
			if args[0] == "-" {
				return usage.Errorf(`"-" is no file, and a copy is one; usage: %s`, c.UseLine())
			}
			file, err := filepath.Abs(args[0])
			if err != nil {
				return fmt.Errorf("find the file: %w", err)
			}
			return p.instance(c.Context(), daemon.Reading, func(ctl control.API) error {
				err := newFile(file, func(f *os.File) error { return ctl.Backup(c.Context(), f) })
				if err == nil {
					p.stdout.Println("Written: " + file)
				}
				return err
			})
		},
	}
}
