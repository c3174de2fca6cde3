package replay

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/filmspool/filmspool/queue"
)

const (
	leaseTime = 2 * time.Minute  // longer than the few requests before an entry take
	grace     = 5 * time.Second  // for requests under way when the loop stops
	lastWord  = 2 * time.Second  // after that, for their settlements
	savePause = 10 * time.Second // between two savings of nothing but the time of a delivery
	recheck   = time.Hour        // what is planned is looked at again: the queue's clock may have been set back
)

// spans are how long each kind of work may go on: claiming until the loop is
// told to stop, requests for the grace after that, writes a little longer.
type spans struct{ claim, request, write context.Context }

// run is one run of the loop. One goroutine owns all of it and starts a
// goroutine for each request; those hand their news to it as functions.
type run struct {
	*Loop
	rowCopy
	spans   spans
	changed <-chan struct{}
	acts    chan func()
	flights sync.WaitGroup

	service    Service
	generation int // counts the services; news from an earlier one says nothing of this one

	gate    gate
	pace    pace
	problem string // why the gate is closed or holds, for a person
	hint    string

	leased  []queue.Entry // handed out, not begun
	flying  int           // entries begun
	look    bool          // there may be something to lease
	due     time.Time     // the next row that is; zero for none
	newest  int64         // the newest entry when the gate closed
	probing context.CancelFunc
	probes  int
	again   bool         // somebody asked for a probe while one was under way
	epoch   atomic.Int64 // raised to turn back entries that have not left yet
	storage storage
	lookout lookout
	asker   asker
	shelf   shelf

	departures departures
}

// Run sends until ctx ends. Requests under way then get 5 seconds to be
// answered; after that they are cut off and settled by what is known of them.
// It returns nil once everything that can be written is written, and
// [ErrRunning] when the loop runs already.
func (l *Loop) Run(ctx context.Context) error {
	if !l.begin() {
		return ErrRunning
	}
	defer l.end()
	changed, unsubscribe := l.outbox.Subscribe()
	defer unsubscribe()
	s, ended := stopwatch(ctx)
	defer ended()
	r := &run{
		Loop: l, spans: s, changed: changed, acts: make(chan func()),
		gate: newGate(l.most, l.jitter), pace: newPace(l.rate, l.backfillRate), storage: storage{jitter: l.jitter},
		lookout: newLookout(), asker: asker{at: time.Now()}, look: true, rowCopy: rowCopy{reread: true},
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

func (l *Loop) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.running
	l.running = true
	return !was
}

func (l *Loop) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running = false
}

// stopwatch ends requests and writes some time after ctx has ended. The
// function it returns waits for its goroutine.
func stopwatch(ctx context.Context) (spans, func()) {
	request, cut := context.WithCancel(context.WithoutCancel(ctx))
	write, shut := context.WithCancel(context.WithoutCancel(ctx))
	finished := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		defer shut()
		defer cut()
		select {
		case <-finished:
			return
		case <-ctx.Done():
		}
		if !sleep(finished, grace) {
			return
		}
		cut()
		sleep(finished, lastWord)
	})
	return spans{claim: ctx, request: request, write: write}, func() { close(finished); watch.Wait() }
}

// sleep waits for d; it is false when done came first.
func sleep(done <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return false
	case <-timer.C:
		return true
	}
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
	r.lookBack(now)
	r.askWhat(now)
	r.claim(now)
	r.syncAccount()
}

// claim begins as many entries as may be under way.
func (r *run) claim(now time.Time) {
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
	if at := earliest(r.alarm(now), earliest(r.lookAt(now), r.askAt(now))); !at.IsZero() {
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
		r.look = true
	}
}

// alarm is when to look again without being told to; zero for never.
func (r *run) alarm(now time.Time) time.Time {
	switch {
	case r.storage.rests(now):
		return r.storage.retryAt
	case !r.probeAt().IsZero():
		return r.probeAt()
	case !r.standing() && now.Before(r.gate.hold):
		return r.gate.hold
	case r.mayClaim(now) && r.space(now) > 0:
		return r.turn(now)
	default:
		return time.Time{}
	}
}

// turn is when the next entry may begin, by its own time and by the pace;
// zero without any.
func (r *run) turn(now time.Time) time.Time {
	if r.look || len(r.leased) > 0 {
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

// mayClaim reports whether entries may be begun at all now.
func (r *run) mayClaim(now time.Time) bool {
	return !r.standing() && !r.gate.closed && !now.Before(r.gate.hold)
}

// standing reports whether nothing is sent until somebody acts.
func (r *run) standing() bool { return r.service == nil || r.record.Pause.Reason != "" }

// room is how many more entries may be begun now.
func (r *run) room(now time.Time) int {
	if r.pace.ready(now).After(now) {
		return 0
	}
	return r.space(now)
}

// space is how many more entries may be under way. While the outbox fails, it
// is tried with one; an answer that waits to be written down is one.
func (r *run) space(now time.Time) int {
	room := r.gate.room(now, r.flying)
	if r.storage.failing() {
		room = min(room, 1-r.flying)
	}
	return room
}

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
	if !r.look {
		return false
	}
	entries, err := r.stock(now)
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
	r.look, r.due = false, due
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
		r.log.Debug("leases not released", "err", err)
	}
	r.leased, r.look = nil, true
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

// post hands news to the goroutine that owns the run.
func (r *run) post(act func()) { r.acts <- act }

// stopping is a question to our own context, never to an error: a request's
// time-out looks just like a stop.
func (r *run) stopping() bool { return r.spans.claim.Err() != nil }
