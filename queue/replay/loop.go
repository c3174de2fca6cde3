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
	stopGrace = 5 * time.Second // for a request under way when the loop stops
	maxSleep  = time.Hour       // the longest sleep before something planned: a clock may have been set
)

// run is one run of the loop, by one goroutine.
type run struct {
	*Loop
	ctx        context.Context // ends when the loop is to stop, and when another service is to be used
	requestCtx context.Context // ends a grace after the loop is to stop
	saveCtx    context.Context // never ends: what has begun is written
	changed    <-chan struct{}

	service    *tracker.Client
	ownerKnown bool   // the key is the owner's, or nobody can tell
	keyUserID  string // whose key it is; "" when unknown

	row               account.Row          // as this turn has read it
	probeRequested    bool                 // somebody wants the paused account probed now
	unsavedSettlement *queue.Settlement    // of the last entry, not written yet
	unsavedEdits      []func(*account.Row) // of the account's row, not written yet
	disk              backoff              // after errors of our own disk
	diskError         error
	outage            outage
	pace              pace

	nextSendAt     time.Time              // no entry is sent before
	newestEntry    int64                  // the newest entry when the outage began
	lookUpAt       time.Time              // when to look for entries to look up; zero for never
	lookUpFailures int                    // look-ups that failed in a row
	readBackAt     time.Time              // when the next read-back is due; zero for never
	lastReadBack   time.Time              // when the last one ended
	firstSeen      map[doubtKey]time.Time // when this run first saw each entry in doubt
	histories      map[viewing.MediaType]cachedHistory
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
	defer context.AfterFunc(ctx, func() { time.AfterFunc(stopGrace, cancel) })()
	r := &run{
		Loop: l, requestCtx: request, saveCtx: write, changed: changed,
		disk: backoff{limit: diskCap, jitter: l.jitter}, pace: newPace(l.o.Rate, l.o.BackfillRate),
		outage:   outage{retry: backoff{limit: backoffCap, jitter: l.jitter}, failedEntries: map[int64]bool{}},
		lookUpAt: time.Now(), readBackAt: time.Now(),
	}
	r.switchService(ctx)
	for ctx.Err() == nil {
		if r.ctx.Err() != nil {
			r.switchService(ctx)
			r.outage.waitUntil, r.outage.active = time.Time{}, true // the new one is probed
			r.retryNow(time.Now())
		}
		r.sleep(r.runTurn())
	}
	if err := r.flush(); err != nil {
		l.o.Logger.Error("not written before the end", "error", err)
	}
	return nil
}

// take takes the service that is to be used now.
func (r *run) switchService(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ctx, r.cancelWork = context.WithCancelCause(ctx)
	r.service, r.ownerKnown, r.keyUserID, r.histories = r.Loop.service, false, "", nil
}

// turn does the first thing that is due, and says when to look again; zero for
// never.
func (r *run) runTurn() time.Time {
	now := time.Now()
	if r.disk.failures > 0 && now.Before(r.disk.at) {
		return r.disk.at
	}
	next, err := r.doNextTask(now)
	switch {
	case err != nil && r.stopping(): // it may be for that alone
		return now
	case err != nil:
		r.diskError = err
		r.disk.recordFailure(now)
		return r.disk.at
	}
	return next
}

// work is a turn whose error is one of our own disk.
func (r *run) doNextTask(now time.Time) (again time.Time, err error) {
	if err := r.flush(); err != nil {
		return now, err
	}
	if err := r.readRow(now); err != nil {
		return now, err
	}

	// Nothing is asked without a key, nor while the user pauses the account.
	switch pause := r.row.Pause; {
	case pause.Reason != "" && !pause.EndsByProbe():
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
	case now.Before(r.outage.waitUntil):
		return r.outage.waitUntil, nil
	}

	switch {
	case isDue(r.readBackAt, now):
		return now, r.readBack(now)
	case isDue(r.lookUpAt, now):
		r.lookUp()
		return now, nil
	case now.Before(r.nextSendAt):
		return earliest(r.nextSendAt, earliest(r.readBackAt, r.lookUpAt)), nil
	}
	e, found, at, err := r.nextEntry(now)
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
func isDue(at, now time.Time) bool { return !at.IsZero() && !now.Before(at) }

// sleep waits until then, or until something changes; zero is without end.
func (r *run) sleep(until time.Time) {
	r.publish(r.assessHealth(time.Now()))
	var alarm <-chan time.Time
	if !until.IsZero() {
		timer := time.NewTimer(min(time.Until(until), maxSleep))
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case <-r.ctx.Done():
	case <-r.changed:
		r.handleQueueChange(time.Now())
	case <-r.wakeups:
		r.retryNow(time.Now())
	case <-alarm:
	}
}

// hurry plans everything for now, after [Loop.Wake] and [Loop.Use].
func (r *run) retryNow(now time.Time) {
	r.disk.retrySoon(now)
	r.readBackAt, r.lookUpAt, r.lookUpFailures = now, now, 0
	r.probeRequested = true
	if r.outage.active {
		r.outage.retry.failures, r.outage.retry.at = 0, now
	}
}

// onChange sees to what is new in the queue. An offline account is probed for a new
// entry; that its own entries were put off again is no reason.
func (r *run) handleQueueChange(now time.Time) {
	r.disk.retrySoon(now)
	if r.lookUpFailures == 0 {
		r.lookUpAt = earliest(r.lookUpAt, now.Add(lookUpDelay))
	}
	if !r.outage.active {
		return
	}
	if newest, err := r.o.Outbox.Newest(r.ctx); err == nil && newest > r.newestEntry {
		r.newestEntry = newest
		r.outage.retry.retrySoon(now)
	}
}

// pick is the entry to send now, if there is one, or when one will be due. Live
// entries pass those of imports.
func (r *run) nextEntry(now time.Time) (e queue.Entry, found bool, due time.Time, err error) {
	for _, lane := range []viewing.Lane{viewing.LaneLive, viewing.LaneBackfill} {
		e, at, waits, err := r.o.Outbox.Next(r.ctx, r.o.Account, lane)
		if err != nil {
			return e, false, due, err
		}
		at = later(at, r.pace.readyAt(lane))
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
func (r *run) flush() error {
	if r.unsavedSettlement != nil {
		if err := r.o.Step(StepSettle); err != nil {
			return err
		}
		err := r.o.Outbox.Settle(r.saveCtx, *r.unsavedSettlement)
		switch {
		case isStale(err):
			r.o.Logger.Warn("entry changed while it was sent", "entry", r.unsavedSettlement.Entry, "state", string(r.unsavedSettlement.State), "error", err)
		case err != nil:
			return err
		}
		r.unsavedSettlement = nil
	}
	if len(r.unsavedEdits) == 0 {
		return nil
	}
	if err := r.o.Step(StepSave); err != nil {
		return err
	}
	err := r.o.Outbox.UpdateAccount(r.saveCtx, r.o.Account, func(a *account.Row) {
		for _, edit := range r.unsavedEdits {
			edit(a)
		}
	})
	if err == nil {
		r.unsavedEdits = nil
	}
	return err
}

// stopping reports whether the loop is to end, or to use another service. It asks our own
// context, not an error: the time-out of a request looks just like a stop.
func (r *run) stopping() bool { return r.ctx.Err() != nil }
