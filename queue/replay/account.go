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
	row, err := r.o.Outbox.Account(r.saveCtx, r.o.Account)
	if err != nil {
		return err
	}
	first := r.row.Name == ""
	r.row = row
	if first && r.service != nil {
		r.recordProven(r.service.Proven())
	}
	timely := row.Pause.At(now)
	if row.Pause.Reason == account.PausedUser && (timely.Reason == "" || !timely.Until.Equal(row.Pause.Until)) {
		r.editRow(func(a *account.Row) {
			if a.Pause.Reason == account.PausedUser {
				a.Pause = a.Pause.At(now)
			}
		})
	}
	r.row.Pause = timely
	return nil
}

// change changes the account's row: for the rest of the turn here, and on disk as
// soon as it can be written. What was learned of one address says nothing of the next.
func (r *run) editRow(edit func(*account.Row)) {
	base := r.row.BaseURL
	edit(&r.row)
	r.unsavedEdits = append(r.unsavedEdits, func(a *account.Row) {
		if a.BaseURL == base {
			edit(a)
		}
	})
}

// prove records that the address has answered as the service does.
func (r *run) recordProven(proven bool) {
	if proven && !r.row.Proven {
		r.editRow(func(a *account.Row) { a.Proven = true })
	}
}

// offline records since when the account is offline; zero is that it is not.
func (r *run) setOfflineSince(since time.Time) {
	if r.row.OfflineAt.IsZero() != since.IsZero() {
		r.editRow(func(a *account.Row) { a.OfflineAt = since })
	}
}

// pause stops the account until a probe is answered well. A failed probe pauses it
// again, for longer. The user's own pause stays.
func (r *run) pauseAccount(v tracker.Verdict, now time.Time) {
	reason := account.PausedKey
	if v.Fate == tracker.Unproven {
		reason = account.PausedAddress
	}
	asked := r.probeRequested
	r.probeRequested = false
	r.editRow(func(a *account.Row) {
		if a.Pause.Reason == "" || a.Pause.EndsByProbe() {
			a.Pause = a.Pause.Refuse(reason, v.Problem, v.Hint, now).PlanProbe(now, asked)
		}
	})
}

// probeAt is when the service is to be probed; zero when it is not.
func (r *run) probeAt(now time.Time) time.Time {
	switch pause := r.row.Pause; {
	case r.service == nil || pause.Reason != "" && !pause.EndsByProbe():
		return time.Time{}
	case pause.EndsByProbe() && r.probeRequested:
		return later(r.outage.waitUntil, now)
	case pause.EndsByProbe():
		return later(r.outage.waitUntil, pause.ProbeAt)
	case r.outage.active:
		return later(r.outage.waitUntil, r.outage.retry.at)
	default:
		return time.Time{}
	}
}

// probe asks the service, with a request that records nothing, whether it would
// take entries now.
func (r *run) probe() {
	v := r.checkService()
	now := time.Now()
	if r.stopping() {
		return
	}
	r.recordProven(v.Proves || r.service.Proven())
	switch v.Fate {
	case tracker.Delivered, tracker.Rejected: // a pause by key or address ends, and entries may pass
		if r.row.Pause.EndsByProbe() {
			r.editRow(func(a *account.Row) {
				if a.Pause.EndsByProbe() {
					a.Pause = account.Pause{}
				}
			})
		}
		r.probeRequested = false
		if r.outage.active = false; len(r.outage.failedEntries) == 0 { // else that a probe passes says little
			r.outage.retry.failures = 0
			r.setOfflineSince(time.Time{})
		}
	case tracker.Refused, tracker.Unproven:
		r.pauseAccount(v, now)
	default:
		r.applyRetryAfter(v, now)
		if !r.row.Pause.EndsByProbe() {
			r.recordTrouble(v)
			r.outage.retry.recordFailure(now)
			return
		}
		// Without a way to the service nothing was asked, so the wait does not grow.
		asked := r.probeRequested || v.Fate == tracker.Offline
		r.probeRequested = false
		r.editRow(func(a *account.Row) {
			if a.Pause.EndsByProbe() {
				a.Pause = a.Pause.PlanProbe(now, asked)
			}
		})
	}
}

// check asks whether the service takes requests, with the owner's key.
func (r *run) checkService() tracker.Verdict {
	if !r.ownerKnown {
		if v := r.checkKeyOwner(); v.Fate != tracker.Delivered || r.keyUserID != "" {
			return v
		}
	}
	return r.service.Probe(r.ctx)
}

// checkOwner asks whose key it is, once for each key, where the service tells:
// what waits here was watched by one person. The verdict says why nothing may be
// sent now.
func (r *run) checkKeyOwner() tracker.Verdict {
	good := tracker.Verdict{Fate: tracker.Delivered}
	if !r.mayUse(supportMe) {
		r.ownerKnown = true
		return good
	}
	user, err := r.service.Me(r.ctx)
	if missing := r.recordSupport(supportMe, err); err != nil && !missing {
		v, _ := tracker.VerdictOf(err)
		return v
	}
	r.keyUserID = user.ID
	owner := r.row.Owner
	row := r.row
	switch {
	case !row.ClaimOwner(user.ID):
		name := "user " + user.ID
		if user.Name != "" {
			name = user.Name + " (" + name + ")"
		}
		return tracker.Verdict{
			Fate: tracker.Refused, Problem: viewing.Say(KeyAnothers, "user", name, "owner", owner), Hint: viewing.Say("hint.personsKey"),
		}
	case row.Owner != owner:
		r.editRow(func(a *account.Row) { a.ClaimOwner(user.ID) })
	}
	r.ownerKnown = true
	return good
}

// heard records what the answer to an entry, or to a question for it, says about the
// account.
func (r *run) recordVerdict(entry int64, v tracker.Verdict, now time.Time) {
	if errors.Is(context.Cause(r.ctx), errServiceReplaced) {
		return
	}
	r.recordProven(v.Proves)
	switch v.Fate {
	case tracker.Delivered, tracker.Rejected:
		clear(r.outage.failedEntries)
		r.outage.retry.failures = 0
		r.setOfflineSince(time.Time{})
	case tracker.Refused, tracker.Unproven:
		r.pauseAccount(v, now)
	case tracker.Offline:
		r.beginOutage(v, now)
	case tracker.Later, tracker.InDoubt:
		r.applyRetryAfter(v, now)
		if v.Fate == tracker.InDoubt || v.Status == http.StatusTooManyRequests || v.Status >= http.StatusInternalServerError {
			known := r.outage.failedEntries[entry]
			r.outage.failedEntries[entry] = true
			if !known && len(r.outage.failedEntries) >= maxFailedEntries {
				r.beginOutage(v, now)
			}
		}
	}
}

// beginOutage lets nothing but probes pass until the service answers well.
func (r *run) beginOutage(v tracker.Verdict, now time.Time) {
	if !r.outage.active {
		r.outage.active = true
		r.outage.retry.recordFailure(now)
		r.recordTrouble(v)
	}
}

// unanswered records that a question before an entry brought no good answer: whatever
// it was, it is asked again later.
func (r *run) recordFailedCheck(entry int64, v tracker.Verdict) {
	now := time.Now()
	r.recordVerdict(entry, v, now)
	if r.row.Pause.Reason == "" && v.RetryAfter == 0 {
		r.beginOutage(v, now)
	}
}

// trouble keeps what a person is told while entries are held back.
func (r *run) recordTrouble(v tracker.Verdict) {
	r.setOfflineSince(time.Now())
	r.outage.lastVerdict = v
	if newest, err := r.o.Outbox.Newest(r.saveCtx); err == nil {
		r.newestEntry = newest
	}
}

// leave has the service left alone as long as it asks for. The trouble lasts until the
// next good answer.
func (r *run) applyRetryAfter(v tracker.Verdict, now time.Time) {
	if v.Fate == tracker.Later && v.RetryAfter > 0 {
		r.recordTrouble(v)
		r.outage.waitUntil = later(r.outage.waitUntil, now.Add(v.RetryAfter))
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
func (r *run) mayUse(name string) bool { return r.row.Support.MayUse(name, time.Now()) }

// learn records what a question to an endpoint has shown, and reports whether it
// cannot be used.
func (r *run) recordSupport(name string, err error) (missing bool) {
	missing, news := classifySupport(r.row.Support, name, err)
	if news {
		now := time.Now()
		r.editRow(func(a *account.Row) { a.Support = a.Support.WithEndpoint(name, !missing, now) })
	}
	return missing
}

// shows reports whether an answer shows that an endpoint is missing, and whether it
// shows anything new. A service that is out of order has shown nothing.
func classifySupport(known account.Support, name string, err error) (missing, news bool) {
	missing = errors.Is(err, tracker.ErrNoEndpoint)
	outOfOrder := statusOf(err) >= http.StatusInternalServerError && statusOf(err) != http.StatusNotImplemented
	return missing, (err == nil || missing) && (missing || !known[name].Has) && !outOfOrder
}

// statusOf is the status of an answer that is an error; 0 without an answer.
func statusOf(err error) int {
	v, _ := tracker.VerdictOf(err)
	return v.Status
}
