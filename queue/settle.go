package queue

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Answer is what came back for one request, for a person to read.
type Answer struct {
	Status int    // HTTP status; 0 without an answer
	Code   string // the service's error code
	Text   string // the service's words
	Error  string // why there was no answer
}

// Settlement is what becomes of an entry.
type Settlement struct {
	Entry int64
	// Attempt is what [Store.Sending] returned; the entry must be sending. With
	// 0 there was no request, and the entry must be pending, held, in doubt or
	// rejected.
	Attempt int64
	State   viewing.State // the new state; not sending
	Reason  string        // one sentence or a reason's name, for a person
	NextAt  time.Time     // pending: when it is due again; in doubt: when it is read back; zero for at once
	NotSent bool          // nothing left the machine: the attempt does not count
	// Uncounted is set when the answer was about the account, not the entry: a
	// refused key, a wrong address. The attempt is kept but does not count.
	Uncounted bool
	// RaiseRevision is set after a definite refusal: another request for this
	// entry is another act.
	RaiseRevision bool
	RemoteID      string // the service's id of a list; "" keeps it
	Answer        Answer
}

// Sending marks a leased entry as being sent, on disk before it returns, and
// numbers the attempt from 1 within the entry. It returns an error wrapping
// [ErrLeaseLost] when the entry has changed, or its lease ran out and another
// one was given.
func (s *Store) Sending(ctx context.Context, e Entry) (attempt int64, err error) {
	err = s.write(ctx, func(t *tx) (err error) {
		attempt, err = t.sending(e)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("mark entry %d as sending: %w", e.ID, err)
	}
	return attempt, nil
}

func (t *tx) sending(e Entry) (int64, error) {
	if e.Lease == 0 {
		return 0, ErrLeaseLost
	}
	now, err := t.entry(e.ID)
	if err != nil {
		return 0, err
	}
	if now.State != viewing.StatePending || now.Lease != e.Lease || now.Revision != e.Revision {
		return 0, ErrLeaseLost
	}
	if err := t.transition(&now, viewing.StateSending, "", entry.Step{}); err != nil {
		return 0, err
	}
	if _, err := t.Exec("UPDATE entries SET attempts = attempts + 1 WHERE id = ?", e.ID); err != nil {
		return 0, err
	}
	var attempt int64
	_, err = t.Find("SELECT coalesce(max(number), 0) + 1 FROM attempts WHERE entry = ?", []any{e.ID}, &attempt)
	if err != nil {
		return 0, err
	}
	_, err = t.Exec(`INSERT INTO attempts (entry, number, at, owner)
		VALUES (?, ?, ?, coalesce((SELECT body ->> '$.Owner' FROM accounts WHERE name = ?), ''))`, e.ID, attempt, t.now, e.Account)
	return attempt, err
}

// Settle records what became of an entry, with the answer. It returns an
// error wrapping [entry.ErrNotFound] or [entry.ErrState] when that cannot be.
func (s *Store) Settle(ctx context.Context, m Settlement) error {
	if !m.State.Valid() || m.State == viewing.StateSending {
		return fmt.Errorf("settle entry %d: %w: %q is not an end", m.Entry, entry.ErrState, m.State)
	}
	err := s.write(ctx, func(t *tx) error { return t.settle(m) })
	if err != nil {
		return fmt.Errorf("settle entry %d: %w", m.Entry, err)
	}
	return nil
}

func (t *tx) settle(m Settlement) error {
	e, err := t.entry(m.Entry)
	switch {
	case err != nil:
		return err
	case !m.allowed(e.State):
		return fmt.Errorf("%w: it is %s", entry.ErrState, e.State)
	}
	if m.Attempt > 0 {
		if err := t.endAttempt(m); err != nil {
			return err
		}
	}
	step := entry.Step{Code: "settled", Args: entry.Args{"state": string(m.State), "text": m.Reason}}
	if m.Reason == "" {
		step = entry.Step{Code: "settled.plain", Args: entry.Args{"state": string(m.State)}}
	}
	if m.State == viewing.StatePending && e.State == viewing.StateSending {
		step = entry.Step{} // the attempt tells it all
	}
	if err := t.settleEntry(&e, m, step); err != nil {
		return err
	}
	if m.State == viewing.StateInDoubt {
		return t.doubtful(m.Entry, m.NextAt)
	}
	return nil
}

// allowed reports whether the settlement may follow on the state was.
func (m Settlement) allowed(was viewing.State) bool {
	if m.Attempt > 0 {
		return was == viewing.StateSending
	}
	return slices.Contains([]viewing.State{viewing.StatePending, viewing.StateHeld, viewing.StateInDoubt, viewing.StateRejected}, was)
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
	if err := t.transition(e, m.State, m.Reason, step); err != nil {
		return err
	}
	back := (m.NotSent || m.Uncounted) && m.Attempt > 0
	_, err := t.Exec(`UPDATE entries SET attempts = attempts - ?, revision = revision + ?, remote_id = coalesce(nullif(?, ''), remote_id) WHERE id = ?`,
		back, m.RaiseRevision, m.RemoteID, m.Entry)
	return err
}

// endAttempt keeps the answer. Of attempts that never left only the last is
// kept: a night without a network would otherwise leave hundreds.
func (t *tx) endAttempt(m Settlement) error {
	changed, err := t.Affect(`UPDATE attempts SET ended_at = ?, sent = ?, status = ?, code = ?, answer = ?, error = ?
		WHERE entry = ? AND number = ? AND ended_at IS NULL`,
		t.now, !m.NotSent, m.Answer.Status, m.Answer.Code, m.Answer.Text, m.Answer.Error, m.Entry, m.Attempt)
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
