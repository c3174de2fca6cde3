package replay

import (
	"errors"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// settlement is what becomes of an entry by the answer to its request, heard
// at the instant at.
func settlement(e queue.Entry, attempt int64, v tracker.Verdict, at time.Time, j jitter) queue.Settlement {
	s := queue.Settlement{Entry: e.ID, Attempt: attempt, State: viewing.StatePending, NextAt: e.NextAt, Answer: answer(v)}
	switch v.Fate {
	case tracker.Delivered:
		s.State, s.NextAt, s.RemoteID = viewing.StateDelivered, time.Time{}, v.ListID
	case tracker.Lacking:
		s.State, s.NextAt, s.Reason = viewing.StateDropped, time.Time{}, v.Problem
	case tracker.Rejected:
		s.State, s.NextAt, s.Reason, s.RaiseRevision = viewing.StateRejected, time.Time{}, v.Problem, true
	case tracker.Offline:
		s.NotSent = true
	case tracker.Refused, tracker.Unproven:
		s.Uncounted = true // the account's trouble: the entry is as it was before
	case tracker.Later:
		s.NextAt = again(e, v, at, j)
	default:
		// It may have arrived. From here only the service's own records, or the
		// user, can say what became of it.
		s.State, s.NextAt, s.Reason = viewing.StateInDoubt, time.Time{}, v.Problem
	}
	return s
}

// again is when an entry that the service put off is due: as the service
// asked, else by the row's own back-off.
func again(e queue.Entry, v tracker.Verdict, at time.Time, j jitter) time.Time {
	if v.RetryAfter > 0 {
		return at.Add(asked(v.RetryAfter))
	}
	return at.Add(j(longest(e.Attempts)))
}

// answer keeps what came back for a person to read.
func answer(v tracker.Verdict) queue.Answer {
	a := queue.Answer{Status: v.Status, Code: v.Code, Text: v.Message}
	if v.Status == 0 {
		a.Error = v.Problem
	}
	return a
}

// withdrawn is the settlement of an entry that was marked but whose request
// never began.
func withdrawn(e queue.Entry, attempt int64) queue.Settlement {
	return queue.Settlement{
		Entry: e.ID, Attempt: attempt, State: viewing.StatePending, NextAt: e.NextAt, NotSent: true,
		Answer: queue.Answer{Error: "not begun: sending stopped"},
	}
}

// unfit is the settlement of an entry of which no request can be made.
func unfit(e queue.Entry, err error) queue.Settlement {
	reason := viewing.ReasonReview
	switch {
	case e.Kind == viewing.KindListItem && e.ListID == "":
		reason = viewing.ReasonNoList
	case errors.Is(err, tracker.ErrUnidentified):
		reason = viewing.ReasonUnresolved
	}
	return queue.Settlement{
		Entry: e.ID, State: viewing.StateHeld, Reason: reason, Answer: queue.Answer{Error: err.Error()},
	}
}
