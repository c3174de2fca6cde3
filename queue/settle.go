package queue

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
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
	changed, err := t.Affect(`UPDATE entries SET state = 'sending', reason = '', attempts = attempts + 1,
			lease = 0, lease_until = 0
		WHERE id = ? AND state = 'pending' AND lease = ? AND revision = ?`, e.ID, e.Lease, e.Revision)
	if err != nil {
		return 0, err
	}
	if changed == 0 {
		return 0, ErrLeaseLost
	}
	t.pass(e.ID, viewing.StatePending, viewing.StateSending)
	var attempt int64
	_, err = t.Find("SELECT coalesce(max(number), 0) + 1 FROM attempts WHERE entry = ?", []any{e.ID}, &attempt)
	if err != nil {
		return 0, err
	}
	_, err = t.Exec(`INSERT INTO attempts (entry, number, at, owner)
		VALUES (?, ?, ?, coalesce((SELECT owner FROM accounts WHERE name = ?), ''))`, e.ID, attempt, t.now, e.Account)
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
	var was viewing.State
	found, err := t.Find("SELECT state FROM entries WHERE id = ?", []any{m.Entry}, &was)
	switch {
	case err != nil:
		return err
	case !found:
		return entry.ErrNotFound
	case !m.allowed(was):
		return fmt.Errorf("%w: it is %s", entry.ErrState, was)
	}
	if m.Attempt > 0 {
		if err := t.endAttempt(m); err != nil {
			return err
		}
	}
	if err := t.settleEntry(m); err != nil {
		return err
	}
	if m.State == viewing.StateInDoubt {
		if err := t.doubtful(m.Entry, m.NextAt); err != nil {
			return err
		}
	}
	t.pass(m.Entry, was, m.State)
	if m.State == viewing.StatePending && was == viewing.StateSending {
		return nil // the attempt tells it all
	}
	return t.step(m.Entry, "settled", m.sentence())
}

// allowed reports whether the settlement may follow on the state was.
func (m Settlement) allowed(was viewing.State) bool {
	if m.Attempt > 0 {
		return was == viewing.StateSending
	}
	return slices.Contains([]viewing.State{viewing.StatePending, viewing.StateHeld, viewing.StateInDoubt, viewing.StateRejected}, was)
}

// sentence tells a person where the entry stands now.
func (m Settlement) sentence() string {
	name := m.State.Words()
	sentence := strings.ToUpper(name[:1]) + name[1:]
	if m.Reason == "" {
		return sentence + "."
	}
	return sentence + ": " + m.Reason
}

// settleEntry moves the entry's row. An attempt that does not count is taken
// back from the number that sending raised.
func (t *tx) settleEntry(m Settlement) error {
	next, back := t.now, (m.NotSent || m.Uncounted) && m.Attempt > 0
	if m.State == viewing.StatePending && !m.NextAt.IsZero() {
		next = m.NextAt.UnixMilli()
	}
	_, err := t.Exec(`UPDATE entries SET state = ?, reason = ?, attempts = attempts - ?, revision = revision + ?,
			next_at = ?, settled_at = ?, remote_id = coalesce(nullif(?, ''), remote_id), lease = 0, lease_until = 0
		WHERE id = ?`,
		string(m.State), m.Reason, back, m.RaiseRevision, next, sql.NullInt64{Int64: t.now, Valid: m.State.Finished()}, m.RemoteID, m.Entry)
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
