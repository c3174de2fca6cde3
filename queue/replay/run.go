package replay

import (
	"context"
	"time"
)

// Run sends until ctx ends. Requests under way then get 5 seconds to be
// answered; after that they are cut off and settled by what is known of them.
// It returns nil once everything that can be written is written, and
// [ErrRunning] when the loop runs already.
func (l *Loop) Run(ctx context.Context) error {
	if !l.running.CompareAndSwap(false, true) {
		return ErrRunning
	}
	defer l.running.Store(false)
	changed, unsubscribe := l.outbox.Subscribe()
	defer unsubscribe()
	s, ended := stopwatch(ctx)
	defer ended()
	r := &run{
		Loop: l, crew: crew{spans: s, acts: make(chan func())}, stock: stock{stirred: true}, changed: changed, rowCopy: rowCopy{reread: true},
		gate: newGate(l.most, l.jitter), pace: pace{all: limiter(l.rate), backfill: limiter(l.backfillRate)}, storage: storage{jitter: l.jitter},
		readBacks: newReadBacks(), asker: asker{at: time.Now()},
	}
	r.takeService()
	for ctx.Err() == nil {
		r.step(time.Now())
		r.publish(r.assess())
		r.rest()
	}
	r.finish()
	return nil
}

// step does all that can be done now.
func (r *run) step(now time.Time) {
	if r.storage.rests(now) || !r.syncAccount() {
		return
	}
	if at := r.probeAt(); !at.IsZero() && !now.Before(at) {
		r.probe()
	}
	if !r.mayClaim(now) {
		r.release()
		return
	}
	r.beginReadBack(now)
	r.askWhat(now)
	r.fill(now)
	r.syncAccount()
}

// fill begins as many entries as may be under way.
func (r *run) fill(now time.Time) {
	for r.room(now) > 0 {
		e, ok := r.next(now)
		if !ok {
			return
		}
		r.pace.take(e.Lane, now)
		r.launch(e)
	}
}

// rest waits until there is a reason to look again.
func (r *run) rest() {
	var alarm <-chan time.Time
	now := time.Now()
	if at := earliest(r.alarm(now), earliest(r.readBackAt(now), r.askAt(now))); !at.IsZero() {
		timer := time.NewTimer(time.Until(at))
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case <-r.spans.claim.Done():
	case <-r.changed:
		r.onChange(time.Now())
	case <-r.woken:
		r.onWake(time.Now())
	case <-r.used:
		r.onUse(time.Now())
	case act := <-r.acts:
		act()
	case <-r.called:
	case <-alarm:
		r.stirred = true
	}
}

// finish waits for what is under way and writes the last words.
func (r *run) finish() {
	r.release()
	for r.flying > 0 || r.probes > 0 {
		(<-r.acts)()
	}
	r.flights.Wait()
	r.release()
	if r.unsaved = r.unsaved || r.stale; r.unsaved {
		r.syncAccount()
	}
}
