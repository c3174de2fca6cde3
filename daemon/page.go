package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/page"
)

// pageSecret is what the pages' host name and cookies are made of. It is kept, so
// that a browser stays signed in over a restart; where nothing can be written it
// lasts as long as this process.
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
	if err := d.keepPageSecret(secret); err != nil && d.waiting == nil {
		return nil, err
	}
	return secret, nil
}

func (d *Daemon) keepPageSecret(secret []byte) error {
	return config.WriteFile(filepath.Join(d.o.Paths.State, "pages.secret"), secret, 0o600)
}

// besideOf sends requests for the pages' own name to them, and all others on.
func besideOf(site *page.Site, a net.Addr, others http.Handler) http.Handler {
	_, port, _ := net.SplitHostPort(a.String()) // a listener's address always splits
	host, pages := site.Host(port), site.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host == host {
			pages.ServeHTTP(w, r)
			return
		}
		others.ServeHTTP(w, r)
	})
}

// Open implements [control.API].
func (c *api) Open(ctx context.Context, o control.Open) (control.Opened, error) {
	c.d.mu.Lock()
	site, address := c.d.site, c.d.address
	c.d.mu.Unlock()
	_, port, err := net.SplitHostPort(address)
	switch {
	case site == nil || err != nil:
		return control.Opened{}, &control.Fault{Code: control.CodeNotRunning, Message: "the pages are not there yet; try again in a moment"}
	case o.Await != "":
		return control.Opened{Used: site.Await(ctx, o.Await)}, nil
	}
	return control.Opened{URL: "http://" + site.Host(port), Ticket: site.Ticket()}, nil
}
