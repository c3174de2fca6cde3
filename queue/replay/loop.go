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
	stopGrace = 5 * time.Second // for a request in progress when the loop stops
	maxSleep  = time.Hour       // then deadlines are compared with the clock again: it may have been set
)

// run is the state of one call of [Loop.Run]. Only its goroutine uses it.
type run struct {
	*Loop
	ctx        context.Context // canceled when the loop stops, and when the service is replaced
	requestCtx context.Context // canceled stopGrace after the loop stops
	saveCtx    context.Context // never canceled: a result is always written
	changed    <-chan struct{}

	service    *tracker.Client
	ownerKnown bool   // the key was checked: it is the account owner's, or the service has no /me
	keyUserID  string // the user the key belongs to; "" when unknown

	row               account.Row          // the account's row, read at the start of each turn
	probeRequested    bool                 // a paused account is probed now, by Wake or SetService
	unsavedSettlement *queue.Settlement    // result of the last entry, not written yet
	unsavedEdits      []func(*account.Row) // changes of the account's row, not written yet
	disk              backoff              // after errors of the local disk
	diskError         error
	outage            outage
	pace              pace

	nextSendAt     time.Time              // no entry is sent before this time
	newestEntry    int64                  // ID of the newest entry when the outage began
	lookUpAt       time.Time              // when identifiers are looked up next; zero for never
	lookUpFailures int                    // failed look-ups in a row
	readBackAt     time.Time              // when the next read-back is due; zero for never
	lastReadBack   time.Time              // when the last read-back ended
	firstSeen      map[doubtKey]time.Time // when this run first saw each entry in doubt
	histories      map[viewing.MediaType]cachedHistory
}

// Run sends entries until ctx is canceled. A request in progress then gets 5 seconds
// for its response; after that it is canceled, and the entry's state is derived from what
// is known. Run returns nil once every result that can be written is written. It must not
// be called concurrently.
func (l *Loop) Run(ctx context.Context) error {
	changed, unsubscribe := l.options.Outbox.Subscribe()
	defer unsubscribe()
	write := context.WithoutCancel(ctx)
	request, cancel := context.WithCancel(write)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(stopGrace, cancel) })()
	r := &run{
		Loop: l, requestCtx: request, saveCtx: write, changed: changed,
		disk: backoff{limit: diskCap, jitter: l.jitter}, pace: newPace(l.options.Rate, l.options.BackfillRate),
		outage:   outage{retry: backoff{limit: backoffCap, jitter: l.jitter}, failedEntries: map[int64]bool{}},
		lookUpAt: time.Now(), readBackAt: time.Now(),
	}
	r.switchService(ctx)
	for ctx.Err() == nil {
		if r.ctx.Err() != nil {
			r.switchService(ctx)
			r.outage.waitUntil, r.outage.active = time.Time{}, true // probe the new service first
			r.retryNow(time.Now())
		}
		r.sleep(r.runTurn())
	}
	if err := r.flush(); err != nil {
		l.options.Logger.Error("not written before the end", "error", err)
	}
	return nil
}

// switchService starts to use the service last set by [Loop.SetService].
func (r *run) switchService(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ctx, r.cancelWork = context.WithCancelCause(ctx)
	r.service, r.ownerKnown, r.keyUserID, r.histories = r.Loop.service, false, "", nil
}

// runTurn performs the first task that is due. It returns the time of the next turn;
// zero means when something changes.
func (r *run) runTurn() time.Time {
	now := time.Now()
	if r.disk.failures > 0 && now.Before(r.disk.at) {
		return r.disk.at
	}
	next, err := r.doNextTask(now)
	switch {
	case err != nil && r.stopping(): // the cancellation may be the only cause
		return now
	case err != nil:
		r.diskError = err
		r.disk.recordFailure(now)
		return r.disk.at
	}
	return next
}

// doNextTask is runTurn without the back-off after disk errors; every error it returns
// is one of the local disk.
func (r *run) doNextTask(now time.Time) (again time.Time, err error) {
	if err := r.flush(); err != nil {
		return now, err
	}
	if err := r.readRow(now); err != nil {
		return now, err
	}

	// No requests without a key, nor while the user pauses the account.
	switch pause := r.row.Pause; {
	case pause.Reason != "" && !pause.EndsByProbe():
		return pause.Until, nil
	case r.service == nil:
		return time.Time{}, nil
	}

	// A service that was offline, or refused the key, is probed before any other request.
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

// isDue reports whether at has come; the zero time never does.
func isDue(at, now time.Time) bool { return !at.IsZero() && !now.Before(at) }

// sleep publishes the account's health and waits until the given time or a change;
// the zero time means only a change.
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

// retryNow makes every task due now, after [Loop.Wake] and [Loop.SetService].
func (r *run) retryNow(now time.Time) {
	r.disk.retrySoon(now)
	r.readBackAt, r.lookUpAt, r.lookUpFailures = now, now, 0
	r.probeRequested = true
	if r.outage.active {
		r.outage.retry.failures, r.outage.retry.at = 0, now
	}
}

// handleQueueChange plans a look-up of new entries, and probes an offline account if
// there is a new entry. Rescheduled entries alone cause no probe.
func (r *run) handleQueueChange(now time.Time) {
	r.disk.retrySoon(now)
	if r.lookUpFailures == 0 {
		r.lookUpAt = earliest(r.lookUpAt, now.Add(lookUpDelay))
	}
	if !r.outage.active {
		return
	}
	if newest, err := r.options.Outbox.Newest(r.ctx); err == nil && newest > r.newestEntry {
		r.newestEntry = newest
		r.outage.retry.retrySoon(now)
	}
}

// nextEntry returns the entry to send now, if there is one, or the time when one will be
// due. Live entries are sent before imported ones.
func (r *run) nextEntry(now time.Time) (e queue.Entry, found bool, due time.Time, err error) {
	for _, lane := range []viewing.Lane{viewing.LaneLive, viewing.LaneBackfill} {
		e, at, waits, err := r.options.Outbox.Next(r.ctx, r.options.Account, lane)
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

// flush writes the unsaved result and account edits. A failed write is repeated before
// any other task; if it never succeeds, the entry is in doubt after the next start.
func (r *run) flush() error {
	if s := r.unsavedSettlement; s != nil {
		if err := r.options.Step(StepSettle); err != nil {
			return err
		}
		err := r.options.Outbox.Settle(r.saveCtx, *s)
		switch {
		case isStale(err):
			r.options.Logger.Warn("entry changed while it was sent", "entry", s.Entry, "state", string(s.State), "error", err)
		case err != nil:
			return err
		}
		r.unsavedSettlement = nil
	}
	if len(r.unsavedEdits) == 0 {
		return nil
	}
	if err := r.options.Step(StepSave); err != nil {
		return err
	}
	err := r.options.Outbox.UpdateAccount(r.saveCtx, r.options.Account, func(a *account.Row) {
		for _, edit := range r.unsavedEdits {
			edit(a)
		}
	})
	if err == nil {
		r.unsavedEdits = nil
	}
	return err
}

// stopping reports whether the loop stops or the service was replaced. It checks the
// context instead of an error, because a request's timeout returns the same error.
func (r *run) stopping() bool { return r.ctx.Err() != nil }
