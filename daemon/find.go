package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/queue/sqlite"
)

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

// held reports whether a process holds the state folder's lock, or may hold it
// where that cannot be seen: the machine's folder is hidden from people.
func held(dir string) bool {
	folder, err := os.Open(dir)
	if err == nil {
		folder.Close()
	}
	return errors.Is(err, fs.ErrPermission) || sqlite.Held(dir)
}

// notFound is why nobody was found at the address.
func notFound(ctx context.Context, p config.Paths, address string, err error) error {
	if refused, ok := errors.AsType[*net.OpError](err); ok && refused.Op == "dial" {
		return notRunning(p)
	}
	if !errors.Is(err, control.ErrUnproven) || ctx.Err() != nil {
		return err
	}
	who := cmp.Or(holderOf(ctx, address), "a program")
	return &unprovenError{
		fmt.Sprintf("%s is held by %s, which has not proved to be your filmspool; nothing was told to it", address, who),
		"after an upgrade: " + service.Command(p.System, "service restart") + "; else end that program, and try again",
	}
}

// unprovenError is [control.ErrUnproven] for people.
type unprovenError struct{ message, hint string }

func (e *unprovenError) Error() string { return e.message }

func (e *unprovenError) Hint() string { return e.hint }

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
