package daemon

import (
	"context"
	"errors"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/queue/viewing"
)

// isNotRunning matches the faults of an instance that does not run.
var isNotRunning = &control.Fault{Code: control.CodeNotRunning}

// Find connects to the instance that runs over these paths. When none runs, the error is a
// [control.NotRunning] fault.
func Find(ctx context.Context, p config.Paths) (*control.Client, error) {
	c, err := control.Dial(ctx, p.Control)
	if errors.Is(err, isNotRunning) {
		err = control.NotRunning(startHint(p))
	}
	return c, err
}

// Version asks the instance that runs over these paths for its version. It is
// "" where we may not ask; where none runs the error is [service.ErrNotRunning].
func Version(ctx context.Context, p config.Paths) (string, error) {
	c, err := Find(ctx, p)
	switch {
	case errors.Is(err, isNotRunning):
		return "", service.ErrNotRunning
	case errors.Is(err, &control.Fault{Code: control.CodeRefused}):
		return "", nil
	case err != nil:
		return "", err
	}
	defer c.Close()
	s, err := c.Status(ctx)
	if ctx.Err() != nil {
		return "", viewing.Say("service.noStatus")
	}
	return s.Version, err
}

// Change has the settings changed: by the instance that runs, else in the locked state
// folder. It reports whether one runs, and returns when that uses the change.
func Change(ctx context.Context, o Options, change func(control.API) error) (running bool, err error) {
	c, err := Find(ctx, o.Paths)
	if errors.Is(err, isNotRunning) && !o.Paths.System {
		return false, withFolder(ctx, o.Paths, func() error { return change(offline{newCore(o)}.Control()) })
	}
	if err != nil {
		return false, err
	}
	defer c.Close()
	if err := change(c.API); err != nil {
		return true, err
	}
	return true, inUse(ctx, c)
}

// Reload has the instance that runs read its configuration again, and waits until that is in
// use. A configuration that was refused is an error.
func Reload(ctx context.Context, o Options) error {
	_, err := Change(ctx, o, func(a control.API) error {
		_, err := a.Reload(ctx)
		return err
	})
	return err
}

// inUse waits until the configuration is in use, and says why it is not.
func inUse(ctx context.Context, c *control.Client) error {
	now, err := c.Settings(ctx) // the next instance answers
	if err == nil && len(now.Problem) > 0 {
		return &control.Fault{
			Code: control.CodeRefused, Message: viewing.Say("fault.before").Because(now.Problem[0]), Also: now.Problem[1:], Hint: control.Command("filmspool config check"),
		}
	}
	return err
}
