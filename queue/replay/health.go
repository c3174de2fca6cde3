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

// Health is the state of an account as shown to the user.
type Health struct {
	State  account.State
	Reason viewing.Message // what is wrong; the zero value when ok
	Hint   viewing.Message // what the user can do
	Since  time.Time       // when this state began
	Pause  string          // the reason of the account's pause; "" for none
	// Throttled says that the account is offline because the service asked it to wait.
	Throttled bool
	// PausedUntil is when the user's pause expires; zero for never. Drops says
	// that viewings during the pause are dropped.
	PausedUntil time.Time
	Drops       bool
	// NextTry is the time of the next retry; zero when none is planned.
	NextTry time.Time
}

// Health returns the account's current state.
func (l *Loop) Health() Health {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.health
}

// Subscribe returns a channel of capacity one that receives a value after each change of
// [Loop.Health], and a function that ends the subscription.
func (l *Loop) Subscribe() (ch <-chan struct{}, stop func()) {
	return l.changes.Subscribe()
}

// publish sets the account's health to h and logs each change of state: a problem once,
// even if it recurs with another message, and the recovery.
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
		l.options.Logger.Info("account delivers again", "after", time.Since(old.Since).Round(time.Millisecond))
		return
	case h.State == account.NoKey || h.State == account.Paused:
		level = slog.LevelInfo
	}
	log := l.options.Logger.With("state", string(h.State), "reason", h.Reason.Error(), "hint", h.Hint.Error())
	log.Log(context.Background(), level, "account cannot deliver")
}

// assessHealth returns the account's state. The cases are ordered: problems that need the
// user come first.
func (r *run) assessHealth(now time.Time) Health {
	p := r.row.Pause
	h := Health{State: account.OK, Pause: p.Reason, PausedUntil: p.Until, Drops: p.Drops}
	switch {
	case r.disk.failures > 0:
		h.State, h.NextTry = account.Attention, r.disk.at
		h.Reason, h.Hint = viewing.Say("disk.trouble", "reason", r.diskError.Error()), viewing.Say("hint.freeSpace")
	case r.row.Name == "": // the row was not read yet
		return r.Health()
	case p.Reason != "" && (r.service != nil || !p.EndsByProbe()):
		h.State, h.Reason, h.Hint, h.Since, h.NextTry = p.State(), p.Problem, p.Hint, p.Since, r.probeAt(now)
	case r.service == nil:
		h.State, h.Reason, h.Hint = account.NoKey, viewing.Say("why.notYet"), viewing.Say("hint.command", "command", "filmspool login")
	case r.outage.active || r.outage.retry.failures > 0 || now.Before(r.outage.waitUntil):
		last := r.outage.lastVerdict
		h.State, h.Reason, h.Hint, h.Throttled = account.Offline, last.Problem, last.Hint, last.Outcome == tracker.Later
		h.Since, h.NextTry = r.row.OfflineAt, later(r.outage.waitUntil, r.outage.retry.at)
	}
	return h
}
