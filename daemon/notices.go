package daemon

import (
	"context"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/daemon/notify"
	"github.com/filmspool/filmspool/queue/viewing"
)

// noticeWay is a way of the configuration. off is why it cannot be used here.
type noticeWay struct {
	notify.Way
	off error
}

// noticeWays are the ways of the configuration.
func (d *core) noticeWays() (ways []noticeWay) {
	set := d.o.Config.Notices
	worse := notify.AtLeast(control.Severity(set.Severity))
	if set.Desktop {
		send, err := notify.Desktop(d.o.Getenv)
		ways = append(ways, noticeWay{notify.Way{Name: "desktop", Tells: notify.Only("key-refused", "nothing-delivered"), Send: send}, err})
	}
	if set.Webhook.URL != "" {
		token, err := d.keys.Webhook()
		send := notify.Webhook(set.Webhook.URL, token.Reveal(), "filmspool/"+d.o.Version)
		ways = append(ways, noticeWay{notify.Way{Name: "webhook", Tells: worse, Send: send}, err})
	}
	return ways
}

// NoticesOff says which ways of a configuration cannot work where this process runs.
func NoticesOff(o Options) (warnings []viewing.Message) {
	d := &core{o: o, keys: config.Keys{Dir: o.Paths.State, Getenv: o.Getenv}}
	for _, w := range d.noticeWays() {
		if w.off != nil && (w.Name != "desktop" || o.Config.Origin("notices") != "default") {
			warnings = append(warnings, viewing.Say("notify.off", "name", w.Name).Because(viewing.MessagesOf(w.off)[0]))
		}
	}
	return warnings
}

// giveNotices tells a person of problems until ctx ends.
func (d *Daemon) giveNotices(ctx context.Context) error {
	o := notify.Options{
		Problems: d.problems, Keep: records{d.store, "notices"},
		Speech: locale.In(d.language()), Logger: d.log.With("part", "notify"),
	}
	for _, w := range d.noticeWays() {
		switch {
		case w.off == nil:
			o.Ways = append(o.Ways, w.Way)
		case w.Name == "desktop":
			o.Logger.Debug("no notices on the desktop", "error", w.off) // it is on by itself
		default:
			o.Logger.Warn("a way of notices is off", "way", w.Name, "error", w.off)
		}
	}
	if len(o.Ways) > 0 {
		news, stop := d.changes()
		defer stop()
		o.News = news
	}
	notify.Run(ctx, o)
	return nil
}

// problems are those that there are now.
func (d *Daemon) problems(ctx context.Context) ([]control.Problem, error) {
	s, err := d.examined(ctx, false)
	health.Write(locale.In(d.language()), s.Problems)
	return s.Problems, err
}

// TestNotices implements [control.API].
func (d *Daemon) TestNotices(ctx context.Context) ([]control.NoticeTest, error) {
	test := notify.Test(locale.In(d.language()))
	list := []control.NoticeTest{}
	for _, w := range d.noticeWays() {
		t := control.NoticeTest{Way: w.Name, State: control.NoticeSent}
		if w.off != nil {
			t.State, t.Detail = control.NoticeOff, viewing.MessagesOf(w.off)[0]
		} else if err := w.Send(ctx, test); err != nil {
			t.State, t.Detail = control.NoticeFailed, viewing.MessagesOf(err)[0]
		}
		list = append(list, t)
	}
	return list, nil
}
