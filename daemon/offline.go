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

// offline answers the control API for a command that opens the state folder itself because no
// daemon runs.
type offline struct{ *core }

// Offline locks the state folder and calls do with an API that works on it while no daemon runs.
// Entries that do adds are sent by the next run. Calls that need a running daemon return a
// [control.NotRunning] fault. A folder that the user named must contain a queue already: entries
// in a mistyped one would never be sent.
func Offline(ctx context.Context, o Options, do func(control.API) error) error {
	if o.Paths.Named {
		return OfflineExisting(ctx, o, do)
	}
	return OfflineCreate(ctx, o, do)
}

// OfflineExisting is like [Offline] but never creates a queue. It is for commands that only read.
func OfflineExisting(ctx context.Context, o Options, do func(control.API) error) error {
	if !sqlite.Exists(o.Paths.Database()) {
		return control.NotFound(viewing.Say("fault.noQueue", "path", o.Paths.State), viewing.Say("hint.checkState"))
	}
	return OfflineCreate(ctx, o, do)
}

// OfflineCreate is like [Offline] but creates a queue if there is none. It is for commands that
// may precede the first run.
func OfflineCreate(ctx context.Context, o Options, do func(control.API) error) error {
	return withFolder(ctx, o.Paths, func() error {
		c := newCore(o)
		err := c.open(ctx)
		if err == nil {
			err = c.withQueue(ctx, func(context.Context) error { return do(offline{c}.Control()) })
		}
		return errors.Join(err, c.Close())
	})
}

// withFolder calls work while the state folder is locked. It creates the folder if needed.
func withFolder(ctx context.Context, p config.Paths, work func() error) error {
	if err := p.MakeState(); err != nil {
		return err
	}
	lock, err := sqlite.AwaitLock(ctx, p.State, lockTimeout)
	if err != nil {
		return err
	}
	return errors.Join(work(), lock.Release())
}

// Control returns the API that works without a running daemon.
func (d offline) Control() control.API {
	return control.NewAPI(d, control.NotRunning(service.StartHint(d.o.Paths.System)))
}

// RenameSource implements [control.API] for Kodi libraries.
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

// status returns the stored status of the accounts and clients, and checks the libraries now.
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

// accountStatus returns the stored status of an account.
func (d offline) accountStatus(ctx context.Context, name string) (control.Account, error) {
	c, err := d.keys.Find(name, d.o.Config.Accounts[name], d.o.Paths.File)
	if err != nil {
		c.KeyProblem = viewing.MessagesOf(err)[0]
	}
	stored, err := d.store.Account(ctx, name)
	if err != nil {
		return control.Account{}, err
	}
	p := stored.Pause.At(time.Now())
	h := replay.Health{State: p.State(), Reason: p.Problem, Since: p.Since, Pause: p.Reason, PausedUntil: p.Until, Drops: p.Drops}
	why := missingCredential(c)
	if why.Code != "" {
		h = replay.Health{State: account.NoKey}
	}
	return d.describeAccount(ctx, h, c, why)
}

// isNotRunning matches the fault "no daemon runs" in [errors.Is].
var isNotRunning = &control.Fault{Code: control.CodeNotRunning}

// Connect connects to the daemon that runs with these paths. If none runs, the error is a
// [control.NotRunning] fault.
func Connect(ctx context.Context, p config.Paths) (*control.Client, error) {
	c, err := control.Dial(ctx, p.Control)
	if errors.Is(err, isNotRunning) {
		err = control.NotRunning(service.StartHint(p.System))
	}
	return c, err
}

// Version returns the version of the daemon that runs with these paths, or "" if the caller may
// not ask it. If none runs, the error is [service.ErrNotRunning].
func Version(ctx context.Context, p config.Paths) (string, error) {
	c, err := Connect(ctx, p)
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

// ChangeSettings calls change with the API of the running daemon, else with one that works on the
// locked state folder. It reports whether a daemon runs, and returns when the daemon uses the
// change.
func ChangeSettings(ctx context.Context, o Options, change func(control.API) error) (running bool, err error) {
	c, err := Connect(ctx, o.Paths)
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
	now, err := c.Settings(ctx) // answered by the next instance, with the reason if it refused the change
	if err == nil && len(now.Problem) > 0 {
		err = &control.Fault{
			Code: control.CodeRefused, Message: viewing.Say("fault.before").Because(now.Problem[0]), Also: now.Problem[1:], Hint: control.Command("filmspool config check"),
		}
	}
	return true, err
}

// Reload makes the running daemon read its configuration again and waits until it is in use. A
// refused configuration is an error.
func Reload(ctx context.Context, o Options) error {
	_, err := ChangeSettings(ctx, o, func(a control.API) error { return a.Reload(ctx) })
	return err
}
