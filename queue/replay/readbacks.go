package replay

import (
	"context"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// beginReadBack begins a read-back of the service's records when one is due. It is
// called only while entries may be sent.
func (r *run) beginReadBack(now time.Time) {
	if r.doubts == nil || r.readBacks.cancel != nil || r.storage.failing() {
		return
	}
	if r.readBacks.stale && !now.Before(r.readBacks.again) {
		r.planReadBack(now)
	}
	if !r.readBacks.due.IsZero() && !now.Before(r.readBacks.due) {
		r.startReadBack(now)
	}
}

// readBackAt is when the next read-back is due; zero when none is, or while entries
// may not be sent.
func (r *run) readBackAt(now time.Time) time.Time {
	if r.doubts == nil || r.readBacks.cancel != nil || r.storage.failing() || !r.mayClaim(now) {
		return time.Time{}
	}
	if r.readBacks.stale {
		return later(r.readBacks.again, now)
	}
	return r.readBacks.due
}

// planReadBack finds out when the next read-back is due.
func (r *run) planReadBack(now time.Time) {
	_, some, err := r.doubts.NextReadBack(r.spans.claim, r.account)
	var all []queue.Doubt
	if err == nil && some {
		all, err = r.doubts.Doubts(r.spans.claim, r.account)
	}
	if r.stopping() {
		return
	}
	if r.storage.failed(err, now) {
		// Other reads may work meanwhile and end the storage's own wait.
		r.readBacks.again, r.readBacks.due = r.storage.retryAt, time.Time{}
		return
	}
	r.readBacks.stale, r.readBacks.due = false, time.Time{}
	if len(all) == 0 {
		r.readBacks.watch.Forget()
		r.departures.clear()
	}
	for _, d := range all {
		at, _ := r.dueOf(d, now)
		r.readBacks.due = earliest(r.readBacks.due, at)
	}
}

// dueOf is when an entry is to be read back, as [doubt.Watch.Due] says.
func (r *run) dueOf(d queue.Doubt, now time.Time) (due time.Time, early bool) {
	return r.readBacks.watch.Due(r.policy, d.Entry.ID, caseOf(d), r.shows(d.Entry.Kind), r.departures.count(), now)
}

// shows reports whether the service may have an endpoint that proves early that
// such an entry has arrived. A list proves nothing then: one that is still
// under way may look the same.
func (r *run) shows(kind viewing.Kind) bool {
	w := ways{account: r.record}
	_, readable := r.service.(Reader)
	viewed := kind == viewing.KindViewing
	return readable && (viewed && w.may(supportHistory) || (viewed || kind == viewing.KindWatchlist) && w.may(supportStatus))
}

// startReadBack reads back in a goroutine of its own; one at a time.
func (r *run) startReadBack(now time.Time) {
	reader, _ := r.service.(Reader)
	ctx, cancel := context.WithCancel(r.spans.claim)
	r.readBacks.cancel = cancel
	r.probes++
	l := readBack{
		Loop: r.Loop, write: r.spans.write, departures: &r.departures, service: r.service, reader: reader, plan: map[int64]planned{},
	}
	var err error
	l.all, err = r.doubts.Doubts(ctx, r.account)
	for _, d := range l.all {
		at, early := r.dueOf(d, now)
		l.plan[d.Entry.ID] = planned{
			due: !at.IsZero() && !now.Before(at), early: early, departed: r.readBacks.watch.Departed(d.Entry.ID),
		}
	}
	generation := r.generation
	r.flights.Go(func() {
		defer cancel()
		verdict := tracker.Verdict{Fate: tracker.Delivered}
		if err == nil {
			verdict, err = l.do(ctx)
		}
		at := time.Now()
		r.post(func() {
			r.probes--
			r.readBacks.watch.Looked(now, at)
			r.readBackEnded(verdict, err, generation, at, l.plan)
		})
	})
}

// readBackEnded takes note of one that ended. Where the service could not be asked,
// the early read-back is still to come.
func (r *run) readBackEnded(v tracker.Verdict, err error, generation int, at time.Time, plan map[int64]planned) {
	r.readBacks.cancel, r.readBacks.stale, r.stirred, r.reread = nil, true, true, true
	if r.stopping() || err != nil && r.storage.failed(err, at) || generation != r.generation {
		return
	}
	if v.Fate == tracker.Delivered || v.Fate == tracker.Rejected {
		for id, p := range plan {
			if p.early {
				r.readBacks.watch.Glanced(id)
			}
		}
		return
	}
	r.heard(0, v, generation, at)
	if r.mayClaim(at) { // whatever it was, the next one waits for a while
		r.gate.shut(at)
		r.trouble(v)
	}
}

// endReadBack breaks a read-back off: the service has changed.
func (r *run) endReadBack() {
	if r.readBacks.cancel != nil {
		r.readBacks.cancel()
	}
	r.readBacks.stale = true
}
