package replay

import (
	"context"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/viewing"
)

const (
	grace    = 5 * time.Second // for a request under way when the loop stops
	lastWord = 2 * time.Second // after that, for writing down what became of it
	recheck  = time.Hour       // the longest sleep before something planned: a clock may have been set
)

// run is one run of the loop, by one goroutine.
type run struct {
	*Loop
	ctx     context.Context // ends when the loop is to stop
	request context.Context // ends a grace later
	write   context.Context // ends a little after that
	changed <-chan struct{}

	service    Service
	replacedAt int    // Loop.replaced when service was taken
	ownerKnown bool   // the key is the owner's, or nobody can tell
	user       string // whose key it is; "" when unknown

	row         account.Row // as this turn has read it
	wasPaused   bool        // in the last turn
	probeAsked  bool        // somebody wants the paused account probed now
	unwritten   []write     // what could not be written yet, in order
	disk        storage
	line        line
	pace        pace
	pickAt      time.Time // no entry is sent before
	newest      int64     // the newest entry when the line was closed
	lookUpAt    time.Time // when to look for entries to look up; zero for never
	lookUpTries int       // look-ups that failed in a row
	readBackAt  time.Time // when the next read-back is due; zero for never
	watch       doubt.Watch
	histories   map[viewing.MediaType]history
}

// write is something to write to the queue; it may be tried again.
type write func(context.Context) error

// Run sends until ctx ends. A request under way then gets 5 seconds to be
// answered; after that it is cut off and settled by what is known of it. Run
// returns nil once everything that can be written is written, and [ErrRunning]
// when the loop runs already.
func (l *Loop) Run(ctx context.Context) error {
	if !l.running.CompareAndSwap(false, true) {
		return ErrRunning
	}
	defer l.running.Store(false)
	changed, unsubscribe := l.outbox.Subscribe()
	defer unsubscribe()
	request, cut := outlive(ctx, grace)
	defer cut()
	write, shut := outlive(request, lastWord)
	defer shut()
	l.mu.Lock()
	r := &run{
		Loop: l, ctx: ctx, request: request, write: write, changed: changed, service: l.service, replacedAt: l.replaced,
		line: newLine(l.jitter), disk: storage{jitter: l.jitter}, pace: newPace(l.rate, l.backfillRate),
		lookUpAt: time.Now(), readBackAt: time.Now(),
	}
	l.mu.Unlock()
	for ctx.Err() == nil {
		r.sleep(r.turn())
	}
	if err := r.save(); err != nil {
		l.log.Error("not written before the end", "error", err)
	}
	return nil
}

// outlive is a context that ends some time after ctx has ended.
func outlive(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(by):
		case <-later.Done():
		}
		cancel()
	})
	return later, func() { stop(); cancel() }
}

// turn does the first thing that is due, and says when to look again; zero for
// never.
func (r *run) turn() time.Time {
	now := time.Now()
	r.busy.Store(true)
	defer r.busy.Store(false)
	r.receive(now)
	if r.disk.rests(now) {
		return r.disk.retryAt
	}
	if err := r.save(); err != nil {
		return r.disk.failed(err, now)
	}
	if err := r.readRow(now); err != nil {
		return r.disk.failed(err, now)
	}

	// Nothing is asked without a key, nor while the user pauses the account.
	pause := r.row.Pause
	switch {
	case pause.Reason != "" && !pause.Probes():
		return pause.Until
	case r.service == nil:
		return time.Time{}
	}

	// A service that was away, or refused the key, is probed before anything else.
	if at := r.probeAt(now); at.After(now) {
		return at
	} else if !at.IsZero() {
		r.probe()
		return now
	}
	if now.Before(r.line.hold) {
		return r.line.hold
	}

	if !r.readBackAt.IsZero() && !now.Before(r.readBackAt) {
		if err := r.readBack(now); err != nil {
			return r.disk.failed(err, now)
		}
		return now
	}
	if !r.lookUpAt.IsZero() && !now.Before(r.lookUpAt) {
		r.lookUp()
		return now
	}

	if now.Before(r.pickAt) {
		return earliest(r.pickAt, earliest(r.readBackAt, r.lookUpAt))
	}
	e, found, due, err := r.pick(now)
	switch {
	case err != nil:
		return r.disk.failed(err, now)
	case !found:
		r.disk.fine()
		r.line.failures = 0
		return earliest(due, earliest(r.readBackAt, r.lookUpAt))
	}
	if err := r.send(e); err != nil {
		return r.disk.failed(err, now)
	}
	return now
}

// sleep waits until then, or until something changes; zero is without end.
func (r *run) sleep(until time.Time) {
	r.publish(r.assess(time.Now()))
	var alarm <-chan time.Time
	if !until.IsZero() {
		timer := time.NewTimer(min(time.Until(until), recheck))
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case <-r.ctx.Done():
	case <-r.changed:
		r.onChange(time.Now())
	case <-r.bell:
	case <-r.called:
	case <-alarm:
	}
}

// receive takes what [Loop.Use] and [Loop.Wake] have left.
func (r *run) receive(now time.Time) {
	r.mu.Lock()
	service, replaced, woken := r.Loop.service, r.Loop.replaced, r.woken
	r.woken = false
	r.mu.Unlock()
	isNew := replaced != r.replacedAt
	if isNew {
		r.service, r.replacedAt, r.ownerKnown, r.user, r.histories = service, replaced, false, "", nil
		r.leave(time.Time{})
		if r.row.Pause.Probes() {
			r.change(func(a *account.Row) { a.Pause.ProbeStep = 0 })
		}
	}
	if isNew || woken {
		r.disk.hurry(now)
		r.readBackAt, r.lookUpAt, r.lookUpTries = now, now, 0
		r.probeAsked = true
	}
	if isNew || woken && r.line.closed {
		r.line.ask(now)
	}
}

// onChange sees to what is new in the queue. An offline account is probed for a new
// entry; that its own entries were put off again is no reason.
func (r *run) onChange(now time.Time) {
	r.disk.hurry(now)
	if r.lookUpTries == 0 {
		r.lookUpAt = earliest(r.lookUpAt, now.Add(gather))
	}
	if !r.line.closed {
		return
	}
	newest, pending, err := r.outbox.NewSince(r.ctx, r.account, r.newest)
	if err == nil && pending {
		r.newest = newest
		r.line.hurry(now)
	}
}

// pick is the entry to send now, if there is one, or when one will be due. Live
// entries pass those of imports.
func (r *run) pick(now time.Time) (e queue.Entry, found bool, due time.Time, err error) {
	if err := r.step(StepPick); err != nil {
		return e, false, due, err
	}
	for _, lane := range []viewing.Lane{viewing.LaneLive, viewing.LaneBackfill} {
		ready := r.pace.ready(lane, now)
		if !ready.After(now) {
			if e, found, err = r.outbox.Next(r.ctx, r.account, lane); found || err != nil {
				return e, found, due, err
			}
		}
		at, waits, err := r.outbox.NextDue(r.ctx, r.account, lane)
		if err != nil {
			return e, false, due, err
		}
		if at = later(at, ready); waits && !at.After(now) {
			at = now.Add(backoffBase) // it became due between the two questions
		}
		if waits {
			due = earliest(due, at)
		}
	}
	return e, false, due, nil
}

// save writes what could not be written yet.
func (r *run) save() error {
	for len(r.unwritten) > 0 {
		if err := r.unwritten[0](r.write); err != nil {
			return err
		}
		r.unwritten = r.unwritten[1:]
	}
	return nil
}

// stopping reports whether the loop is to end. It asks our own context, not an
// error: the time-out of a request looks just like a stop.
func (r *run) stopping() bool { return r.ctx.Err() != nil }

// replacedMeanwhile reports whether the service of this turn is not the account's
// any more.
func (r *run) replacedMeanwhile() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Loop.replaced != r.replacedAt
}
