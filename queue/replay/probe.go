package replay

import (
	"context"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/tracker"
)

// probeAt is when the account is to be probed; zero when it is not, or is
// being probed now.
func (r *run) probeAt() time.Time {
	switch {
	case r.service == nil || r.probing != nil || !r.loaded:
		return time.Time{}
	case r.record.Pause.Probes():
		return later(r.record.Pause.ProbeAt, r.gate.hold)
	case r.record.Pause.Reason != "" || !r.gate.closed:
		return time.Time{}
	default:
		return r.gate.probeAt()
	}
}

// probe asks the service, with a request that records nothing, whether it
// would take entries now.
func (r *run) probe() {
	ctx, cancel := context.WithCancel(r.spans.claim)
	r.probing = cancel
	r.probes++
	r.seeNewest()
	service, generation := r.service, r.generation
	r.flights.Go(func() {
		defer cancel()
		verdict := service.Probe(ctx)
		at := time.Now()
		r.post(func() {
			r.probes--
			r.probed(verdict, generation, at)
		})
	})
}

// probed takes note of a probe's answer.
func (r *run) probed(v tracker.Verdict, generation int, at time.Time) {
	if generation != r.generation || r.stopping() {
		return
	}
	r.probing = nil
	r.prove(v.Proves)
	switch v.Fate {
	case tracker.Delivered, tracker.Rejected:
		r.resume()
	case tracker.Refused:
		r.pause(account.PausedKey, v, at)
	case tracker.Unproven:
		r.pause(account.PausedAddress, v, at)
	default:
		r.unanswered(v, at)
	}
	if r.again {
		r.again = false
		r.retry(at)
	}
}

// unanswered takes note of a probe that found out nothing about key and
// address.
func (r *run) unanswered(v tracker.Verdict, at time.Time) {
	if v.RetryAfter > 0 {
		r.leave(at.Add(asked(v.RetryAfter)))
	}
	if r.record.Pause.Probes() {
		// Without a way to the service nothing was asked, so the wait does not grow.
		r.asked = r.asked || v.Fate == tracker.Offline
		r.postpone(r.record.Pause, at)
		return
	}
	r.trouble(v)
	r.gate.failed(at)
}

// leave has the service left alone until then, also by [Loop.Ask]; the zero time
// ends that.
func (r *run) leave(until time.Time) {
	if until.IsZero() {
		r.gate.hold = until
	} else {
		r.gate.wait(until)
	}
	r.mu.Lock()
	r.quiet = r.gate.hold
	r.mu.Unlock()
}

// heard takes note of what the answer to an entry says about the account.
func (r *run) heard(entry int64, v tracker.Verdict, generation int, at time.Time) {
	r.storage.fine()
	switch v.Fate {
	case tracker.Delivered:
		r.delivered(at)
	case tracker.InDoubt:
		r.doubted(entry)
	}
	if generation != r.generation {
		return
	}
	r.prove(v.Proves)
	switch v.Fate {
	case tracker.Delivered, tracker.Rejected:
		r.gate.good()
		r.offline(time.Time{})
	case tracker.Refused:
		r.pause(account.PausedKey, v, at)
	case tracker.Unproven:
		r.pause(account.PausedAddress, v, at)
	case tracker.Offline:
		r.close(v, func() { r.gate.shut(at) })
	case tracker.Later, tracker.InDoubt:
		r.strained(entry, v, at)
	}
}

// strained takes note of an answer that may be the entry's trouble alone or
// the beginning of the service's.
func (r *run) strained(entry int64, v tracker.Verdict, at time.Time) {
	if v.Fate == tracker.Later && v.RetryAfter > 0 {
		r.trouble(v)
		r.recall()
		r.leave(at.Add(asked(v.RetryAfter)))
	}
	if v.Fate == tracker.InDoubt || v.Status == statusTooMany || v.Status >= statusServerError {
		r.close(v, func() { r.gate.strike(entry, at) })
	}
}

// The answers that halve the gate: this one, and all from the other on.
const (
	statusTooMany     = 429
	statusServerError = 500
)

// close does what may close the gate, and remembers why and what waited.
func (r *run) close(v tracker.Verdict, act func()) {
	was := r.gate.closed
	act()
	if !was && r.gate.closed {
		r.recall()
		r.trouble(v)
		r.seeNewest()
	}
}

// trouble keeps what a person is told while the gate holds entries back.
func (r *run) trouble(v tracker.Verdict) {
	r.problem, r.hint, r.throttled = v.Problem, v.Hint, v.Fate == tracker.Later
}
