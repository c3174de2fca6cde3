package replay

import (
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/tracker"
)

// rowCopy is the account's row as a run knows it, and what of it is still to be
// written.
type rowCopy struct {
	record  account.Row
	loaded  bool // it was read once
	reread  bool // the row may have been changed by others
	unsaved bool // this run has changed it
	shifted bool // its pause or the plan of its probes
	stale   bool // only its time of the last delivery has changed
	savedAt time.Time
	asked   bool // the next probe of the paused account was asked for
}

// syncAccount brings the account's row and what the run knows of it together.
// It is false when the outbox failed.
func (r *run) syncAccount() bool {
	now := time.Now()
	if p := r.record.Pause; p.Reason == account.PausedUser && p.Timely(now) != p {
		r.unsaved = true // it has ended, or the clock was set back
	}
	if !r.reread && !r.unsaved {
		return true
	}
	var row account.Row
	var err error
	if r.unsaved {
		err = r.outbox.UpdateAccount(r.spans.write, r.account, func(kept *account.Row) {
			*kept = r.merge(*kept, now)
			row = *kept
		})
	} else {
		row, err = r.outbox.Account(r.spans.write, r.account)
	}
	if r.storage.failed(err, now) {
		return false
	}
	if r.unsaved {
		r.unsaved, r.shifted, r.stale, r.savedAt = false, false, false, now
		r.storage.fine()
	}
	r.reread = false
	r.adopt(row, now)
	return true
}

// merge puts the run's changes into the row as it is now. A pause by others
// stays until it ends by itself, and an address changed meanwhile is not the one
// that was proven.
func (r *rowCopy) merge(row account.Row, now time.Time) account.Row {
	if row.Pause.Reason == account.PausedUser {
		row.Pause = row.Pause.Timely(now)
	}
	if row.BaseURL == r.record.BaseURL {
		row.Proven, row.OfflineAt = row.Proven || r.record.Proven, r.record.OfflineAt
	}
	if r.shifted && (row.Pause.Reason == "" || row.Pause.Probes()) {
		row.Pause = r.record.Pause
	}
	row.LastDelivered = later(row.LastDelivered, r.record.LastDelivered)
	return row
}

// delivered notes the time of a delivery. To spare the disk it is saved when
// nothing is left to do, and every few seconds in a long run.
func (r *rowCopy) delivered(at time.Time) {
	r.record.LastDelivered, r.stale = at, true
	if at.Sub(r.savedAt) >= savePause {
		r.unsaved = true
	}
}

// adopt takes the row over. The times of the probes are the run's own; a
// pause that others ended is followed by a probe before the first entry.
func (r *run) adopt(row account.Row, now time.Time) {
	old, first := r.record, !r.loaded
	r.record, r.loaded = row, true
	r.record.LastDelivered = later(row.LastDelivered, old.LastDelivered)
	switch {
	case first:
		r.prove(r.service != nil && r.service.Proven())
	case row.Pause.Reason == old.Pause.Reason && row.Pause.Reason != account.PausedUser:
		r.record.Pause = old.Pause
	case row.Pause.Reason == "":
		r.gate.ask(now)
	}
	if row.BaseURL == old.BaseURL {
		r.record.OfflineAt = old.OfflineAt
	} else if waits, err := r.outbox.PendingAfter(r.spans.claim, r.account, 0); err == nil && !waits {
		r.offline(time.Time{}) // nobody has asked since, so nobody knows
	}
	if r.record.Pause.Probes() {
		r.record.Pause = r.record.Pause.Timely(now)
	}
}

// offline notes since when the account is offline; zero is that it is not.
func (r *rowCopy) offline(since time.Time) {
	if r.record.OfflineAt.IsZero() != since.IsZero() {
		r.record.OfflineAt, r.unsaved = since, true
	}
}

// prove notes that the address has answered as the service does.
func (r *rowCopy) prove(proven bool) {
	if proven && !r.record.Proven {
		r.record.Proven, r.unsaved = true, true
	}
}

// pause stops the account until a probe is answered well. Pausing it again
// is how a failed probe is noted.
func (r *run) pause(reason string, v tracker.Verdict, now time.Time) {
	if r.record.Pause.Reason != "" && !r.record.Pause.Probes() {
		return // the user's own pause says enough
	}
	r.recall()
	r.postpone(r.record.Pause.Refuse(reason, v.Problem, v.Hint, now), now)
}

// postpone plans the next probe of a paused account.
func (r *rowCopy) postpone(p account.Pause, now time.Time) {
	r.record.Pause = p.Postpone(now, r.asked)
	r.asked, r.shifted, r.unsaved = false, true, true
}

// resume ends a pause and lets one request pass.
func (r *run) resume() {
	if r.record.Pause.Probes() {
		r.record.Pause = account.Pause{}
		r.shifted, r.unsaved = true, true
	}
	r.asked, r.stirred = false, true
	r.gate.open()
	if !r.gate.troubled() {
		r.offline(time.Time{})
	}
}

// takeService takes the service that was given last.
func (r *run) takeService() {
	r.mu.Lock()
	r.service = r.Loop.service
	r.mu.Unlock()
	r.generation++
}

// onUse changes to another service and has it probed at once.
func (r *run) onUse(now time.Time) {
	if r.probing != nil {
		r.probing()
		r.probing, r.again = nil, false
	}
	r.takeService()
	r.recall()
	r.stirred, r.reread = true, true
	r.endReadBack()
	r.endAsking(now)
	r.leave(time.Time{})
	if r.service == nil {
		return
	}
	r.prove(r.loaded && r.service.Proven())
	r.record.Pause.ProbeStep = 0
	r.hasten(now)
	r.gate.ask(now)
}

// onWake tries everything again that waits.
func (r *run) onWake(now time.Time) {
	r.stirred, r.reread, r.readBacks.stale = true, true, true
	r.storage.hurry(now)
	r.asker.hurry(now)
	if r.probing != nil {
		r.again = true
		return
	}
	r.retry(now)
}

// retry has an account that waits for the service probed at once.
func (r *run) retry(now time.Time) {
	r.hasten(now)
	if r.gate.closed {
		r.gate.ask(now)
	}
}

// hasten has a paused account probed at once.
func (r *rowCopy) hasten(now time.Time) {
	if r.record.Pause.Probes() {
		r.asked = true
		r.record.Pause.ProbeAt = now
	}
}

// onChange looks for work. An offline account is tried again when the work
// is new; that rows of its own were put off again is no reason.
func (r *run) onChange(now time.Time) {
	r.stirred = true
	r.storage.hurry(now)
	r.asker.stir(now)
	if !r.gate.closed || r.standing() {
		return
	}
	if fresh, err := r.outbox.PendingAfter(r.spans.claim, r.account, r.newest); err == nil && fresh {
		r.seeNewest()
		r.gate.hurry(now)
	}
}

// seeNewest takes note of what there is: work after it is new. When it cannot
// be read, what was known is enough.
func (r *run) seeNewest() {
	if id, err := r.outbox.Newest(r.spans.claim); err == nil {
		r.newest = id
	}
}

// assess puts the run's state into words for a person. The first thing that
// keeps entries back and needs the user comes first.
func (r *run) assess() Health {
	p := r.record.Pause
	h := Health{State: account.OK, Pause: p.Reason, PausedUntil: p.Until, Drops: p.Drops}
	switch {
	case r.storage.failing():
		h.State, h.Reason = account.Attention, r.storage.problem
		h.Hint = "free space on the disk that holds the state folder"
		h.NextTry = r.storage.retryAt
	case !r.loaded:
		return r.Health()
	case p.Reason != "" && (r.service != nil || !p.Probes()):
		h.State, h.Reason, h.Hint, h.Since, h.NextTry = p.State(), p.Problem, p.Hint, p.Since, r.probeAt()
	case r.service == nil:
		h.State, h.Reason, h.Hint = account.NoKey, "there is no key for this account yet", "filmspool login"
	case r.gate.troubled() || time.Now().Before(r.gate.hold):
		if r.gate.failures > 0 || !r.gate.closed { // else it is only being asked
			r.offline(time.Now())
		}
		h.State, h.Reason, h.Hint, h.Since = account.Offline, r.problem, r.hint, r.record.OfflineAt
		h.NextTry, h.Throttled = r.alarm(time.Now()), r.throttled
	}
	return h
}
