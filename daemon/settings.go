package daemon

import (
	"context"
	"errors"
	"io/fs"
	"reflect"
	"slices"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/setting"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/kodi/scan"
)

// Settings implements [control.API].
func (c *api) Settings(context.Context) (control.Settings, error) {
	return control.Settings{File: c.d.o.Paths.File, Problem: c.d.tenure.Problem(), Settings: c.d.o.Config.Settings()}, nil
}

// Set implements [control.API]. A token that was given for one address is not sent to
// another because somebody has the page open.
func (c *api) Set(ctx context.Context, s control.Set) (out control.SetDone, err error) {
	if token, err := c.d.keys.Webhook(); s.Key == "notices.webhook.url" && s.Value != nil && (err != nil || !token.IsZero()) {
		return out, control.Refused("the webhook has a token, which would go to the new address", "take the token away, or change the address in the file")
	}
	ch, err := c.d.change(ctx, s.DryRun, func(from config.Source) (config.Change, error) { return from.Set(s.Key, s.Value) })
	if err != nil {
		return out, changeFault(err)
	}
	before, after := ch.Before.Settings(), ch.After.Settings()
	i := slices.IndexFunc(after, func(one setting.Setting) bool { return one.Key == s.Key })
	return control.SetDone{Setting: after[i], Was: before[i].Value, Changed: ch.Changes()}, nil
}

// Reload implements [control.API].
func (c *api) Reload(ctx context.Context) (control.Reloaded, error) {
	changed, err := c.d.reload(ctx)
	return control.Reloaded{Changed: changed}, changeFault(err)
}

// FindKodi implements [control.API].
func (c *api) FindKodi(context.Context) ([]scan.Library, error) {
	return kodi.Discover(c.d.o.Config.Folders(), c.d.o.Getenv), nil
}

// AddKodi implements [control.API].
func (c *api) AddKodi(ctx context.Context, p control.KodiPath) (scan.Library, error) {
	at, err := kodi.Fit(p.Path)
	if err != nil {
		return at, changeFault(err)
	}
	_, err = c.d.change(ctx, p.DryRun, func(from config.Source) (config.Change, error) { return from.AddLibrary(at.Userdata) })
	at.Configured = true
	return at, changeFault(err)
}

// RemoveKodi implements [control.API].
func (c *api) RemoveKodi(ctx context.Context, p control.KodiPath) (scan.Library, error) {
	_, err := c.d.change(ctx, p.DryRun, func(from config.Source) (config.Change, error) { return from.RemoveLibrary(p.Path) })
	at, _ := kodi.Fit(p.Path) // what stands in its way is part of it
	return at, changeFault(err)
}

// change makes a change of the configuration's file and takes it in, if this
// instance runs. A dry run finds out whether it could.
func (d *Daemon) change(ctx context.Context, dry bool, make func(config.Source) (config.Change, error)) (ch config.Change, err error) {
	if d.o.Source == nil {
		return ch, asItIs()
	}
	defer d.tenure.Change()()
	if ch, err = make(*d.o.Source); err == nil {
		err = d.free()
	}
	if err != nil || dry || !ch.Changes() {
		return ch, err
	}
	if err := ch.Write(); err != nil {
		return ch, err
	}
	d.become(ctx, ch.After)
	return ch, nil
}

// asItIs is the answer of an instance that has its settings from nowhere.
func asItIs() error {
	return &control.Fault{Code: control.CodeRefused, Message: "this instance keeps the settings that it began with", Hint: "end it, and begin it with others"}
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
	f := &control.Fault{Code: code, Message: err.Error()}
	if saying, ok := errors.AsType[interface {
		error
		Hint() string
	}](err); ok {
		f.Hint = saying.Hint()
	}
	return f
}

// reload reads the configuration again. One that is good is taken in; with a fault in
// it, or while work goes on, everything stays as it is.
func (d *Daemon) reload(ctx context.Context) (changed bool, err error) {
	if d.o.Source == nil || d.stop == nil {
		return false, asItIs()
	}
	defer d.tenure.Change()()
	c, err := d.o.Source.Load()
	if err != nil {
		d.tenure.Complain(err.Error())
		return false, err
	}
	d.tenure.Complain("")
	if reflect.DeepEqual(c, d.o.Config) {
		return false, nil
	}
	if err := d.free(); err != nil {
		return false, err
	}
	d.become(ctx, c)
	return true, nil
}

// become ends this instance for one with another configuration. It returns when
// nobody is let in any more: who comes then is answered by the next one.
func (d *Daemon) become(ctx context.Context, c config.Config) {
	if d.stop == nil {
		return
	}
	d.log.Info("the configuration has changed, and is taken in")
	d.tenure.Follow(&c)
	d.stop()
	select {
	case <-d.closed:
	case <-ctx.Done():
	}
}

// obey reads the configuration again whenever that is asked for, until ctx ends.
func (d *Daemon) obey(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.o.Reload:
		}
		if _, err := d.reload(ctx); err != nil {
			d.log.Error("the configuration is not taken in; the one of before counts on", "error", err)
		}
	}
}

// free reports what a change of the configuration would cut.
func (d *Daemon) free() error {
	if d.work.Load() == 0 {
		return nil
	}
	return &control.Fault{
		Code: control.CodeBusy, Message: "an import, an export or a backup is under way, and a change of the settings would cut it",
		Hint: "try again when it has ended",
	}
}

// working says that there is something to cut, until the function it returns is called.
func (d *Daemon) working() (done func()) {
	d.work.Add(1)
	return func() { d.work.Add(-1) }
}
