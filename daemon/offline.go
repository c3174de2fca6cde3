package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// offline is a command that works on the state folder itself while no daemon runs.
type offline struct{ *core }

// Offline has do work on the state folder itself, locked, while no daemon runs:
// what is added waits there for the next run. What needs a running daemon
// answers with a [control.NotRunning] fault. A folder that the user named must
// hold a queue: in a mistyped one, viewings would wait for ever.
func Offline(ctx context.Context, o Options, do func(control.API) error) error {
	if o.Paths.Named {
		return Existing(ctx, o, do)
	}
	return First(ctx, o, do)
}

// Existing is [Offline] for what only reads: it makes no queue where there is none.
func Existing(ctx context.Context, o Options, do func(control.API) error) error {
	if !sqlite.Exists(o.Paths.Database()) {
		return control.NotFound(viewing.Say("fault.noQueue", "path", o.Paths.State), viewing.Say("hint.checkState"))
	}
	return First(ctx, o, do)
}

// First is [Offline] for what comes before the first run: it makes a queue
// wherever there is none.
func First(ctx context.Context, o Options, do func(control.API) error) error {
	return withFolder(ctx, o.Paths, func() error {
		c := newCore(o)
		err := c.open(ctx)
		if err == nil {
			err = c.withQueue(ctx, func(context.Context) error { return do(offline{c}.Control()) })
		}
		return errors.Join(err, c.Close())
	})
}

// withFolder works while the state folder is locked. It makes the folder where there is none.
func withFolder(ctx context.Context, p config.Paths, work func() error) error {
	if err := p.MakeState(); err != nil {
		return err
	}
	lock, err := sqlite.AwaitLock(ctx, p.State, lockTime)
	if err != nil {
		return err
	}
	return errors.Join(work(), lock.Release())
}

// Control is what a person can ask while nothing runs.
func (d offline) Control() control.API {
	return control.Of(d, control.NotRunning(service.StartHint(d.o.Paths.System)))
}

// RenameSource implements [control.API]: it names Kodi libraries alone.
func (d offline) RenameSource(ctx context.Context, r control.Renaming) error {
	if renamed, err := d.renameLibrary(ctx, r); renamed || err != nil {
		return err
	}
	return control.NotRunning(service.StartHint(d.o.Paths.System))
}

// Explain implements [control.API].
func (d offline) Explain(ctx context.Context, id int64) (control.Explanation, error) {
	x, err := d.explain(ctx, id)
	if x.State == viewing.StatePending {
		x.Why, x.Hint = viewing.Say("why.notRunning"), service.StartHint(d.o.Paths.System)
	}
	return x, err
}

// status is how the accounts stand by their keys and by what is kept, who is paired, and
// what the libraries are like now.
func (d offline) status(ctx context.Context) (control.Status, error) {
	out, err := d.core.status(ctx, d.accountStatus, func(k *kodi.Importer) kodi.Status {
		s, err := k.Check(ctx)
		if err != nil {
			d.log.Warn("a library cannot be read", "userdata", s.Userdata, "state", s.State, "error", err)
		}
		return s
	})
	if d.o.Config.Resolve.TMDB.Enabled {
		p := d.tmdbProvider()
		if _, unusable := p.open(); unusable != nil {
			p.problem, p.hint = viewing.MessagesOf(unusable)[0], p.remedy
			out.Sources = append(out.Sources, p.status())
		}
	}
	return out, err
}

// accountStatus is how an account stands while nothing runs.
func (d offline) accountStatus(ctx context.Context, name string) (control.Account, error) {
	c, err := d.keys.Find(name, d.o.Config.Accounts[name], d.o.Paths.File)
	if err != nil {
		c.KeyProblem = viewing.MessagesOf(err)[0]
	}
	kept, err := d.store.Account(ctx, name)
	if err != nil {
		return control.Account{}, err
	}
	p := kept.Pause.Timely(time.Now())
	h := replay.Health{State: p.State(), Reason: p.Problem, Since: p.Since, Pause: p.Reason, PausedUntil: p.Until, Drops: p.Drops}
	why := missing(c)
	if why.Code != "" {
		h = replay.Health{State: account.NoKey}
	}
	return d.accountOf(ctx, h, c, why)
}

// isNotRunning matches the faults of an instance that does not run.
var isNotRunning = &control.Fault{Code: control.CodeNotRunning}

// Find connects to the instance that runs over these paths. When none runs, the error is a
// [control.NotRunning] fault.
func Find(ctx context.Context, p config.Paths) (*control.Client, error) {
	c, err := control.Dial(ctx, p.Control)
	if errors.Is(err, isNotRunning) {
		err = control.NotRunning(service.StartHint(p.System))
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
	now, err := c.Settings(ctx) // the next instance answers, and says why it does not use the change
	if err == nil && len(now.Problem) > 0 {
		err = &control.Fault{
			Code: control.CodeRefused, Message: viewing.Say("fault.before").Because(now.Problem[0]), Also: now.Problem[1:], Hint: control.Command("filmspool config check"),
		}
	}
	return true, err
}

// Reload has the instance that runs read its configuration again, and waits until that is in
// use. A configuration that was refused is an error.
func Reload(ctx context.Context, o Options) error {
	_, err := Change(ctx, o, func(a control.API) error { return a.Reload(ctx) })
	return err
}
