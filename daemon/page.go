package daemon

import (
	"context"
	"net"

	"github.com/filmspool/filmspool/daemon/control"
)

// Open implements [control.API].
func (d *Daemon) Open(ctx context.Context, o control.Open) (control.Opened, error) {
	if o.Await != "" {
		return control.Opened{Used: d.site.Await(ctx, o.Await)}, nil
	}
	_, port, _ := net.SplitHostPort(d.address) // a listener's address always splits
	return control.Opened{URL: "http://" + d.site.Host(port), Ticket: d.site.Ticket()}, nil
}
