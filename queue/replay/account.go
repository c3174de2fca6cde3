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

// KeyOtherUser is the problem code of an account if its key belongs to another user.
const KeyOtherUser = "keyAnothers"

// readRow reads the account's row for this turn, and ends a user's pause that has expired.
func (r *run) readRow(now time.Time) error {
	row, err := r.options.Outbox.Account(r.saveCtx, r.options.Account)
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

// editRow changes the account's row in memory, and on disk with the next flush. The edit
// is skipped on disk if the account has another address by then.
func (r *run) editRow(edit func(*account.Row)) {
	base := r.row.BaseURL
	edit(&r.row)
	r.unsavedEdits = append(r.unsavedEdits, func(a *account.Row) {
		if a.BaseURL == base {
			edit(a)
		}
	})
}

// recordProven stores that the address was recognized as the tracking service.
func (r *run) recordProven(proven bool) {
	if proven && !r.row.Proven {
		r.editRow(func(a *account.Row) { a.Proven = true })
	}
}

// setOfflineSince stores when the account went offline; zero means that it is online.
func (r *run) setOfflineSince(since time.Time) {
	if r.row.OfflineAt.IsZero() != since.IsZero() {
		r.editRow(func(a *account.Row) { a.OfflineAt = since })
	}
}

// pauseAccount pauses the account until a probe succeeds. Each failed probe prolongs the
// pause. A pause set by the user is kept.
func (r *run) pauseAccount(v tracker.Verdict, now time.Time) {
	reason := account.PausedKey
	if v.Outcome == tracker.Unproven {
		reason = account.PausedAddress
	}
	requested := r.probeRequested
	r.probeRequested = false
	r.editRow(func(a *account.Row) {
		if a.Pause.Reason == "" || a.Pause.EndsByProbe() {
			a.Pause = a.Pause.Refuse(reason, v.Problem, v.Hint, now).PlanProbe(now, requested)
		}
	})
}

// probeAt returns when the service is probed next; zero for never.
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

// probe checks with a request that records nothing whether the service accepts entries
// now, and updates the account's state.
func (r *run) probe() {
	v := r.checkService()
	now := time.Now()
	if r.stopping() {
		return
	}
	r.recordProven(v.ProvesAddress || r.service.Proven())
	switch v.Outcome {
	case tracker.Delivered, tracker.Rejected: // end a pause because of key or address
		if r.row.Pause.EndsByProbe() {
			r.editRow(func(a *account.Row) {
				if a.Pause.EndsByProbe() {
					a.Pause = account.Pause{}
				}
			})
		}
		r.probeRequested = false
		if r.outage.active = false; len(r.outage.failedEntries) == 0 { // otherwise a successful probe does not mean that entries succeed
			r.outage.retry.failures = 0
			r.setOfflineSince(time.Time{})
		}
	case tracker.Refused, tracker.Unproven:
		r.pauseAccount(v, now)
	default:
		r.applyRetryAfter(v, now)
		if !r.row.Pause.EndsByProbe() {
			r.recordProblem(v)
			r.outage.retry.recordFailure(now)
			return
		}
		// If the service was not reached, or the user requested the probe, the wait does not grow.
		sameWait := r.probeRequested || v.Outcome == tracker.Offline
		r.probeRequested = false
		r.editRow(func(a *account.Row) {
			if a.Pause.EndsByProbe() {
				a.Pause = a.Pause.PlanProbe(now, sameWait)
			}
		})
	}
}

// checkService checks that the key belongs to the account's owner and that the service
// accepts requests.
func (r *run) checkService() tracker.Verdict {
	if !r.ownerKnown {
		if v := r.checkKeyOwner(); v.Outcome != tracker.Delivered || r.keyUserID != "" {
			return v
		}
	}
	return r.service.Probe(r.ctx)
}

// checkKeyOwner asks the service once per key which user it belongs to, if the service
// has /me: all waiting entries were watched by one person. Any verdict but
// [tracker.Delivered] says why no entry may be sent now.
func (r *run) checkKeyOwner() tracker.Verdict {
	good := tracker.Verdict{Outcome: tracker.Delivered}
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
			Outcome: tracker.Refused, Problem: viewing.Say(KeyOtherUser, "user", name, "owner", owner), Hint: viewing.Say("hint.personsKey"),
		}
	case row.Owner != owner:
		r.editRow(func(a *account.Row) { a.ClaimOwner(user.ID) })
	}
	r.ownerKnown = true
	return good
}

// recordVerdict updates the account's state after a request for an entry.
func (r *run) recordVerdict(entry int64, v tracker.Verdict, now time.Time) {
	if errors.Is(context.Cause(r.ctx), errServiceReplaced) {
		return
	}
	r.recordProven(v.ProvesAddress)
	switch v.Outcome {
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
		if v.Outcome == tracker.InDoubt || v.Status == http.StatusTooManyRequests || v.Status >= http.StatusInternalServerError {
			known := r.outage.failedEntries[entry]
			r.outage.failedEntries[entry] = true
			if !known && len(r.outage.failedEntries) >= maxFailedEntries {
				r.beginOutage(v, now)
			}
		}
	}
}

// beginOutage blocks all requests but probes until one succeeds.
func (r *run) beginOutage(v tracker.Verdict, now time.Time) {
	if !r.outage.active {
		r.outage.active = true
		r.outage.retry.recordFailure(now)
		r.recordProblem(v)
	}
}

// recordFailedCheck updates the account's state after a failed request that had to
// succeed before the entry could be sent. It is repeated after the back-off.
func (r *run) recordFailedCheck(entry int64, v tracker.Verdict) {
	now := time.Now()
	r.recordVerdict(entry, v, now)
	if r.row.Pause.Reason == "" && v.RetryAfter == 0 {
		r.beginOutage(v, now)
	}
}

// recordProblem stores the verdict that explains to the user why entries wait.
func (r *run) recordProblem(v tracker.Verdict) {
	r.setOfflineSince(time.Now())
	r.outage.lastVerdict = v
	if newest, err := r.options.Outbox.Newest(r.saveCtx); err == nil {
		r.newestEntry = newest
	}
}

// applyRetryAfter blocks requests for the time the service asked for. The account counts
// as offline until the next successful response.
func (r *run) applyRetryAfter(v tracker.Verdict, now time.Time) {
	if v.Outcome == tracker.Later && v.RetryAfter > 0 {
		r.recordProblem(v)
		r.outage.waitUntil = later(r.outage.waitUntil, now.Add(v.RetryAfter))
		r.outage.retry.failures = max(r.outage.retry.failures, 1)
	}
}

// The optional endpoints, as stored in [account.Row].
const (
	supportMe          = "me"
	supportHistory     = "history"
	supportLists       = "lists"
	supportResolve     = "resolve"
	supportResolveMany = "resolve_batch"
)

// SupportListItems is the name in [account.Row] for support of list items.
const SupportListItems = "list_items"

// mayUse reports whether an optional endpoint should be requested: it is not known to be
// missing, or the last check is long ago.
func (r *run) mayUse(name string) bool { return r.row.Support.MayUse(name, time.Now()) }

// recordSupport stores what the result of a request says about an optional endpoint, and
// reports whether the endpoint is missing.
func (r *run) recordSupport(name string, err error) (missing bool) {
	missing, changed := classifySupport(r.row.Support, name, err)
	if changed {
		now := time.Now()
		r.editRow(func(a *account.Row) { a.Support = a.Support.WithEndpoint(name, !missing, now) })
	}
	return missing
}

// classifySupport reports whether the result of a request shows that the endpoint is missing,
// and whether it changes what was known. A 5xx response other than 501 changes nothing.
func classifySupport(known account.Support, name string, err error) (missing, changed bool) {
	missing = errors.Is(err, tracker.ErrNoEndpoint)
	outOfOrder := statusOf(err) >= http.StatusInternalServerError && statusOf(err) != http.StatusNotImplemented
	return missing, (err == nil || missing) && (missing || !known[name].Has) && !outOfOrder
}

// statusOf returns the HTTP status of an error response; 0 without a response.
func statusOf(err error) int {
	v, _ := tracker.VerdictOf(err)
	return v.Status
}
