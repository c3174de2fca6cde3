package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon/status"
)

func (p *program) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE", Short: "Copy the whole queue to a file, while all goes on", Args: exactly("FILE"),
		Long: `Writes a whole copy of the queue to FILE, which must not exist. To go back to it, stop
filmspool and put it in the place of the database ("config path" says where). What was
pending in it is held then, as it may have been sent since. Keys are not in it.`,
		Example: `  filmspool queue backup /media/disk/filmspool.db`,
		RunE: func(c *cobra.Command, args []string) error {
			file, err := filepath.Abs(args[0])
			if err != nil {
				return fmt.Errorf("find the file: %w", err)
			}
			return p.instance(c.Context(), false, func(ctl status.Control) error {
				if err := ctl.Backup(c.Context(), file); err != nil {
					return err
				}
				fmt.Fprintln(p.stdout, "Written: "+file)
				return nil
			})
		},
	}
}
