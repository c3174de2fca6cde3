package replay

import (
	"context"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

const (
	grace   = 5 * time.Second // for a request under way when the loop stops
	recheck = time.Hour       // the longest sleep before something planned: a clock may have been set
)

// run is one run of the loop, by one goroutine.
type run struct {
	*Loop
	ctx     context.Context // ends when the loop is to stop, and when another service is to be used
	request context.Context // ends a grace after the loop is to stop
	write   context.Context // never ends: what has begun is written
	changed <-chan struct{}

	service    *tracker.Client
	ownerKnown bool   // the key is the owner's, or nobody can tell
	user       string // whose key it is; "" when unknown

	row        account.Row          // as this turn has read it
	probeAsked bool                 // somebody wants the paused account probed now
	ended      *queue.Settlement    // of the last entry, not written yet
	edits      []func(*account.Row) // of the account's row, not written yet
	disk       backoff              // after errors of our own disk
	diskError  error
	outage     outage
	pace       pace

	pickAt      time.Time              // no entry is sent before
	newest      int64                  // the newest entry when the outage began
	lookUpAt    time.Time              // when to look for entries to look up; zero for never
	lookUpTries int                    // look-ups that failed in a row
	readBackAt  time.Time              // when the next read-back is due; zero for never
	readBackEnd time.Time              // when the last one ended
	seen        map[doubtKey]time.Time // when this run first saw each entry in doubt
	histories   map[viewing.MediaType]history
}

// Run sends until ctx ends. A request under way then gets 5 seconds to be
// answered; after that it is cut off and settled by what is known of it. Run
// returns nil once everything that can be written is written. It runs once at a time.
func (l *Loop) Run(ctx context.Context) error {
	changed, unsubscribe := l.o.Outbox.Subscribe()
	defer unsubscribe()
	write := context.WithoutCancel(ctx)
	request, cancel := context.WithCancel(write)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })()
	r := &run{
		Loop: l, request: request, write: write, changed: changed,
		disk: backoff{limit: diskCap, jitter: l.jitter}, pace: newPace(l.o.Rate, l.o.BackfillRate),
		outage:   outage{retry: backoff{limit: backoffCap, jitter: l.jitter}, troubled: map[int64]bool{}},
		lookUpAt: time.Now(), readBackAt: time.Now(),
	}
	r.take(ctx)
	for ctx.Err() == nil {
		if r.ctx.Err() != nil {
			r.take(ctx)
			r.outage.until, r.outage.on = time.Time{}, true // the new one is probed
			r.hurry(time.Now())
		}
		r.sleep(r.turn())
	}
	if err := r.save(); err != nil {
		l.o.Logger.Error("not written before the end", "error", err)
	}
	return nil
}

// take takes the service that is to be used now.
func (r *run) take(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ctx, r.replace = context.WithCancelCause(ctx)
	r.service, r.ownerKnown, r.user, r.histories = r.Loop.service, false, "", nil
}

// turn does the first thing that is due, and says when to look again; zero for
// never.
func (r *run) turn() time.Time {
	now := time.Now()
	if r.disk.failures > 0 && now.Before(r.disk.at) {
		return r.disk.at
	}
	next, err := r.work(now)
	switch {
	case err != nil && r.stopping(): // it may be for that alone
		return now
	case err != nil:
		r.diskError = err
		r.disk.failed(now)
		return r.disk.at
	}
	return next
}

// work is a turn whose error is one of our own disk.
func (r *run) work(now time.Time) (again time.Time, err error) {
	if err := r.save(); err != nil {
		return now, err
	}
	if err := r.readRow(now); err != nil {
		return now, err
	}

	// Nothing is asked without a key, nor while the user pauses the account.
	switch pause := r.row.Pause; {
	case pause.Reason != "" && !pause.Probes():
		return pause.Until, nil
	case r.service == nil:
		return time.Time{}, nil
	}

	// A service that was away, or refused the key, is probed before anything else.
	switch at := r.probeAt(now); {
	case at.After(now):
		return at, nil
	case !at.IsZero():
		r.probe()
		return now, nil
	case now.Before(r.outage.until):
		return r.outage.until, nil
	}

	switch {
	case due(r.readBackAt, now):
		return now, r.readBack(now)
	case due(r.lookUpAt, now):
		r.lookUp()
		return now, nil
	case now.Before(r.pickAt):
		return earliest(r.pickAt, earliest(r.readBackAt, r.lookUpAt)), nil
	}
	e, found, at, err := r.pick(now)
	switch {
	case err != nil:
		return now, err
	case found:
		return now, r.send(e)
	}
	r.disk.failures, r.outage.retry.failures = 0, 0
	return earliest(at, earliest(r.readBackAt, r.lookUpAt)), nil
}

// due reports whether the time of something planned has come; zero is never.
func due(at, now time.Time) bool { return !at.IsZero() && !now.Before(at) }

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
		r.hurry(time.Now())
	case <-alarm:
	}
}

// hurry plans everything for now, after [Loop.Wake] and [Loop.Use].
func (r *run) hurry(now time.Time) {
	r.disk.hurry(now)
	r.readBackAt, r.lookUpAt, r.lookUpTries = now, now, 0
	r.probeAsked = true
	if r.outage.on {
		r.outage.retry.failures, r.outage.retry.at = 0, now
	}
}

// onChange sees to what is new in the queue. An offline account is probed for a new
// entry; that its own entries were put off again is no reason.
func (r *run) onChange(now time.Time) {
	r.disk.hurry(now)
	if r.lookUpTries == 0 {
		r.lookUpAt = earliest(r.lookUpAt, now.Add(gather))
	}
	if !r.outage.on {
		return
	}
	if newest, err := r.o.Outbox.Newest(r.ctx); err == nil && newest > r.newest {
		r.newest = newest
		r.outage.retry.hurry(now)
	}
}

// pick is the entry to send now, if there is one, or when one will be due. Live
// entries pass those of imports.
func (r *run) pick(now time.Time) (e queue.Entry, found bool, due time.Time, err error) {
	for _, lane := range []viewing.Lane{viewing.LaneLive, viewing.LaneBackfill} {
		e, at, waits, err := r.o.Outbox.Next(r.ctx, r.o.Account, lane)
		if err != nil {
			return e, false, due, err
		}
		at = later(at, r.pace.ready(lane))
		switch {
		case waits && !at.After(now):
			return e, true, due, nil
		case waits:
			due = earliest(due, at)
		}
	}
	return e, false, due, nil
}

// save writes what could not be written yet. An end that cannot be written is tried
// again before anything else; should it never be, the next start finds the entry in
// doubt.
func (r *run) save() error {
	if r.ended != nil {
		if err := r.o.Step(StepSettle); err != nil {
			return err
		}
		err := r.o.Outbox.Settle(r.write, *r.ended)
		switch {
		case gone(err):
			r.o.Logger.Warn("entry changed while it was sent", "entry", r.ended.Entry, "state", string(r.ended.State), "error", err)
		case err != nil:
			return err
		}
		r.ended = nil
	}
	if len(r.edits) == 0 {
		return nil
	}
	if err := r.o.Step(StepSave); err != nil {
		return err
	}
	err := r.o.Outbox.UpdateAccount(r.write, r.o.Account, func(a *account.Row) {
		for _, edit := range r.edits {
			edit(a)
		}
	})
	if err == nil {
		r.edits = nil
	}
	return err
}

// stopping reports whether the loop is to end, or to use another service. It asks our own
// context, not an error: the time-out of a request looks just like a stop.
func (r *run) stopping() bool { return r.ctx.Err() != nil }
