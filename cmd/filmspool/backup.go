package main

import (
	"context"
	"io"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/control"
)

// backup writes a copy of the queue to a new file.
func (p *program) backup(ctx context.Context, args []string) error {
	return p.instance(ctx, daemon.OfflineExisting, func(ctl control.API) error {
		return p.newFile(args[0], func(w io.Writer) error { return ctl.Backup(ctx, w) })
	})
}
