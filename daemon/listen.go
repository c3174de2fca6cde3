package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/guard"
	"github.com/filmspool/filmspool/daemon/page"
	"github.com/filmspool/filmspool/daemon/service"
)

// listen opens the listener, and holds its port at all addresses of localhost: a browser
// may try any of them, and would bring tickets and cookies to whoever listens there.
func listen(ctx context.Context, o Options) (all []net.Listener, err error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", o.Config.Listen)
	if err != nil {
		return nil, notOurs(ctx, o, err)
	}
	all = append(all, l)
	own, port, _ := net.SplitHostPort(l.Addr().String()) // a listener's address always splits
	for _, host := range []string{"127.0.0.1", "::1"} {
		if host == own {
			continue
		}
		o.Config.Listen = net.JoinHostPort(host, port)
		more, err := lc.Listen(ctx, "tcp", o.Config.Listen)
		if err == nil {
			all = append(all, more)
		} else if any, missing := lc.Listen(ctx, "tcp", net.JoinHostPort(host, "0")); missing == nil { // else the machine lacks that address
			for _, open := range append(all, any) {
				_ = open.Close() // nobody has come yet
			}
			return nil, notOurs(ctx, o, err)
		}
	}
	return all, nil
}

// notOurs says why an address cannot be listened on.
func notOurs(ctx context.Context, o Options, err error) error {
	if taken := PortTaken(ctx, o); taken != nil {
		return taken
	}
	return fmt.Errorf("%w: listen: %w", config.ErrInvalid, err)
}

// listen opens the listeners, or takes those of the instance before.
func (d *Daemon) listen(ctx context.Context) ([]net.Listener, error) {
	return d.tenure.Listen(d.o.Config.Listen, func() ([]net.Listener, error) { return listen(ctx, d.o) })
}

// hosts are the names by which a browser or a program may address us.
func hosts(a net.Addr) []string {
	_, port, _ := net.SplitHostPort(a.String()) // a listener's address always splits
	return []string{"127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port}
}

// doors lead to all that is answered at the addresses by which programs and browsers'
// extensions know us.
func (d *Daemon) doors(at net.Addr, token string, site *page.Site, browsers http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET "+control.ProofPath, control.Prove(token, at.String()))
	mux.Handle("/v1/control/", guard.Control(token, guard.Patient(control.Handler(d.Control(), d.log.With("part", "control")))))
	(&probes{Daemon: d}).route(mux)
	mux.HandleFunc("GET /{$}", site.Outside)
	mux.Handle("/", browsers)
	return mux
}

// serve answers HTTP until ctx ends. The control file exists only while it does.
func (d *Daemon) serve(ctx context.Context, all []net.Listener, browsers http.Handler) error {
	l := all[0] // the one that we are known by
	token := d.tenure.Token()
	site, err := d.openPage()
	if err != nil {
		return err
	}
	defer site.Close()
	timeout := cmp.Or(d.o.requestTimeout, guard.StrangerWait)
	server := &http.Server{
		Handler:           guard.Impatient(timeout, guard.Drain(min(guard.DrainWait, timeout), besideOf(site, l.Addr(), guard.Host(hosts(l.Addr()), d.doors(l.Addr(), token, site, browsers))))),
		ConnContext:       guard.WithGuest,
		ReadHeaderTimeout: min(5*time.Second, timeout),
		IdleTimeout:       min(30*time.Second, 2*timeout),
		MaxHeaderBytes:    16 << 10,
	}
	come := newArrivals()
	server.ConnState = come.note
	server.RegisterOnShutdown(func() { close(d.closed) })
	server.RegisterOnShutdown(site.Close) // open pages listen without end
	served := serveAll(server, all, cmp.Or(d.o.maxConnections, guard.MaxConnections))
	stop := func() error { return d.shut(ctx, server, all, served, come) }
	if err := answers(ctx, l.Addr().String()); ctx.Err() != nil {
		return stop()
	} else if err != nil {
		return errors.Join(fmt.Errorf("ask ourselves: %w", err), stop())
	}
	if err := d.announce(l.Addr(), token); err != nil {
		return errors.Join(err, stop())
	}
	defer d.withdraw()
	select {
	case err := <-served:
		return errors.Join(fmt.Errorf("serve: %w", err), server.Close())
	case <-ctx.Done():
		return stop()
	}
}

// shut ends a server. Where another instance follows, whoever has come already is
// answered here, and the others there. A server that is shut down answers nobody who
// comes then, so each listener has let in its last one before.
func (d *Daemon) shut(ctx context.Context, server *http.Server, all []net.Listener, served <-chan error, come *arrivals) (err error) {
	for _, l := range all {
		_ = l.Close() // it only rests
	}
	for range all {
		if fault := <-served; !errors.Is(fault, net.ErrClosed) {
			err = fmt.Errorf("serve: %w", fault)
		}
	}
	if d.tenure.Follows() {
		come.settle(200 * time.Millisecond)
	}
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if server.Shutdown(wait) != nil {
		server.Close()
	}
	return err
}

// serveAll has a server answer at each listener, and gives an error for each.
func serveAll(server *http.Server, all []net.Listener, most int) <-chan error {
	served := make(chan error, len(all))
	for _, l := range all {
		go func() { served <- server.Serve(guard.NewCrowd(l, most)) }()
	}
	return served
}

// announce says that the instance can be used, and how.
func (d *Daemon) announce(a net.Addr, token string) error {
	text, err := json.Marshal(control.ControlFile{Address: a.String(), Token: token, PID: os.Getpid(), State: d.o.Paths.State})
	if err != nil {
		return fmt.Errorf("write the control file: %w", err)
	}
	d.setAddress(a.String()) // before anybody can find us
	err = config.WriteFile(d.o.Paths.Control, text, d.controlMode())
	if err != nil && d.waiting == nil {
		return fmt.Errorf("write the control file: %w", err)
	}
	if err != nil {
		d.log.Error("the command line cannot find this instance", "error", err)
	}
	d.log.Info("ready", "address", a.String(), "version", d.o.Version)
	if again := d.tenure.Begin(&d.o.Config); d.o.Ready != nil && !again {
		d.o.Ready(a.String())
	}
	if err := service.Notify("READY=1"); err != nil {
		d.log.Warn("the service manager was not told that we are ready", "error", err)
	}
	return nil
}

// controlMode lets the group read the control file where the service manager
// made a folder for it; in the user's own folder nobody else may.
func (d *Daemon) controlMode() fs.FileMode {
	if filepath.Dir(d.o.Paths.Control) != d.o.Paths.State {
		return 0o640
	}
	return 0o600
}

// withdraw takes back what announce said. An instance that follows is reached in the
// same way.
func (d *Daemon) withdraw() {
	d.setAddress("")
	if d.tenure.Follows() {
		return
	}
	if err := os.Remove(d.o.Paths.Control); err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.log.Warn("the control file could not be removed", "error", err)
	}
}

// removeStale removes the control file of a daemon that was killed: somebody
// else may have its port by now. The state folder is ours, locked. A file that
// names another folder goes only when no process holds that.
func (d *Daemon) removeStale() {
	name := d.o.Paths.Control
	file, err := control.ReadControlFile(name, func(*os.File) error { return nil })
	if err == nil && file.State != "" && file.State != d.o.Paths.State && held(file.State) {
		return
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.log.Warn("the control file of an earlier run could not be removed", "error", err)
	}
}

// openPage makes the pages of this instance.
func (d *Daemon) openPage() (*page.Site, error) {
	secret, err := d.pageSecret()
	if err != nil {
		return nil, fmt.Errorf("open the pages: %w", err)
	}
	site, err := page.New(page.Options{
		API: d.Control(), Changed: d.changes, Secret: secret, Keep: d.keepPageSecret, Known: guard.Welcome, Log: d.log.With("part", "page"),
	})
	if err != nil {
		return nil, fmt.Errorf("open the pages: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.site = site
	return site, nil
}
