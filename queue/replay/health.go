package replay

import (
	"context"
	"log/slog"
	"reflect"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Health is what a person is told of an account.
type Health struct {
	State  account.State
	Reason viewing.Message // what is wrong; the zero value when ok
	Hint   viewing.Message // what to do about it
	Since  time.Time       // when this state began
	Pause  string          // the reason of the account's pause; "" for none
	// Throttled says of an account that is offline that the service asks it to wait.
	Throttled bool
	// PausedUntil is when the user's pause ends by itself; zero for never. Drops says
	// that what is watched until then is dropped.
	PausedUntil time.Time
	Drops       bool
	// NextTry is when it is tried again; zero when nothing is planned.
	NextTry time.Time
}

// Health is how the account stands now.
func (l *Loop) Health() Health {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.health
}

// Subscribe returns a channel of one slot that is nudged after [Loop.Health]
// has changed, and a function that ends the subscription.
func (l *Loop) Subscribe() (ch <-chan struct{}, stop func()) {
	return l.changes.Subscribe()
}

// publish makes h the account's health and logs each change of state: trouble
// once, however often it is met and in whatever words, and the recovery.
func (l *Loop) publish(h Health) {
	l.mu.Lock()
	old := l.health
	if h.Since.IsZero() {
		h.Since = old.Since
		if h.State != old.State || h.Pause != old.Pause {
			h.Since = time.Now()
		}
	}
	if reflect.DeepEqual(h, old) {
		l.mu.Unlock()
		return
	}
	l.health = h
	l.mu.Unlock()
	l.changes.Nudge()
	level := slog.LevelWarn
	switch {
	case h.State == old.State && h.Pause == old.Pause, h.State != account.OK && h.Reason.Code == "":
		level = slog.LevelDebug
	case h.State == account.OK:
		l.o.Logger.Info("account delivers again", "after", time.Since(old.Since).Round(time.Millisecond))
		return
	case h.State == account.NoKey || h.State == account.Paused:
		level = slog.LevelInfo
	}
	l.o.Logger.Log(context.Background(), level, "account cannot deliver", "state", string(h.State), "reason", h.Reason.Error(), "hint", h.Hint.Error())
}

// assess is how the account stands. The first thing that keeps entries back and needs
// the user comes first.
func (r *run) assessHealth(now time.Time) Health {
	p := r.row.Pause
	h := Health{State: account.OK, Pause: p.Reason, PausedUntil: p.Until, Drops: p.Drops}
	switch {
	case r.disk.failures > 0:
		h.State, h.NextTry = account.Attention, r.disk.at
		h.Reason, h.Hint = viewing.Say("disk.trouble", "reason", r.diskError.Error()), viewing.Say("hint.freeSpace")
	case r.row.Name == "": // not read yet
		return r.Health()
	case p.Reason != "" && (r.service != nil || !p.EndsByProbe()):
		h.State, h.Reason, h.Hint, h.Since, h.NextTry = p.State(), p.Problem, p.Hint, p.Since, r.probeAt(now)
	case r.service == nil:
		h.State, h.Reason, h.Hint = account.NoKey, viewing.Say("why.notYet"), viewing.Say("hint.command", "command", "filmspool login")
	case r.outage.active || r.outage.retry.failures > 0 || now.Before(r.outage.waitUntil):
		last := r.outage.lastVerdict
		h.State, h.Reason, h.Hint, h.Throttled = account.Offline, last.Problem, last.Hint, last.Fate == tracker.Later
		h.Since, h.NextTry = r.row.OfflineAt, later(r.outage.waitUntil, r.outage.retry.at)
	}
	return h
}
