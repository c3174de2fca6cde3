package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
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
	return control.Of(d, control.NotRunning(startHint(d.o.Paths)))
}

// About implements [control.API].
func (d offline) About(ctx context.Context) (control.About, error) { return d.about(ctx, d.Check) }

// RenameSource implements [control.API]: it names Kodi libraries alone.
func (d offline) RenameSource(ctx context.Context, r control.Renaming) error {
	if renamed, err := d.renameLibrary(ctx, r); renamed || err != nil {
		return err
	}
	return control.NotRunning(startHint(d.o.Paths))
}

// Status implements [control.API].
func (d offline) Status(ctx context.Context) (control.Status, error) {
	s, err := d.Check(ctx)
	s.Problems = health.Roots(s.Problems)
	return s, err
}

// Check implements [control.API].
func (d offline) Check(ctx context.Context) (control.Status, error) {
	s, err := d.status(ctx)
	if err != nil {
		return s, err
	}
	return d.judged(ctx, s, true)
}

// Explain implements [control.API].
func (d offline) Explain(ctx context.Context, id int64) (control.Explanation, error) {
	x, err := d.explain(ctx, id)
	if x.State == viewing.StatePending {
		x.Why, x.Hint = viewing.Say("why.notRunning"), startHint(d.o.Paths)
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
		if _, unusable := d.tmdbToken(); unusable != nil {
			p := d.tmdbProvider()
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
