package queue

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Answer is what came back for one request, for a person to read.
type Answer struct {
	Status int             // HTTP status; 0 without an answer
	Code   string          // the service's error code
	Text   string          // the service's words
	Error  viewing.Message // why there was none; without a code where there was
}

// Settlement is what becomes of an entry.
type Settlement struct {
	Entry int64
	// Attempt is what [Store.Begin] returned; the entry must be sending. With
	// 0 there was no request, and the entry must be pending, held, in doubt or
	// rejected.
	Attempt int64
	State   viewing.State   // the new state; not sending
	Reason  string          // a reason's code; "" is the code of Why
	Why     viewing.Message // what there is to say about it; without a code for nothing
	NextAt  time.Time       // pending: when it is due again; in doubt: when it is read back; zero for at once
	NotSent bool            // nothing left the machine: the attempt does not count
	// Uncounted is set when the answer was about the account, not the entry: a
	// refused key, a wrong address. The attempt is kept but does not count.
	Uncounted bool
	// RaiseRevision is set after a definite refusal: another request for this
	// entry is another act.
	RaiseRevision bool
	RemoteID      string // the service's id of a list; "" keeps it
	Answer        Answer
}

// Settle records what became of an entry, with the answer. It returns an
// error wrapping [entry.ErrNotFound] or [entry.ErrState] when that cannot be.
func (s *Store) Settle(ctx context.Context, m Settlement) error {
	return s.write(ctx, fmt.Sprintf("settle entry %d", m.Entry), func(t *tx) error { return t.settle(m) })
}

func (t *tx) settle(m Settlement) error {
	e, err := t.entry(m.Entry)
	switch {
	case err != nil:
		return err
	case m.Attempt > 0 && e.State != viewing.StateSending,
		m.Attempt == 0 && !slices.Contains([]viewing.State{viewing.StatePending, viewing.StateHeld, viewing.StateInDoubt, viewing.StateRejected}, e.State):
		return fmt.Errorf("%w: it is %s", entry.ErrState, e.State)
	}
	if m.Attempt > 0 {
		if err := t.endAttempt(m); err != nil {
			return err
		}
	}
	if m.Reason == "" {
		m.Reason = m.Why.Code
	}
	step := entry.Step{Code: "settled", Args: entry.Args{"state": string(m.State)}, Cause: said(m.Why)}
	switch {
	case m.State == viewing.StatePending && e.State == viewing.StateSending:
		step = entry.Step{} // the attempt tells it all
	case m.Why.Code != "":
	case m.Reason != "":
		step.Code, step.Args["reason"] = "settled.reason", m.Reason
	default:
		step.Code = "settled.plain"
	}
	if err := t.settleEntry(&e, m, step); err != nil {
		return err
	}
	switch m.State {
	case viewing.StateInDoubt:
		return t.doubtful(m.Entry, m.NextAt)
	case viewing.StateDelivered:
		_, err = t.Exec("UPDATE accounts SET body = json_set(body, '$.LastDelivered', ?) WHERE name = ?",
			millis(t.now).Format(time.RFC3339Nano), e.Account)
	}
	return err
}

// settleEntry moves the entry. An attempt that does not count is taken back from the
// number that sending raised.
func (t *tx) settleEntry(e *Entry, m Settlement, step entry.Step) error {
	if e.NextAt = (time.Time{}); m.State == viewing.StatePending {
		e.NextAt = millis(t.now)
		if !m.NextAt.IsZero() {
			e.NextAt = m.NextAt
		}
	}
	if (m.NotSent || m.Uncounted) && m.Attempt > 0 {
		e.Attempts--
	}
	if m.RaiseRevision {
		e.Revision++
	}
	e.RemoteID = cmp.Or(m.RemoteID, e.RemoteID)
	return t.transition(e, m.State, m.Reason, step)
}

// endAttempt keeps the answer. Of attempts that never left only the last is
// kept: a night without a network would otherwise leave hundreds.
func (t *tx) endAttempt(m Settlement) error {
	changed, err := t.Affect(`UPDATE attempts SET ended_at = ?, sent = ?, status = ?, code = ?, answer = ?, cause = ?
		WHERE entry = ? AND number = ? AND ended_at IS NULL`,
		t.now, !m.NotSent, m.Answer.Status, m.Answer.Code, m.Answer.Text, asJSON{said(m.Answer.Error)}, m.Entry, m.Attempt)
	if err != nil {
		return err
	}
	if changed == 0 {
		return fmt.Errorf("%w: attempt %d is not under way", entry.ErrState, m.Attempt)
	}
	if !m.NotSent {
		return nil
	}
	_, err = t.Exec("DELETE FROM attempts WHERE entry = ? AND number < ? AND sent = 0", m.Entry, m.Attempt)
	return err
}
