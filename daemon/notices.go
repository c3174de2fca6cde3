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

// noticeWays are the ways of the configuration that can be used here, and those that
// cannot.
func noticeWays(o Options, keys config.Keys) (ways []notify.Way, off []control.NoticeTest) {
	set := o.Config.Notices
	if set.Desktop && !o.Paths.System && notify.HasDesktop(o.Getenv) {
		ways = append(ways, notify.Way{Name: "desktop", Codes: []string{health.KeyRefused, health.NothingDelivered}, Send: notify.Desktop})
	} else if set.Desktop {
		off = append(off, control.NoticeTest{Way: "desktop", State: control.NoticeOff, Detail: viewing.Say("notify.noDesktop")})
	}
	token, err := keys.Webhook()
	if set.Webhook.URL != "" && err == nil {
		ways = append(ways, notify.Way{Name: "webhook", Send: notify.Webhook(set.Webhook.URL, token.Reveal(), "filmspool/"+o.Version)})
	} else if set.Webhook.URL != "" {
		off = append(off, control.NoticeTest{Way: "webhook", State: control.NoticeOff, Detail: viewing.MessagesOf(err)[0]})
	}
	return ways, off
}

// NoticesOff says which ways of a configuration cannot work where this process runs. The
// desktop is on by itself, so it is named only where the configuration asks for it.
func NoticesOff(o Options) (warnings []viewing.Message) {
	_, off := noticeWays(o, config.Keys{Dir: o.Paths.State, Getenv: o.Getenv})
	for _, w := range off {
		if w.Way != "desktop" || o.Config.IsSet("notices.desktop") {
			warnings = append(warnings, viewing.Say("notify.off", "name", w.Way).Because(w.Detail))
		}
	}
	return warnings
}

// giveNotices tells a person about problems until ctx ends.
func (d *Daemon) giveNotices(ctx context.Context) error {
	ways, off := noticeWays(d.o, d.keys)
	log := d.log.With("part", "notify")
	for _, w := range off {
		log.Info("a way of notices is off", "way", w.Way, "error", w.Detail)
	}
	if len(ways) == 0 {
		return nil
	}
	news, stop := d.changes()
	defer stop()
	n := notify.Notifier{Ways: ways, Problems: d.problems, News: news, Keep: records{d.store, "notices"}, Logger: log}
	n.Run(ctx)
	return nil
}

// problems are those that there are now.
func (d *Daemon) problems(ctx context.Context) ([]control.Problem, error) {
	s, err := d.examined(ctx, false)
	health.Tell(locale.In(d.language()), &s)
	return s.Problems, err
}

// TestNotices implements [control.API].
func (d *Daemon) TestNotices(ctx context.Context) ([]control.NoticeTest, error) {
	ways, list := noticeWays(d.o, d.keys)
	for _, w := range ways {
		t := control.NoticeTest{Way: w.Name, State: control.NoticeSent}
		if err := w.Send(ctx, notify.Test(locale.In(d.language()))); err != nil {
			t.State, t.Detail = control.NoticeFailed, viewing.MessagesOf(err)[0]
		}
		list = append(list, t)
	}
	return list, nil
}
