package daemon

import (
	"cmp"
	"context"
	"crypto/rand"
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
	"github.com/filmspool/filmspool/daemon/holder"
	"github.com/filmspool/filmspool/daemon/service"
)

// listen opens the one listener.
func listen(ctx context.Context, o Options) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", o.Config.Listen)
	if err == nil {
		return l, nil
	}
	if taken := PortTaken(ctx, o); taken != nil {
		return nil, taken
	}
	return nil, fmt.Errorf("%w: listen: %w", config.ErrInvalid, err)
}

// hosts are the names by which a browser or a program may address us.
func hosts(a net.Addr) []string {
	_, port, _ := net.SplitHostPort(a.String()) // a listener's address always splits
	return []string{"127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port}
}

// serve answers HTTP until ctx ends. The control file exists only while it does.
func (d *Daemon) serve(ctx context.Context, l net.Listener, browsers http.Handler) error {
	token := rand.Text()
	mux := http.NewServeMux()
	mux.Handle("GET "+control.ProofPath, control.Prove(token, l.Addr().String()))
	mux.Handle("/v1/control/", guard.Control(token, patient(control.Handler(d.Control(), d.log.With("part", "control")))))
	mux.Handle("/", browsers)
	server := &http.Server{
		Handler:           impatient(guard.Drain(guard.Host(hosts(l.Addr()), mux))),
		ConnContext:       withGuest,
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       30 * time.Second,
		MaxHeaderBytes:    16 << 10,
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(newCrowd(l, maxConnections)) }()
	stop := func() error {
		wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		if server.Shutdown(wait) != nil {
			server.Close()
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve: %w", err)
		}
		return nil
	}
	if err := answers(ctx, l.Addr().String()); err != nil {
		return errors.Join(fmt.Errorf("ask ourselves: %w", err), stop())
	}
	if err := d.announce(l.Addr(), token); err != nil {
		return errors.Join(err, stop())
	}
	defer d.withdraw()
	select {
	case err := <-served:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
		return stop()
	}
}

// announce says that the instance can be used, and how.
func (d *Daemon) announce(a net.Addr, token string) error {
	text, err := json.Marshal(control.ControlFile{Address: a.String(), Token: token, PID: os.Getpid(), State: d.o.Paths.State})
	if err != nil {
		return fmt.Errorf("write the control file: %w", err)
	}
	d.setAddress(a) // before anybody can find us
	err = config.WriteFile(d.o.Paths.Control, text, d.controlMode())
	if err != nil && d.waiting == nil {
		return fmt.Errorf("write the control file: %w", err)
	}
	if err != nil {
		d.log.Error("the command line cannot find this instance", "error", err)
	}
	d.log.Info("ready", "address", a.String(), "version", d.o.Version)
	if d.o.Ready != nil {
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

// withdraw takes back what announce said.
func (d *Daemon) withdraw() {
	d.setAddress(nil)
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

// Find connects to the instance that runs over these paths, which has proved
// itself before anything is told to it. When none runs, the error is a
// [control.NotRunning] fault; a [config.TrustError] or [control.ErrUnproven] is
// wrapped when somebody else may stand in its place.
func Find(ctx context.Context, p config.Paths) (*control.Client, error) {
	if err := p.CheckFolders(); err != nil {
		return nil, err
	}
	file, err := control.ReadControlFile(p.Control, p.CheckControl)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	// A daemon that was killed leaves its file; somebody else may have its port.
	if err != nil || !held(cmp.Or(file.State, p.State)) {
		return nil, notRunning(p)
	}
	c := control.NewClient(file.Address, file.Token)
	if _, err := c.Status(ctx); err != nil {
		c.Close()
		return nil, notFound(ctx, p, file.Address, err)
	}
	return c, nil
}

// notFound is why nobody was found at the address.
func notFound(ctx context.Context, p config.Paths, address string, err error) error {
	if refused, ok := errors.AsType[*net.OpError](err); ok && refused.Op == "dial" {
		return notRunning(p)
	}
	if !errors.Is(err, control.ErrUnproven) || ctx.Err() != nil {
		return err
	}
	who := "a program"
	if h, found := holder.Find(ctx, address); found {
		who = h.String()
	}
	return &unprovenError{
		fmt.Sprintf("%s is held by %s, which has not proved to be your filmspool; nothing was told to it", address, who),
		"after an upgrade: " + service.Command(p.System, "service restart") + "; else end that program, and try again",
	}
}

// unprovenError is [control.ErrUnproven] for people.
type unprovenError struct{ message, hint string }

func (e *unprovenError) Error() string { return e.message }
func (e *unprovenError) Hint() string  { return e.hint }
func (e *unprovenError) Unwrap() error { return control.ErrUnproven }

// isUntrusted reports whether somebody else may have written what we read.
func isUntrusted(err error) bool {
	_, ok := errors.AsType[*config.TrustError](err)
	return ok
}

// Version asks the instance that runs over these paths for its version. It is
// "" where that cannot be known, as it is not ours to ask; where none is found
// the error is [service.ErrNotRunning].
func Version(ctx context.Context, p config.Paths) (string, error) {
	c, err := Find(ctx, p)
	switch {
	case errors.Is(err, &control.Fault{Code: control.CodeNotRunning}):
		return "", service.ErrNotRunning
	case errors.Is(err, &control.Fault{Code: control.CodeRefused}), errors.Is(err, control.ErrUnproven), isUntrusted(err):
		return "", nil
	case err != nil && ctx.Err() != nil:
		return "", errors.New("asked how things stand, it is silent")
	case err != nil:
		return "", err
	}
	defer c.Close()
	s, err := c.Status(ctx)
	return s.Version, err
}
