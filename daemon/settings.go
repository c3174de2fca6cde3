package daemon

import (
	"context"
	"errors"
	"io/fs"
	"reflect"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Settings implements [control.API].
func (d *core) Settings(context.Context) (control.Settings, error) {
	s := control.Settings{File: d.o.Paths.File, Settings: d.o.Config.Settings()}
	if problem := d.problem.Load(); problem != nil {
		s.Problem = viewing.MessagesOf(*problem)
	}
	return s, nil
}

// Set implements [control.API]. It refuses to change the webhook address while a token is stored:
// the token was given for the old address.
func (d *core) Set(ctx context.Context, s control.Set) (out control.SetDone, err error) {
	if token, _, err := d.keys.Secret(config.WebhookToken); s.Key == "notices.webhook.url" && s.Value != nil && (err != nil || !token.IsZero()) {
		return out, control.Refused(viewing.Say("fault.webhookToken"), viewing.Say("hint.webhookToken"))
	}
	ch, err := d.change(ctx, func(from config.Source) (config.Change, error) { return from.Set(s.Key, s.Value) })
	if err != nil {
		return out, settingsFault(err)
	}
	before, after := ch.Before.Settings(), ch.After.Settings()
	i := slices.IndexFunc(after, func(one config.Setting) bool { return one.Key == s.Key })
	return control.SetDone{Setting: after[i], Was: before[i].Value, Changed: ch.Changed}, nil
}

// Reload implements [control.API]: it reads the configuration again and restarts with it if it
// changed. If it is invalid, or a job runs, the current one stays in use.
func (d *Daemon) Reload(ctx context.Context) error {
	if d.o.Source == nil {
		return errNoFile()
	}
	d.changeMu.Lock()
	defer d.changeMu.Unlock()
	c, err := d.o.Source.Load()
	if err != nil {
		d.problem.Store(&err)
		return settingsFault(err)
	}
	d.problem.Store(nil)
	if reflect.DeepEqual(c, d.o.Config) {
		return nil
	}
	if err := d.errIfBusy(); err != nil {
		return err
	}
	d.restartWith(ctx, c)
	return nil
}

// FindKodi implements [control.API].
func (d *core) FindKodi(context.Context) ([]kodi.Library, error) {
	return kodi.Discover(d.o.Config.Folders(), d.o.Getenv), nil
}

// AddKodi implements [control.API].
func (d *core) AddKodi(ctx context.Context, userdata string) (kodi.Library, error) {
	at, err := kodi.CheckFolder(userdata)
	if err != nil {
		return at, settingsFault(err)
	}
	_, err = d.change(ctx, func(from config.Source) (config.Change, error) { return from.AddLibrary(at.Userdata) })
	at.Configured = true
	return at, settingsFault(err)
}

// RemoveKodi implements [control.API].
func (d *core) RemoveKodi(ctx context.Context, userdata string) (kodi.Library, error) {
	_, err := d.change(ctx, func(from config.Source) (config.Change, error) { return from.RemoveLibrary(userdata) })
	at, _ := kodi.CheckFolder(userdata) // the result also contains the error
	return at, settingsFault(err)
}

// renameLibrary renames the Kodi library that r.ID names. It reports false if it names none.
func (d *core) renameLibrary(ctx context.Context, r control.Renaming) (renamed bool, err error) {
	for i, folder := range d.o.Config.Folders() {
		if r.ID != "kodi:"+folder && r.ID != folder && (r.ID == "" || r.ID != d.o.Config.Kodi.Libraries[i].Name) {
			continue
		}
		name := strings.TrimSpace(r.Label)
		if name == "" {
			return false, control.Invalid(viewing.Say("fault.nameNeeded"), viewing.Message{})
		}
		_, err := d.change(ctx, func(from config.Source) (config.Change, error) { return from.NameLibrary(folder, name) })
		return true, settingsFault(err)
	}
	return false, nil
}

// IgnoreUntitled implements [control.API].
func (d *core) IgnoreUntitled(ctx context.Context, s control.UntitledSite) error {
	_, err := d.change(ctx, func(from config.Source) (config.Change, error) { return from.IgnoreUntitled(s.Site, s.Ignored) })
	return settingsFault(err)
}

// change writes a change of the settings and, in a running daemon, restarts with it.
func (d *core) change(ctx context.Context, make func(config.Source) (config.Change, error)) (ch config.Change, err error) {
	if d.o.Source == nil {
		return ch, errNoFile()
	}
	d.changeMu.Lock()
	defer d.changeMu.Unlock()
	if ch, err = make(*d.o.Source); err == nil {
		err = d.errIfBusy()
	}
	if err != nil || !ch.Changed {
		return ch, err
	}
	if err := ch.Write(); err != nil {
		return ch, err
	}
	d.restart(ctx, ch.After)
	return ch, nil
}

// errNoFile returns the error of an instance that was started without a configuration file.
func errNoFile() error {
	return control.Refused(viewing.Say("fault.fixedSettings"), viewing.Say("hint.beginAnew"))
}

// settingsFault converts an error of a settings change into a fault of the control API.
func settingsFault(err error) error {
	code := control.CodeRefused
	switch {
	case err == nil, errors.As(err, new(*control.Fault)):
		return err
	case errors.Is(err, fs.ErrNotExist):
		code = control.CodeNotFound
	case errors.Is(err, config.ErrUnknown), errors.Is(err, config.ErrInvalid), errors.Is(err, kodi.ErrNotWatchable):
		code = control.CodeInvalid
	}
	all := viewing.MessagesOf(err)
	f := &control.Fault{Code: code, Message: all[0], Also: all[1:]}
	if r, ok := errors.AsType[*viewing.Refusal](err); ok {
		f.Hint = r.Hint
	}
	return f
}

// restartWith stops this instance and starts one with another configuration. Requests after its
// return are answered by the next instance.
func (d *Daemon) restartWith(_ context.Context, c config.Config) {
	d.log.Info("the configuration has changed, and is put to use")
	d.process.next.Store(&c)
	d.problem.Store(nil)
	d.process.deactivate()
	d.stop()
}

// reloadOnSignal reads the configuration again at each signal, until ctx ends.
func (d *Daemon) reloadOnSignal(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.o.Reload:
		}
		if err := d.Reload(ctx); err != nil {
			d.log.Error("the new configuration is not used; the previous one stays in use", "error", err)
		}
	}
}

// errIfBusy returns an error if a job runs that a reload would interrupt.
func (d *core) errIfBusy() error {
	if d.jobs.Load() == 0 {
		return nil
	}
	return &control.Fault{
		Code: control.CodeBusy, Message: viewing.Say("fault.busy"), Hint: viewing.Say("hint.whenEnded"),
	}
}

// startJob prevents reloads until the returned function is called.
func (d *core) startJob() (done func()) {
	d.jobs.Add(1)
	return func() { d.jobs.Add(-1) }
}
