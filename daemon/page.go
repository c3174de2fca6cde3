package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/page"
)

// pageSecret is what the pages' host name and cookies are made of. It is kept, so
// that a browser stays signed in over a restart.
func (d *Daemon) pageSecret() ([]byte, error) {
	name := filepath.Join(d.o.Paths.State, "pages.secret")
	secret, err := os.ReadFile(name)
	switch {
	case err == nil && (len(secret) == page.SecretSize || len(secret) == 2*page.SecretSize):
		return secret, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	secret = make([]byte, page.SecretSize)
	rand.Read(secret)
	if err := d.keepPageSecret(secret); err != nil {
		return nil, err
	}
	return secret, nil
}

func (d *Daemon) keepPageSecret(secret []byte) error {
	return config.WriteFile(filepath.Join(d.o.Paths.State, "pages.secret"), secret, 0o600)
}

// Open implements [control.API].
func (d *Daemon) Open(ctx context.Context, o control.Open) (control.Opened, error) {
	if o.Await != "" {
		return control.Opened{Used: d.site.Await(ctx, o.Await)}, nil
	}
	_, port, _ := net.SplitHostPort(d.address) // a listener's address always splits
	return control.Opened{URL: "http://" + d.site.Host(port), Ticket: d.site.Ticket()}, nil
}
