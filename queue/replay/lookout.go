package replay

import (
	"context"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// lookBack begins a look at the service's records when one is due. It is
// called only while entries may be sent.
func (r *run) lookBack(now time.Time) {
	if r.doubts == nil || r.lookout.looking != nil || r.storage.failing() {
		return
	}
	if r.lookout.stale && !now.Before(r.lookout.again) {
		r.planLook(now)
	}
	if !r.lookout.due.IsZero() && !now.Before(r.lookout.due) {
		r.startLook(now)
	}
}

// lookAt is when the next look is due; zero when none is, or while entries
// may not be sent.
func (r *run) lookAt(now time.Time) time.Time {
	if r.doubts == nil || r.lookout.looking != nil || r.storage.failing() || !r.mayClaim(now) {
		return time.Time{}
	}
	if r.lookout.stale {
		return later(r.lookout.again, now)
	}
	return r.lookout.due
}

// planLook finds out when the next look is due.
func (r *run) planLook(now time.Time) {
	_, some, err := r.doubts.NextLook(r.spans.claim, r.account)
	var all []queue.Doubt
	if err == nil && some {
		all, err = r.doubts.Doubts(r.spans.claim, r.account)
	}
	if r.stopping() {
		return
	}
	if r.storage.failed(err, now) {
		// Other reads may work meanwhile and end the storage's own wait.
		r.lookout.again, r.lookout.due = r.storage.retryAt, time.Time{}
		return
	}
	r.lookout.stale, r.lookout.due = false, time.Time{}
	if len(all) == 0 {
		r.lookout.watch.Forget()
		r.departures.clear()
	}
	for _, d := range all {
		at, _ := r.dueOf(d, now)
		r.lookout.due = earliest(r.lookout.due, at)
	}
}

// dueOf is when an entry is to be looked for, as [doubt.Watch.Due] says.
func (r *run) dueOf(d queue.Doubt, now time.Time) (due time.Time, early bool) {
	return r.lookout.watch.Due(r.policy, d.Entry.ID, caseOf(d), r.shows(d.Entry.Kind), r.departures.count(), now)
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

// startLook looks in a goroutine of its own; one at a time.
func (r *run) startLook(now time.Time) {
	reader, _ := r.service.(Reader)
	ctx, cancel := context.WithCancel(r.spans.claim)
	r.lookout.looking = cancel
	r.probes++
	l := look{
		Loop: r.Loop, write: r.spans.write, departures: &r.departures, service: r.service, reader: reader, plan: map[int64]planned{},
	}
	var err error
	l.all, err = r.doubts.Doubts(ctx, r.account)
	for _, d := range l.all {
		at, early := r.dueOf(d, now)
		l.plan[d.Entry.ID] = planned{
			due: !at.IsZero() && !now.Before(at), early: early, departed: r.lookout.watch.Departed(d.Entry.ID),
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
			r.lookout.watch.Looked(now, at)
			r.looked(verdict, err, generation, at, l.plan)
		})
	})
}

// looked takes note of a look that ended. Where the service could not be asked,
// the early look is still to come.
func (r *run) looked(v tracker.Verdict, err error, generation int, at time.Time, plan map[int64]planned) {
	r.lookout.looking, r.lookout.stale, r.look, r.reread = nil, true, true, true
	if r.stopping() || err != nil && r.storage.failed(err, at) || generation != r.generation {
		return
	}
	if v.Fate == tracker.Delivered || v.Fate == tracker.Rejected {
		for id, p := range plan {
			if p.early {
				r.lookout.watch.Glanced(id)
			}
		}
		return
	}
	r.heard(0, v, generation, at)
	if r.mayClaim(at) { // whatever it was, the next look waits for a while
		r.gate.shut(at)
		r.trouble(v)
	}
}

// endLook breaks a look off: the service has changed.
func (r *run) endLook() {
	if r.lookout.looking != nil {
		r.lookout.looking()
	}
	r.lookout.stale = true
}
