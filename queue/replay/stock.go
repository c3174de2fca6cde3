package replay

import (
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/viewing"
)

const (
	leaseTime = 2 * time.Minute // longer than the few requests before an entry take
	recheck   = time.Hour       // what is planned is looked at again: the queue's clock may have been set back
)

// next is an entry to begin. It leases a few more than may start, to spare
// the disk; those left over go back when sending stops.
func (r *run) next(now time.Time) (queue.Entry, bool) {
	if len(r.leased) == 0 && !r.lease(now) {
		return queue.Entry{}, false
	}
	e := r.leased[0]
	r.leased = r.leased[1:]
	return e, true
}

// lease fills the stock; false when nothing is due.
func (r *run) lease(now time.Time) bool {
	if !r.stirred {
		return false
	}
	entries, err := r.restock(now)
	if r.stopping() || r.storage.failed(err, now) {
		return false
	}
	r.leased = entries
	if len(entries) == 0 {
		r.idle(now)
	}
	return len(entries) > 0
}

// idle takes note that nothing is due, and of when something will be.
func (r *run) idle(now time.Time) {
	due, err := r.nextDue(now)
	if r.stopping() || r.storage.failed(err, now) {
		return
	}
	r.stirred, r.due = false, due
	if !due.IsZero() && !due.After(now) {
		r.due = now.Add(backoffBase) // it became due between the two questions
	}
	if r.flying == 0 {
		r.storage.fine()
		r.gate.failures = 0
		r.unsaved = r.unsaved || r.stale && (due.IsZero() || due.Sub(now) > savePause)
	}
}

// release gives back what was leased and not begun. Should that fail, the
// leases run out.
func (r *run) release() {
	if len(r.leased) == 0 {
		return
	}
	if err := r.outbox.Release(r.spans.write, r.leased); err != nil {
		r.log.Debug("leases not released", "error", err)
	}
	r.leased, r.stirred = nil, true
}

// turn is when the next entry may begin, by its own time and by the pace;
// zero without any.
func (r *run) turn(now time.Time) time.Time {
	if r.stirred || len(r.leased) > 0 {
		return r.pace.ready(now)
	}
	if r.due.IsZero() {
		return r.due
	}
	due := r.due
	if again := now.Add(recheck); due.After(again) {
		due = again
	}
	return later(due, r.pace.ready(now))
}

// restock leases entries to begin: live ones, and imports only when no live one
// is due. Under a limit it takes one by one, so that nothing is in hand that
// something newer and live would have to wait for.
func (r *run) restock(now time.Time) ([]queue.Entry, error) {
	n := 2 * r.gate.width
	if !unlimited(r.pace.all) {
		n = 1
	}
	entries, err := r.outbox.Lease(r.spans.claim, r.account, n, leaseTime, viewing.LaneLive)
	if err != nil || len(entries) > 0 || r.pace.backfillReady(now).After(now) {
		return entries, err
	}
	if !unlimited(r.pace.backfill) {
		n = 1
	}
	return r.outbox.Lease(r.spans.claim, r.account, n, leaseTime, viewing.LaneBackfill)
}

// nextDue is when there will be something to lease; zero when nothing waits.
func (r *run) nextDue(now time.Time) (time.Time, error) {
	var due time.Time
	for _, lane := range []viewing.Lane{viewing.LaneLive, viewing.LaneBackfill} {
		at, ok, err := r.outbox.NextDue(r.spans.claim, r.account, lane)
		if err != nil {
			return due, err
		}
		if lane == viewing.LaneBackfill {
			at = later(at, r.pace.backfillReady(now))
		}
		if ok && (due.IsZero() || at.Before(due)) {
			due = at
		}
	}
	return due, nil
}

// alarm is when to look again without being told to; zero for never.
func (r *run) alarm(now time.Time) time.Time {
	switch {
	case r.storage.rests(now):
		return r.storage.retryAt
	case !r.probeAt().IsZero():
		return r.probeAt()
	case r.record.Pause.Reason == account.PausedUser:
		return r.record.Pause.Until
	case !r.standing() && now.Before(r.gate.hold):
		return r.gate.hold
	case r.mayClaim(now) && r.space(now) > 0:
		return r.turn(now)
	default:
		return time.Time{}
	}
}
