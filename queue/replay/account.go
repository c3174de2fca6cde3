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

// KeyAnothers is the code of the problem of an account whose key belongs to somebody else.
const KeyAnothers = "keyAnothers"

// readRow reads the account's row for this turn.
func (r *run) readRow(now time.Time) error {
	row, err := r.o.Outbox.Account(r.write, r.o.Account)
	if err != nil {
		return err
	}
	first := r.row.Name == ""
	r.row = row
	if first && r.service != nil {
		r.prove(r.service.Proven())
	}
	timely := row.Pause.Timely(now)
	if row.Pause.Reason == account.PausedUser && (timely.Reason == "" || !timely.Until.Equal(row.Pause.Until)) {
		r.change(func(a *account.Row) {
			if a.Pause.Reason == account.PausedUser {
				a.Pause = a.Pause.Timely(now)
			}
		})
	}
	r.row.Pause = timely
	return nil
}

// change changes the account's row: for the rest of the turn here, and on disk as
// soon as it can be written. What was learned of one address says nothing of the next.
func (r *run) change(edit func(*account.Row)) {
	base := r.row.BaseURL
	edit(&r.row)
	r.edits = append(r.edits, func(a *account.Row) {
		if a.BaseURL == base {
			edit(a)
		}
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
func (r *run) pause(v tracker.Verdict, now time.Time) {
	reason := account.PausedKey
	if v.Fate == tracker.Unproven {
		reason = account.PausedAddress
	}
	asked := r.probeAsked
	r.probeAsked = false
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
		return later(r.outage.until, now)
	case pause.Probes():
		return later(r.outage.until, pause.ProbeAt)
	case r.outage.on:
		return later(r.outage.until, r.outage.retry.at)
	default:
		return time.Time{}
	}
}

// probe asks the service, with a request that records nothing, whether it would
// take entries now.
func (r *run) probe() {
	v := r.check()
	now := time.Now()
	if r.stopping() {
		return
	}
	r.prove(v.Proves || r.service.Proven())
	switch v.Fate {
	case tracker.Delivered, tracker.Rejected: // a pause by key or address ends, and entries may pass
		if r.row.Pause.Probes() {
			r.change(func(a *account.Row) {
				if a.Pause.Probes() {
					a.Pause = account.Pause{}
				}
			})
		}
		r.probeAsked = false
		if r.outage.on = false; len(r.outage.troubled) == 0 { // else that a probe passes says little
			r.outage.retry.failures = 0
			r.offline(time.Time{})
		}
	case tracker.Refused, tracker.Unproven:
		r.pause(v, now)
	default:
		r.leave(v, now)
		if !r.row.Pause.Probes() {
			r.trouble(v)
			r.outage.retry.failed(now)
			return
		}
		// Without a way to the service nothing was asked, so the wait does not grow.
		asked := r.probeAsked || v.Fate == tracker.Offline
		r.probeAsked = false
		r.change(func(a *account.Row) {
			if a.Pause.Probes() {
				a.Pause = a.Pause.Postpone(now, asked)
			}
		})
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
			Fate: tracker.Refused, Problem: viewing.Say(KeyAnothers, "user", name, "owner", owner), Hint: viewing.Say("hint.personsKey"),
		}
	case row.Owner != owner:
		r.change(func(a *account.Row) { a.Own(user.ID) })
	}
	r.ownerKnown = true
	return good
}

// heard records what the answer to an entry, or to a question for it, says about the
// account.
func (r *run) heard(entry int64, v tracker.Verdict, now time.Time) {
	if errors.Is(context.Cause(r.ctx), errReplaced) {
		return
	}
	r.prove(v.Proves)
	switch v.Fate {
	case tracker.Delivered, tracker.Rejected:
		clear(r.outage.troubled)
		r.outage.retry.failures = 0
		r.offline(time.Time{})
	case tracker.Refused, tracker.Unproven:
		r.pause(v, now)
	case tracker.Offline:
		r.beginOutage(v, now)
	case tracker.Later, tracker.InDoubt:
		r.leave(v, now)
		if v.Fate == tracker.InDoubt || v.Status == http.StatusTooManyRequests || v.Status >= http.StatusInternalServerError {
			known := r.outage.troubled[entry]
			r.outage.troubled[entry] = true
			if !known && len(r.outage.troubled) >= maxTroubled {
				r.beginOutage(v, now)
			}
		}
	}
}

// beginOutage lets nothing but probes pass until the service answers well.
func (r *run) beginOutage(v tracker.Verdict, now time.Time) {
	if !r.outage.on {
		r.outage.on = true
		r.outage.retry.failed(now)
		r.trouble(v)
	}
}

// unanswered records that a question before an entry brought no good answer: whatever
// it was, it is asked again later.
func (r *run) unanswered(entry int64, v tracker.Verdict) {
	now := time.Now()
	r.heard(entry, v, now)
	if r.row.Pause.Reason == "" && v.RetryAfter == 0 {
		r.beginOutage(v, now)
	}
}

// trouble keeps what a person is told while entries are held back.
func (r *run) trouble(v tracker.Verdict) {
	r.offline(time.Now())
	r.outage.last = v
	if newest, err := r.o.Outbox.Newest(r.write); err == nil {
		r.newest = newest
	}
}

// leave has the service left alone as long as it asks for. The trouble lasts until the
// next good answer.
func (r *run) leave(v tracker.Verdict, now time.Time) {
	if v.Fate == tracker.Later && v.RetryAfter > 0 {
		r.trouble(v)
		r.outage.until = later(r.outage.until, now.Add(v.RetryAfter))
		r.outage.retry.failures = max(r.outage.retry.failures, 1)
	}
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
// cannot be used.
func (r *run) learn(name string, err error) (missing bool) {
	missing, news := shows(r.row.Support, name, err)
	if news {
		now := time.Now()
		r.change(func(a *account.Row) { a.Support = a.Support.With(name, !missing, now) })
	}
	return missing
}

// shows reports whether an answer shows that an endpoint is missing, and whether it
// shows anything new. A service that is out of order has shown nothing.
func shows(known account.Support, name string, err error) (missing, news bool) {
	missing = errors.Is(err, tracker.ErrNoEndpoint)
	outOfOrder := statusOf(err) >= http.StatusInternalServerError && statusOf(err) != http.StatusNotImplemented
	return missing, (err == nil || missing) && (missing || !known[name].Has) && !outOfOrder
}

// statusOf is the status of an answer that is an error; 0 without an answer.
func statusOf(err error) int {
	v, _ := tracker.VerdictOf(err)
	return v.Status
}
