package replay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// send makes one attempt to send an entry: it runs the checks, marks the entry as sending
// on disk, makes one request and writes the result. Every error it returns is one of the
// local disk.
func (r *run) send(e queue.Entry) error {
	request, err := newRequest(r.options.InstallationID, e)
	if err != nil {
		return r.finishEntry(unsendableSettlement(e, err))
	}
	if done, err := r.precheck(e); done || err != nil {
		return err
	}
	r.pace.recordSend(e.Lane, time.Now())
	if err := r.options.Step(StepMark); err != nil {
		return err
	}
	attempt, err := r.options.Outbox.Begin(r.saveCtx, e)
	switch {
	case isStale(err):
		r.nextSendAt = time.Now().Add(backoffBase) // avoids a busy loop if the entry stays the same
		return nil
	case err != nil:
		return err
	}
	r.disk.failures = 0
	if err := r.options.Step(StepMarked); err != nil || r.stopping() {
		return r.finishEntry(queue.Settlement{
			Entry: e.ID, Attempt: attempt, State: viewing.StatePending, NextAt: e.NextAt, NotSent: true,
			Answer: queue.Answer{Error: viewing.Say("life.notBegun")},
		})
	}

	v := r.service.Send(r.requestCtx, request)
	if e.Kind == viewing.KindListItem {
		v = r.checkItemSupport(v)
	}
	now := time.Now()
	s := newSettlement(e, attempt, v, now, r.jitter)
	if s.State == viewing.StateInDoubt {
		s.NextAt, r.readBackAt = r.policy.FirstReadBack(e.Attempts, now), now
	}
	r.countSend(v)
	r.logVerdict(e, v)
	err = r.finishEntry(s)
	r.recordVerdict(e.ID, v, now)
	return err
}

// finishEntry writes the result of an entry, now or with a later flush.
func (r *run) finishEntry(s queue.Settlement) error {
	r.unsavedSettlement = &s
	return r.flush()
}

// isStale reports whether the entry was changed or removed since it was read. A retry
// would fail again.
func isStale(err error) bool {
	return errors.Is(err, queue.ErrChanged) || errors.Is(err, entry.ErrState) || errors.Is(err, entry.ErrNotFound)
}

// precheck runs the checks before an entry is marked as sending. done reports that the
// entry is not sent in this turn.
func (r *run) precheck(e queue.Entry) (done bool, err error) {
	if !r.ownerKnown {
		if v := r.checkKeyOwner(); v.Outcome != tracker.Delivered {
			r.recordFailedCheck(e.ID, v)
			return true, nil
		}
	}
	if held, err := r.checkSourceNumber(e); held || err != nil {
		return held, err
	}
	switch {
	case e.Attempts > 0:
		return r.checkResend(e)
	case e.Kind == viewing.KindList:
		return false, r.saveKnownLists(e)
	case e.Kind == viewing.KindListItem && !r.mayUse(SupportListItems):
		return true, r.finishEntry(queue.Settlement{Entry: e.ID, State: viewing.StateDropped, Why: viewing.Say("life.takesNoItems")})
	case e.Kind == viewing.KindViewing && (e.Lane == viewing.LaneBackfill || e.Class != "" && e.Class != viewing.ClassLive):
		// It was not seen live: the service may already have it from another program.
		return r.checkHistory(e)
	default:
		return false, nil
	}
}

// numberCheckTimeout limits the check of one entry's TMDB number.
const numberCheckTimeout = 20 * time.Second

// checkSourceNumber checks the source's TMDB number with TMDB, if it is enabled, before the
// entry is first sent, and holds the entry if TMDB contradicts it. An entry is sent
// unchecked if TMDB is not available, or if the user has edited it.
func (r *run) checkSourceNumber(e queue.Entry) (held bool, err error) {
	if r.options.Providers == nil || e.Media == nil || e.Attempts > 0 || e.Touched != entry.Untouched || e.Correction != 0 {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(r.requestCtx, numberCheckTimeout)
	defer cancel()
	why, found := r.options.Providers().Contradiction(ctx, *e.Media)
	if !found {
		return false, nil
	}
	return r.options.Outbox.HoldContradicted(r.saveCtx, e, why)
}

// checkResend returns an entry to doubt if it waited so long for a resend that the
// service may have forgotten its Idempotency-Key.
func (r *run) checkResend(e queue.Entry) (bool, error) {
	d, ok, err := r.options.Outbox.Doubt(r.ctx, e.ID)
	now := time.Now()
	if err != nil || !ok || r.policy.Resends(d.Since, now) {
		return false, err
	}
	r.readBackAt = now
	return true, r.finishEntry(queue.Settlement{Entry: e.ID, State: viewing.StateInDoubt, NextAt: now, Why: viewing.Say("life.keyForgotten")})
}

// saveKnownLists stores which lists the service has, so that reading back can recognize
// the new one. Without them, the user must decide about a list in doubt.
func (r *run) saveKnownLists(e queue.Entry) error {
	if !r.mayUse(supportLists) {
		return nil
	}
	found, complete, err := r.service.Lists(r.ctx)
	if r.recordSupport(supportLists, err); err != nil || !complete {
		return nil
	}
	ids := make([]string, len(found))
	for i, l := range found {
		ids[i] = l.ID
	}
	return r.options.Outbox.SaveLists(r.saveCtx, e.ID, ids)
}

// checkItemSupport derives from the response to a list item whether the service supports
// list items at all. If it accepted some before, only this list is missing. A service that
// refuses the key for this operation only does not support it.
func (r *run) checkItemSupport(v tracker.Verdict) tracker.Verdict {
	if v.Outcome == tracker.Refused && r.service.Probe(r.requestCtx).Outcome == tracker.Delivered {
		v.Outcome, v.Problem, v.Hint = tracker.Unsupported, viewing.Say("life.takesNoItems"), viewing.Message{}
	}
	switch {
	case v.Outcome == tracker.Unsupported && r.row.Support[SupportListItems].Has:
		v.Outcome = tracker.Rejected
		v.Problem = viewing.Say("life.noSuchList", "status", strconv.Itoa(v.Status))
	case v.Outcome == tracker.Unsupported:
		r.recordSupport(SupportListItems, tracker.ErrNoEndpoint)
	case v.Outcome == tracker.Delivered:
		r.recordSupport(SupportListItems, nil)
	}
	return v
}

// newRequest returns the request for an entry.
func newRequest(installation string, e queue.Entry) (tracker.Request, error) {
	r := tracker.Request{
		Kind: e.Kind, WatchedAt: e.WatchedAt.Instant, Priority: e.Priority, NewList: e.List, List: e.ListID,
		IdempotencyKey: idempotencyKey(installation, e), Resend: e.Attempts > 0,
	}
	if e.Media != nil {
		r.Media = *e.Media
	}
	return r, r.Check()
}

// idempotencyKey returns the key of one entry for one account: 64 hexadecimal digits that
// stay the same for every resend, and change after an edit or a definite refusal. The
// hash reveals nothing else to the service.
func idempotencyKey(installation string, e queue.Entry) string {
	parts := []string{
		installation,
		viewing.SourceKind(e.Source), e.EventID, strconv.Itoa(e.Part),
		e.Account, strconv.Itoa(e.Revision),
	}
	hash := sha256.New()
	for _, part := range parts {
		// The length prefix keeps the parts apart.
		fmt.Fprintf(hash, "%d:%s,", len(part), part)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// newSettlement returns the entry's new state after the response to its request.
func newSettlement(e queue.Entry, attempt int64, v tracker.Verdict, now time.Time, j jitter) queue.Settlement {
	s := queue.Settlement{
		Entry: e.ID, Attempt: attempt, State: viewing.StatePending, NextAt: e.NextAt,
		Answer: queue.Answer{Status: v.Status, Code: v.Code, Text: v.Message},
	}
	if v.Status == 0 {
		s.Answer.Error = v.Problem
	}
	end := func(state viewing.State) {
		s.State, s.NextAt, s.Why = state, time.Time{}, v.Problem
	}
	switch v.Outcome {
	case tracker.Delivered:
		end(viewing.StateDelivered)
		s.RemoteID = v.ListID
	case tracker.Unsupported:
		end(viewing.StateDropped)
	case tracker.Rejected:
		end(viewing.StateRejected)
		s.RaiseRevision = true
	case tracker.Offline:
		s.NotSent = true
	case tracker.Refused, tracker.Unproven:
		s.Uncounted = true // a problem of the account: the entry stays unchanged
	case tracker.Later:
		wait := j(doubled(backoffBase, backoffCap, e.Attempts))
		if v.RetryAfter > 0 {
			wait = v.RetryAfter
		}
		s.NextAt = now.Add(wait)
	default:
		// It may have arrived. Only the service's history or the user can decide.
		end(viewing.StateInDoubt)
	}
	return s
}

// unsendableSettlement holds an entry for which no request can be made.
func unsendableSettlement(e queue.Entry, err error) queue.Settlement {
	reason := viewing.ReasonReview
	switch {
	case e.Kind == viewing.KindListItem && e.ListID == "":
		reason = viewing.ReasonNoList
	case errors.Is(err, tracker.ErrUnidentified):
		reason = viewing.ReasonUnresolved
	}
	return queue.Settlement{
		Entry: e.ID, State: viewing.StateHeld, Reason: reason, Answer: queue.Answer{Error: viewing.Say("life.unfit", "detail", err.Error())},
	}
}

// logVerdict logs the results that may need the user's attention as warnings, and all
// results at debug level.
func (r *run) logVerdict(e queue.Entry, v tracker.Verdict) {
	log := r.options.Logger.With("entry", e.ID, "kind", string(e.Kind), "status", v.Status, "code", v.Code)
	switch {
	case v.Outcome == tracker.Rejected:
		log.Warn("entry rejected by the service")
	case v.Outcome == tracker.InDoubt:
		log.Warn("entry may have arrived")
	case v.Outcome == tracker.Delivered && e.Attempts > 0:
		log.Info("entry delivered after earlier attempts", "attempts", e.Attempts+1)
	}
	log.Debug("entry answered", "fate", string(v.Outcome), "item", e.Label(), "problem", v.Problem.Error())
}
