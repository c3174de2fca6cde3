package daemon

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/transfer"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Export implements [control.API].
func (d *core) Export(ctx context.Context, e control.Export, w io.Writer) (done control.Exported, err error) {
	defer d.startJob()()
	if !e.Valid() {
		return done, control.Invalid(viewing.Say("fault.exportForm", "names", strings.Join(control.ExportForms, ", ")), viewing.Message{})
	}
	i := slices.IndexFunc(transfer.Formats, func(f transfer.Format) bool { return f.Name == e.Form && f.Write != nil })
	if i < 0 {
		return done, d.store.Export(ctx, e.Filter, w)
	}
	done.LeftOut, err = transfer.Formats[i].Write(w, d.store.Records(ctx, e.Filter))
	return done, err
}
