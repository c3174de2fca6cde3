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

// Set implements [control.API]. A token that was given for one address is not sent to
// another because somebody has the page open.
func (d *core) Set(ctx context.Context, s control.Set) (out control.SetDone, err error) {
	if token, _, err := d.keys.Secret(config.WebhookToken); s.Key == "notices.webhook.url" && s.Value != nil && (err != nil || !token.IsZero()) {
		return out, control.Refused(viewing.Say("fault.webhookToken"), viewing.Say("hint.webhookToken"))
	}
	ch, err := d.change(ctx, func(from config.Source) (config.Change, error) { return from.Set(s.Key, s.Value) })
	if err != nil {
		return out, changeFault(err)
	}
	before, after := ch.Before.Settings(), ch.After.Settings()
	i := slices.IndexFunc(after, func(one config.Setting) bool { return one.Key == s.Key })
	return control.SetDone{Setting: after[i], Was: before[i].Value, Changed: ch.Changed}, nil
}

// Reload implements [control.API]: it reads the configuration again. A good one is put to
// use; with a mistake in it, or while work goes on, everything stays as it is.
func (d *Daemon) Reload(ctx context.Context) error {
	if d.o.Source == nil {
		return errNoFile()
	}
	d.changing.Lock()
	defer d.changing.Unlock()
	c, err := d.o.Source.Load()
	if err != nil {
		d.problem.Store(&err)
		return changeFault(err)
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
	at, err := kodi.Fit(userdata)
	if err != nil {
		return at, changeFault(err)
	}
	_, err = d.change(ctx, func(from config.Source) (config.Change, error) { return from.AddLibrary(at.Userdata) })
	at.Configured = true
	return at, changeFault(err)
}

// RemoveKodi implements [control.API].
func (d *core) RemoveKodi(ctx context.Context, userdata string) (kodi.Library, error) {
	_, err := d.change(ctx, func(from config.Source) (config.Change, error) { return from.RemoveLibrary(userdata) })
	at, _ := kodi.Fit(userdata) // what stands in its way is part of it
	return at, changeFault(err)
}

// renameLibrary gives a Kodi library another name, if it is one that is meant.
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
		return true, changeFault(err)
	}
	return false, nil
}

// IgnoreUntitled implements [control.API].
func (d *core) IgnoreUntitled(ctx context.Context, s control.UntitledSite) error {
	_, err := d.change(ctx, func(from config.Source) (config.Change, error) { return from.IgnoreUntitled(s.Site, s.Ignored) })
	return changeFault(err)
}

// change writes a change of the settings and puts it to use, if this instance runs.
func (d *core) change(ctx context.Context, make func(config.Source) (config.Change, error)) (ch config.Change, err error) {
	if d.o.Source == nil {
		return ch, errNoFile()
	}
	d.changing.Lock()
	defer d.changing.Unlock()
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

// errNoFile is the answer of an instance that was started without a configuration file.
func errNoFile() error {
	return control.Refused(viewing.Say("fault.fixedSettings"), viewing.Say("hint.beginAnew"))
}

// changeFault is why a change was refused, in the words of the control API.
func changeFault(err error) error {
	code := control.CodeRefused
	switch {
	case err == nil, errors.As(err, new(*control.Fault)):
		return err
	case errors.Is(err, fs.ErrNotExist):
		code = control.CodeNotFound
	case errors.Is(err, config.ErrUnknown), errors.Is(err, config.ErrInvalid), errors.Is(err, kodi.ErrUnfit):
		code = control.CodeInvalid
	}
	all := viewing.MessagesOf(err)
	f := &control.Fault{Code: code, Message: all[0], Also: all[1:]}
	if r, ok := errors.AsType[*viewing.Refusal](err); ok {
		f.Hint = r.Hint
	}
	return f
}

// restartWith ends this instance for one with another configuration. What is asked after it
// has returned is answered by the next instance.
func (d *Daemon) restartWith(_ context.Context, c config.Config) {
	d.log.Info("the configuration has changed, and is put to use")
	d.process.next.Store(&c)
	d.problem.Store(nil)
	d.process.leave()
	d.stop()
}

// reloadOnSignal reads the configuration again whenever that is asked for, until ctx ends.
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

// errIfBusy reports what a change of the configuration would cut.
func (d *core) errIfBusy() error {
	if d.work.Load() == 0 {
		return nil
	}
	return &control.Fault{
		Code: control.CodeBusy, Message: viewing.Say("fault.busy"), Hint: viewing.Say("hint.whenEnded"),
	}
}

// working says that there is something to cut, until the function it returns is called.
func (d *core) working() (done func()) {
	d.work.Add(1)
	return func() { d.work.Add(-1) }
}
