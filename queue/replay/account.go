package replay

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// The answers that are trouble of the service: this one, and all from the other on.
const (
	statusTooMany     = 429
	statusServerError = 500
)

// readRow reads the account's row for this turn.
func (r *run) readRow(now time.Time) error {
	if err := r.step(StepAccount); err != nil {
		return err
	}
	row, err := r.outbox.Account(r.write, r.account)
	if err != nil {
		return err
	}
	first := r.row.Name == ""
	r.row = row
	if first && r.service != nil {
		r.prove(r.service.Proven())
	}
	timely := row.Pause.Timely(now)
	if row.Pause.Reason == account.PausedUser && !timely.Until.Equal(row.Pause.Until) {
		r.change(func(a *account.Row) {
			if a.Pause.Reason == account.PausedUser {
				a.Pause = a.Pause.Timely(now)
			}
		})
	}
	r.row.Pause = timely
	if r.wasPaused && timely.Reason == "" {
		r.line.ask(now) // somebody, or its time, has ended it
	}
	r.wasPaused = timely.Reason != ""
	return nil
}

// change changes the account's row: for the rest of the turn here, and on disk as
// soon as it can be written. What was learned of one address says nothing of the next.
func (r *run) change(edit func(*account.Row)) {
	base := r.row.BaseURL
	edit(&r.row)
	r.unwritten = append(r.unwritten, func(ctx context.Context) error {
		if err := r.step(StepSave); err != nil {
			return err
		}
		return r.outbox.UpdateAccount(ctx, r.account, func(a *account.Row) {
			if a.BaseURL == base {
				edit(a)
			}
		})
	})
}

// prove records that the address has answered as the service does.
func (r *run) prove(proven bool) {
	if proven && !r.row.Proven {
		r.change(func(a *account.Row) { a.Proven = true })
	}
}

// offline records since when the account is offline; zero is that it is not.
func (r *run) offline(since time.Time) {
	if r.row.OfflineAt.IsZero() != since.IsZero() {
		r.change(func(a *account.Row) { a.OfflineAt = since })
	}
}

// pause stops the account until a probe is answered well. A failed probe pauses it
// again, for longer. The user's own pause stays.
func (r *run) pause(reason string, v tracker.Verdict, now time.Time) {
	asked := r.probeAsked
	r.probeAsked, r.wasPaused = false, true
	r.change(func(a *account.Row) {
		if a.Pause.Reason == "" || a.Pause.Probes() {
			a.Pause = a.Pause.Refuse(reason, v.Problem, v.Hint, now).Postpone(now, asked)
		}
	})
}

// probeAt is when the service is to be probed; zero when it is not.
func (r *run) probeAt(now time.Time) time.Time {
	switch pause := r.row.Pause; {
	case r.service == nil || pause.Reason != "" && !pause.Probes():
		return time.Time{}
	case pause.Probes() && r.probeAsked:
		return later(r.line.hold, now)
	case pause.Probes():
		return later(r.line.hold, pause.ProbeAt)
	case r.line.closed:
		return later(r.line.hold, r.line.retryAt)
	default:
		return time.Time{}
	}
}

// probe asks the service, with a request that records nothing, whether it would
// take entries now.
func (r *run) probe() {
	v := r.check()
	now := time.Now()
	if r.stopping() || r.replacedMeanwhile() {
		return
	}
	r.prove(v.Proves || r.service.Proven())
	switch v.Fate {
	case tracker.Delivered, tracker.Rejected:
		r.resume()
	case tracker.Refused:
		r.pause(account.PausedKey, v, now)
	case tracker.Unproven:
		r.pause(account.PausedAddress, v, now)
	default:
		if v.RetryAfter > 0 {
			r.leave(now.Add(asked(v.RetryAfter)))
		}
		if r.row.Pause.Probes() { // without a way to the service nothing was asked, so the wait does not grow
			asked := r.probeAsked || v.Fate == tracker.Offline
			r.probeAsked = false
			r.change(func(a *account.Row) {
				if a.Pause.Probes() {
					a.Pause = a.Pause.Postpone(now, asked)
				}
			})
			return
		}
		r.trouble(v)
		r.line.failed(now)
	}
}

// resume ends a pause by key or address, and lets entries pass.
func (r *run) resume() {
	if r.row.Pause.Probes() {
		r.change(func(a *account.Row) {
			if a.Pause.Probes() {
				a.Pause = account.Pause{}
			}
		})
	}
	r.probeAsked, r.wasPaused = false, false
	r.line.open()
	if !r.line.down() {
		r.offline(time.Time{})
	}
}

// check asks whether the service takes requests, with the owner's key.
func (r *run) check() tracker.Verdict {
	if !r.ownerKnown {
		if v := r.checkOwner(); v.Fate != tracker.Delivered || r.user != "" {
			return v
		}
	}
	return r.service.Probe(r.ctx)
}

// checkOwner asks whose key it is, once for each key, where the service tells:
// what waits here was watched by one person. The verdict says why nothing may be
// sent now.
func (r *run) checkOwner() tracker.Verdict {
	good := tracker.Verdict{Fate: tracker.Delivered}
	if !r.mayAsk(supportMe) {
		r.ownerKnown = true
		return good
	}
	user, err := r.service.Me(r.ctx)
	if missing := r.learn(supportMe, err); err != nil && !missing {
		v, _ := tracker.VerdictOf(err)
		return v
	}
	r.user = user.ID
	owner := r.row.Owner
	row := r.row
	switch {
	case !row.Own(user.ID):
		name := "user " + user.ID
		if user.Name != "" {
			name = user.Name + " (" + name + ")"
		}
		return tracker.Verdict{
			Fate:    tracker.Refused,
			Problem: viewing.Say(KeyAnothers, "user", name, "owner", owner),
			Hint:    viewing.Say("hint.personsKey"),
		}
	case row.Owner != owner:
		r.change(func(a *account.Row) { a.Own(user.ID) })
	}
	r.ownerKnown = true
	return good
}

// KeyAnothers is the code of the problem of an account whose key belongs to somebody else.
const KeyAnothers = "keyAnothers"

// heard records what the answer to an entry, or to a question for it, says about the
// account.
func (r *run) heard(entry int64, v tracker.Verdict, now time.Time) {
	if r.replacedMeanwhile() {
		return
	}
	r.prove(v.Proves)
	switch v.Fate {
	case tracker.Delivered, tracker.Rejected:
		r.line.good()
		r.offline(time.Time{})
	case tracker.Refused:
		r.pause(account.PausedKey, v, now)
	case tracker.Unproven:
		r.pause(account.PausedAddress, v, now)
	case tracker.Offline:
		r.close(v, r.line.shut(now))
	case tracker.Later, tracker.InDoubt:
		if v.Fate == tracker.Later && v.RetryAfter > 0 {
			r.trouble(v)
			r.leave(now.Add(asked(v.RetryAfter)))
		}
		if v.Fate == tracker.InDoubt || v.Status == statusTooMany || v.Status >= statusServerError {
			r.close(v, r.line.strike(entry, now))
		}
	}
}

// close remembers why the line was closed, and what waited then.
func (r *run) close(v tracker.Verdict, closes bool) {
	if !closes {
		return
	}
	r.trouble(v)
	if newest, _, err := r.outbox.NewSince(r.write, r.account, r.newest); err == nil {
		r.newest = newest
	}
}

// trouble keeps what a person is told while entries are held back.
func (r *run) trouble(v tracker.Verdict) {
	r.offline(time.Now())
	r.line.problem, r.line.hint, r.line.waits = v.Problem, v.Hint, v.Fate == tracker.Later
}

// leave has the service left alone until then, also by [Loop.Ask]; the zero time
// ends that. The trouble lasts until the next good answer.
func (r *run) leave(until time.Time) {
	if until.IsZero() {
		r.line.hold = until
	} else {
		r.line.hold = later(r.line.hold, until)
		r.line.failures = max(r.line.failures, 1)
	}
	r.mu.Lock()
	r.quiet = r.line.hold
	r.mu.Unlock()
}

// The optional endpoints, as kept in [account.Row].
const (
	supportMe          = "me"
	supportHistory     = "history"
	supportLists       = "lists"
	supportResolve     = "resolve"
	supportResolveMany = "resolve_batch"
)

// SupportItems says in [account.Row] whether the service puts items on lists.
const SupportItems = "list_items"

// mayAsk reports whether an endpoint is worth asking.
func (r *run) mayAsk(name string) bool { return r.row.Support.May(name, time.Now()) }

// learn records what a question to an endpoint has shown, and reports whether it
// cannot be used. A service that is out of order has shown nothing.
func (r *run) learn(name string, err error) (missing bool) {
	missing = errors.Is(err, tracker.ErrNoEndpoint)
	if says(r.row.Support, name, err) {
		now := time.Now()
		r.change(func(a *account.Row) { a.Support = a.Support.With(name, !missing, now) })
	}
	return missing
}

// says reports whether err tells anything new about an endpoint.
func says(known account.Support, name string, err error) bool {
	missing := errors.Is(err, tracker.ErrNoEndpoint)
	outOfOrder := statusOf(err) >= statusServerError && statusOf(err) != http.StatusNotImplemented
	return (err == nil || missing) && (missing || !known[name].Has) && !outOfOrder
}

// statusOf is the status of an answer that is an error; 0 without an answer.
func statusOf(err error) int {
	v, _ := tracker.VerdictOf(err)
	return v.Status
}
