package replay

import (
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/tracker"
)

// syncAccount brings the account's row and what the run knows of it together.
// It is false when the outbox failed.
func (r *run) syncAccount() bool {
	if !r.reread && !r.unsaved {
		return true
	}
	now := time.Now()
	var row queue.Account
	var err error
	if r.unsaved {
		err = r.outbox.UpdateAccount(r.spans.write, r.account, func(kept *queue.Account) {
			*kept = r.merge(*kept)
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
// stays, and an address changed meanwhile is not the one that was proven.
func (r *run) merge(row queue.Account) queue.Account {
	if row.BaseURL == r.record.BaseURL {
		row.Proven = row.Proven || r.record.Proven
	}
	if r.shifted && (row.Paused == "" || ours(row.Paused)) {
		setPause(&row, r.record)
	}
	row.LastDelivered = later(row.LastDelivered, r.record.LastDelivered)
	return row
}

// delivered notes the time of a delivery. To spare the disk it is saved when
// nothing is left to do, and every few seconds in a long run.
func (r *run) delivered(at time.Time) {
	r.record.LastDelivered, r.stale = at, true
	if at.Sub(r.savedAt) >= savePause {
		r.unsaved = true
	}
}

// adopt takes the row over. The times of the probes are the run's own; a
// pause that others ended is followed by a probe before the first entry.
func (r *run) adopt(row queue.Account, now time.Time) {
	old, first := r.record, !r.loaded
	r.record, r.loaded = row, true
	r.record.LastDelivered = later(row.LastDelivered, old.LastDelivered)
	switch {
	case first:
		r.prove(r.service != nil && r.service.Proven())
	case row.Paused == old.Paused:
		setPause(&r.record, old)
	case row.Paused == "":
		r.gate.ask(now)
	}
	// Further ahead than is ever planned it was put by a clock that was wrong.
	if at := r.record.ProbeAt; ours(row.Paused) && (at.IsZero() || at.Sub(now) > probeCap) {
		r.record.ProbeAt = now
	}
}

// setPause copies all that belongs to a pause.
func setPause(to *queue.Account, from queue.Account) {
	to.Paused, to.Problem, to.Hint = from.Paused, from.Problem, from.Hint
	to.PausedSince, to.ProbeAt, to.ProbeStep = from.PausedSince, from.ProbeAt, from.ProbeStep
}

// ours reports whether a pause is one that a probe can end.
func ours(paused string) bool { return paused == PausedKey || paused == PausedAddress }

// prove notes that the address has answered as the service does.
func (r *run) prove(proven bool) {
	if proven && !r.record.Proven {
		r.record.Proven, r.unsaved = true, true
	}
}

// pause stops the account until a probe is answered well. Pausing it again
// is how a failed probe is noted.
func (r *run) pause(reason string, v tracker.Verdict, now time.Time) {
	if r.record.Paused != "" && !ours(r.record.Paused) {
		return // the user's own pause says enough
	}
	if r.record.Paused == "" {
		r.record.PausedSince, r.record.ProbeStep = now, -1
	}
	r.recall()
	r.record.Paused, r.record.Problem, r.record.Hint = reason, v.Problem, v.Hint
	r.postpone(now)
}

// postpone plans the next probe of a paused account: each one that came by
// itself doubles the wait, one that was asked for does not.
func (r *run) postpone(now time.Time) {
	if !r.asked {
		r.record.ProbeStep = min(r.record.ProbeStep+1, lastProbeStep())
	}
	r.asked, r.shifted, r.unsaved = false, true, true
	r.record.ProbeAt = now.Add(probeDelay(r.record.ProbeStep))
}

// resume ends a pause and lets one request pass.
func (r *run) resume() {
	if ours(r.record.Paused) {
		setPause(&r.record, queue.Account{})
		r.shifted, r.unsaved = true, true
	}
	r.asked, r.look = false, true
	r.gate.open()
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
	r.look, r.reread = true, true
	r.endLook()
	r.endAsking(now)
	r.gate.hold = time.Time{}
	if r.service == nil {
		return
	}
	r.prove(r.loaded && r.service.Proven())
	r.record.ProbeStep = 0
	r.hasten(now)
	r.gate.ask(now)
}

// onWake tries everything again that waits.
func (r *run) onWake(now time.Time) {
	r.look, r.reread, r.lookout.stale = true, true, true
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
func (r *run) hasten(now time.Time) {
	if ours(r.record.Paused) {
		r.asked = true
		r.record.ProbeAt = now
	}
}

// onChange looks for work. An offline account is tried again when the work
// is new; that rows of its own were put off again is no reason.
func (r *run) onChange(now time.Time) {
	r.look = true
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
