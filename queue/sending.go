package queue

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// This file holds what package replay calls to send entries: selecting the next one,
// recording the outcome of a request, and tracking entries in doubt.

// sendable selects the pending entries of account ?1 in lane ?2 that are not blocked: their list
// has arrived, and no older entry about the same item may still be sent or may have arrived.
const sendable = ` FROM entries AS n CROSS JOIN events AS v ON v.id = n.event
	WHERE n.account = ?1 AND n.lane = ?2 AND n.state = 'pending'
	AND (n.after IS NULL OR EXISTS (
		SELECT 1 FROM entries AS list WHERE list.id = n.after AND list.state IN ('delivered', 'merged')))
	AND NOT EXISTS (SELECT 1` + olderEntries + ")"

const (
	selectNext = "SELECT " + entryColumns + sendable + " ORDER BY n.next_at, n.id LIMIT 1"
	// selectPutOffByClock selects an entry whose time was planned when the clock was ahead.
	selectPutOffByClock = "SELECT " + entryColumns + sendable + " AND n.planned_at > ?3 ORDER BY n.next_at, n.id LIMIT 1"
)

// Next returns the entry of an account and lane to send next, and when it is due; ok is false if
// none exists. It is the one that is due first. A list comes before its items, and of two
// entries about one item the older comes first. The time is zero for an entry that was put off
// while the clock was ahead: it is due now.
func (s *Store) Next(ctx context.Context, account string, lane viewing.Lane) (e Entry, at time.Time, ok bool, err error) {
	found, err := read(ctx, s, "find next entry", scanEntry, selectNext, account, int(lane))
	if err != nil || len(found) == 0 {
		return e, at, false, err
	}
	if now := s.now(); found[0].NextAt.After(now) {
		astray, err := read(ctx, s, "find next entry", scanEntry, selectPutOffByClock, account, int(lane), now.UnixMilli())
		if err != nil {
			return e, at, false, err
		}
		if len(astray) > 0 {
			return astray[0], time.Time{}, true, nil
		}
	}
	return found[0], found[0].NextAt, true, nil
}

// Newest returns the id of the newest entry; 0 if none exists.
func (s *Store) Newest(ctx context.Context) (id int64, err error) {
	id, _, err = s.readNumber(ctx, "find newest entry", "SELECT coalesce(max(id), 0) FROM entries")
	return id, err
}

// Begin marks an entry as being sent, on disk before it returns, and returns the number of the
// attempt, counted from 1 for each entry. The error wraps [ErrChanged] if the entry has changed
// since it was read, or if the user has paused its account.
func (s *Store) Begin(ctx context.Context, e Entry) (attempt int64, err error) {
	err = s.write(ctx, fmt.Sprintf("mark entry %d as sending", e.ID), func(t *tx) error {
		now, a := t.entry(e.ID), t.account(e.Account)
		if now.State != viewing.StatePending || now.Revision != e.Revision || now.Account != e.Account || !now.NextAt.Equal(e.NextAt) ||
			a.Pause.At(millis(t.now)).Reason == account.PausedUser {
			return ErrChanged
		}
		now.Attempts++
		t.transition(&now, viewing.StateSending, "", entry.Step{})
		t.find("INSERT INTO attempts (entry, number, at, owner) SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3 FROM attempts WHERE entry = ?1 RETURNING number",
			[]any{e.ID, t.now, a.Owner}, &attempt)
		return nil
	})
	return attempt, err
}

// Answer is the service's response to one request, as it is shown to a person.
type Answer struct {
	Status int             // HTTP status; 0 without an answer
	Code   string          // the service's error code
	Text   string          // the service's message
	Error  viewing.Message // why there was no response; without a code if there was one
}

// Settlement is the outcome of a request, or of a decision without one.
type Settlement struct {
	Entry int64
	// Attempt is the number from [Store.Begin]; the entry must be sending. 0 means
	// that there was no request: the entry must be pending, held, in doubt or
	// rejected.
	Attempt int64
	State   viewing.State   // the new state; never sending
	Reason  string          // the reason's code; "" takes the code of Why
	Why     viewing.Message // the cause; without a code if none exists
	NextAt  time.Time       // pending: when to send it again; in doubt: when to read it back; zero means now
	NotSent bool            // no byte was sent: the attempt does not count
	// Uncounted is set if the answer was about the account and not the entry, such as
	// a refused key or a wrong address. The attempt is stored but does not count.
	Uncounted bool
	// RaiseRevision is set after a definite refusal: the next request for this entry
	// gets a new Idempotency-Key.
	RaiseRevision bool
	RemoteID      string // the service's id of a list; "" keeps the known one
	Answer        Answer
}

// Settle records the outcome of a request with the service's answer. Errors wrap
// [entry.ErrNotFound], or [entry.ErrState] if the entry is in another state.
func (s *Store) Settle(ctx context.Context, m Settlement) error {
	return s.write(ctx, fmt.Sprintf("settle entry %d", m.Entry), func(t *tx) error { return t.recordOutcome(m) })
}

func (t *tx) recordOutcome(m Settlement) error {
	e := t.entry(m.Entry)
	if m.Attempt > 0 && e.State != viewing.StateSending ||
		m.Attempt == 0 && !slices.Contains([]viewing.State{viewing.StatePending, viewing.StateHeld, viewing.StateInDoubt, viewing.StateRejected}, e.State) {
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
	step := entry.Step{Code: "settled", Args: entry.Args{"state": string(m.State)}, Cause: messageOrNil(m.Why)}
	switch {
	case m.State == viewing.StatePending && e.State == viewing.StateSending:
		step = entry.Step{} // the attempt is listed by itself
	case m.Why.Code != "":
	case m.Reason != "":
		step.Code, step.Args["reason"] = "settled.reason", m.Reason
	default:
		step.Code = "settled.plain"
	}
	t.settleEntry(&e, m, step)
	switch m.State {
	case viewing.StateInDoubt:
		t.addDoubt(m.Entry, m.NextAt)
	case viewing.StateDelivered:
		t.exec("UPDATE accounts SET body = json_set(body, '$.LastDelivered', ?) WHERE name = ?", millis(t.now).Format(time.RFC3339Nano), e.Account)
	}
	return nil
}

// settleEntry changes the entry to its new state. An attempt that does not count is subtracted
// again.
func (t *tx) settleEntry(e *Entry, m Settlement, step entry.Step) {
	if e.NextAt = (time.Time{}); m.State == viewing.StatePending {
		e.NextAt = cmp.Or(m.NextAt, millis(t.now))
	}
	if (m.NotSent || m.Uncounted) && m.Attempt > 0 {
		e.Attempts--
	}
	if m.RaiseRevision {
		e.Revision++
	}
	e.RemoteID = cmp.Or(m.RemoteID, e.RemoteID)
	t.transition(e, m.State, m.Reason, step)
}

// endAttempt stores the answer of an attempt. Of the attempts that sent nothing only the last is
// kept: a night without a network would otherwise leave hundreds of rows.
func (t *tx) endAttempt(m Settlement) error {
	changed := t.exec(`UPDATE attempts SET ended_at = ?, sent = ?, status = ?, code = ?, answer = ?, cause = ?
		WHERE entry = ? AND number = ? AND ended_at IS NULL`,
		t.now, !m.NotSent, m.Answer.Status, m.Answer.Code, m.Answer.Text, asJSON{messageOrNil(m.Answer.Error)}, m.Entry, m.Attempt)
	if changed == 0 {
		return fmt.Errorf("%w: attempt %d is not under way", entry.ErrState, m.Attempt)
	}
	if m.NotSent {
		t.exec("DELETE FROM attempts WHERE entry = ? AND number < ? AND sent = 0", m.Entry, m.Attempt)
	}
	return nil
}

// HoldContradicted holds a pending entry because TMDB contradicts the number that its source
// reported; why explains that. It does nothing if the entry has changed since it was read, or if
// a person has decided about it.
func (s *Store) HoldContradicted(ctx context.Context, e Entry, why viewing.Message) (held bool, err error) {
	err = s.write(ctx, fmt.Sprintf("hold entry %d", e.ID), func(t *tx) error {
		now := t.entry(e.ID)
		if held = now.State == viewing.StatePending && now.Revision == e.Revision && now.Touched == entry.Untouched; held {
			t.transition(&now, viewing.StateHeld, viewing.ReasonContradicted, entry.Step{Code: "contradicted", Cause: &why})
		}
		return nil
	})
	return held, err
}

// Doubt is an entry in doubt with what is known about its last request.
type Doubt struct {
	Entry Entry
	Since time.Time // when it was first in doubt; resends with the same Idempotency-Key keep it
	At    time.Time // when the last byte of its last request had been sent, at the latest
	// ReadAt is when to read it back next; zero means never.
	ReadAt    time.Time
	ReadBacks int       // number of read-backs
	Absent    time.Time // start of the first read-back that should have found it and did not; zero for none
	SentAt    time.Time // start of its last request
	Owner     string    // the user id of the key that was used; "" if unknown
	// Before are the ids of the service's lists before this list was created; nil if
	// they were not read.
	Before []string
}

// addDoubt stores the doubt about an entry's last request, to be read back at readAt. If there is
// one already, only its Since time is kept.
func (t *tx) addDoubt(id int64, readAt time.Time) {
	t.exec(`INSERT INTO doubts (entry, account, since, at, look_at, planned_at) SELECT id, account, ?2, ?2, ?3, ?2 FROM entries WHERE id = ?1
		ON CONFLICT (entry) DO UPDATE SET at = excluded.at, look_at = excluded.look_at, planned_at = excluded.planned_at, taken = 0, absent = NULL`,
		id, t.now, max(t.now, readAt.UnixMilli()))
}

// concurrent is how long the service may take to process a request after its last byte.
const concurrent = 30 * time.Second

// recheck schedules a read-back of an entry in doubt as soon as its result is meaningful. It does
// not count toward the limit of read-backs: a person may ask any number of times.
func (t *tx) recheck(e Entry) {
	scheduled := t.exec(`UPDATE doubts SET look_at = max(?2, at + ?3), planned_at = ?2, taken = max(taken - 1, 0)
		WHERE entry = ?1 AND (look_at IS NULL OR look_at > max(?2, at + ?3))`, e.ID, t.now, concurrent.Milliseconds())
	if scheduled > 0 { // otherwise it is due already
		t.transition(&e, e.State, e.Reason, entry.Step{Code: "user.rechecked"})
	}
}

// selectDoubts selects doubts; ?1 is the current time.
const selectDoubts = "SELECT " + entryColumns + `, d.since, d.at, iif(d.planned_at > ?1 AND d.look_at > ?1, ?1, d.look_at), d.taken, d.absent, a.at, a.owner, b.ids
	FROM doubts AS d JOIN entries AS n ON n.id = d.entry JOIN events AS v ON v.id = n.event
	LEFT JOIN attempts AS a ON a.entry = n.id AND a.number = (SELECT max(number) FROM attempts WHERE entry = n.id AND sent = 1)
	LEFT JOIN lists_before AS b ON b.entry = n.id `

// Doubts returns the account's entries in doubt, the oldest first, at most 1,000.
func (s *Store) Doubts(ctx context.Context, account string) ([]Doubt, error) {
	return read(ctx, s, "list doubts", scanDoubt, selectDoubts+"WHERE d.account = ? AND n.state = 'in_doubt' ORDER BY n.id LIMIT 1000", s.now().UnixMilli(), account)
}

// Doubt returns the stored doubt about an entry; ok is false if none exists. The entry may be
// pending: then it is sent again with the same Idempotency-Key.
func (s *Store) Doubt(ctx context.Context, id int64) (d Doubt, ok bool, err error) {
	doubts, err := read(ctx, s, fmt.Sprintf("read doubt of entry %d", id), scanDoubt, selectDoubts+"WHERE d.entry = ?", s.now().UnixMilli(), id)
	if len(doubts) == 0 {
		return Doubt{}, false, err
	}
	return doubts[0], true, nil
}

func scanDoubt(r *sql.Rows) (d Doubt, err error) {
	var since, at int64
	var read, absent, sent sql.NullInt64
	var owner sql.NullString
	d.Entry, err = scanEntryWith(r, &since, &at, &read, &d.ReadBacks, &absent, &sent, &owner, fromJSON{&d.Before})
	if err != nil {
		return d, err
	}
	d.Since, d.At, d.ReadAt, d.SentAt = millis(since), millis(at), timeFromNull(read), timeFromNull(sent)
	d.Absent, d.Owner = timeFromNull(absent), owner.String
	return d, nil
}

// ReadBack is the result of reading an entry in doubt back.
type ReadBack struct {
	Doubt Doubt         // the doubt that was read back; the entry must not have changed since
	State viewing.State // the new state; it may stay in doubt
	// Why becomes a step unless it equals the entry's cause.
	Why       viewing.Message
	ReadAt    time.Time // in doubt: when to read it back next, zero means never; pending: when to send it
	ReadBacks int       // the new [Doubt.ReadBacks]
	Absent    time.Time // the new [Doubt.Absent]
	// Resend means that the entry becomes pending although it may have arrived. It is
	// sent with the same Idempotency-Key, and its doubt is kept.
	Resend   bool
	RemoteID string // the service's id of a list
}

// RecordReadBack records the result of a read-back. The error wraps [entry.ErrState] if the entry
// has changed meanwhile.
func (s *Store) RecordReadBack(ctx context.Context, m ReadBack) error {
	return s.write(ctx, fmt.Sprintf("record read-back of entry %d", m.Doubt.Entry.ID), func(t *tx) error { return t.recordReadBack(m) })
}

func (t *tx) recordReadBack(m ReadBack) error {
	id, was := m.Doubt.Entry.ID, m.Doubt.Entry
	now := t.entry(id)
	if now.State != viewing.StateInDoubt || now.Revision != was.Revision || now.Attempts != was.Attempts {
		return fmt.Errorf("%w: it is %s", entry.ErrState, now.State)
	}
	step := entry.Step{Code: "read-back", Cause: messageOrNil(m.Why)}
	if m.State == viewing.StateInDoubt {
		if reflect.DeepEqual(now.Cause, step.Cause) {
			step = entry.Step{}
		}
		t.transition(&now, m.State, m.Why.Code, step)
		t.exec("UPDATE doubts SET look_at = ?, planned_at = ?, taken = ?, absent = ? WHERE entry = ?",
			timeOrNull(m.ReadAt), t.now, m.ReadBacks, timeOrNull(m.Absent), id)
		return nil
	}
	t.settleEntry(&now, Settlement{Entry: id, State: m.State, Reason: m.Why.Code, NextAt: m.ReadAt, RemoteID: m.RemoteID}, step)
	if m.Resend {
		t.exec("INSERT OR REPLACE INTO doubts (entry, account, since, at) VALUES (?, ?, ?, ?)",
			id, was.Account, m.Doubt.Since.UnixMilli(), m.Doubt.At.UnixMilli())
	}
	return nil
}

// SaveLists stores the ids of the service's lists before a list is created.
func (s *Store) SaveLists(ctx context.Context, entry int64, ids []string) error {
	return s.write(ctx, fmt.Sprintf("keep lists before entry %d", entry), func(t *tx) error {
		t.exec("INSERT OR REPLACE INTO lists_before (entry, ids) VALUES (?, ?)", entry, asJSON{append([]string{}, ids...)})
		return nil
	})
}
