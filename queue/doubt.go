package queue

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Doubt is an entry that may have arrived.
type Doubt struct {
	Entry Entry
	Since time.Time // when it was first in doubt, of its resends with the same Idempotency-Key
	At    time.Time // the last byte of its last request had left by then
	// ReadAt is when it is read back next; zero is never.
	ReadAt time.Time
	Taken  int       // how often it was read back
	Absent time.Time // when the first reading began that could have shown it and did not; zero for none
	SentAt time.Time // when its last request began
	Owner  string    // whose key that was sent with; "" when unknown
	// Before are the ids of the service's lists before a list was to be
	// created; nil when they were not read.
	Before []string
}

// doubtful puts an entry among those to read back, anew after each request.
func (t *tx) doubtful(id int64, readAt time.Time) error {
	_, err := t.Exec(`INSERT INTO doubts (entry, account, since, at, look_at, planned_at) SELECT id, account, ?2, ?2, ?3, ?2 FROM entries WHERE id = ?1
		ON CONFLICT (entry) DO UPDATE SET at = excluded.at, look_at = excluded.look_at, planned_at = excluded.planned_at, taken = 0, absent = NULL`,
		id, t.now, max(t.now, readAt.UnixMilli()))
	return err
}

// concurrent is how long a request may still be at work after its last byte.
const concurrent = 30 * time.Second

// recheck has an entry in doubt read back as soon as that may show something. The reading is
// not one of those after which the setting decides: a person may ask any number of times.
func (t *tx) recheck(e Entry) (left string, err error) {
	n, err := t.Affect(`UPDATE doubts SET look_at = max(?2, at + ?3), planned_at = ?2, taken = max(taken - 1, 0)
		WHERE entry = ?1 AND (look_at IS NULL OR look_at > max(?2, at + ?3))`, e.ID, t.now, concurrent.Milliseconds())
	if err != nil || n == 0 { // it is due already
		return changed, err
	}
	return changed, t.transition(&e, e.State, e.Reason, entry.Step{Code: "user.rechecked"})
}

// selectDoubts reads doubts, now being ?1.
const selectDoubts = "SELECT " + entryColumns + `, d.since, d.at, iif(d.planned_at > ?1 AND d.look_at > ?1, ?1, d.look_at), d.taken, d.absent, a.at, a.owner, b.ids
	FROM doubts AS d JOIN entries AS n ON n.id = d.entry JOIN events AS v ON v.id = n.event
	LEFT JOIN attempts AS a ON a.entry = n.id AND a.number = (SELECT max(number) FROM attempts WHERE entry = n.id AND sent = 1)
	LEFT JOIN lists_before AS b ON b.entry = n.id `

// Doubts lists the account's entries in doubt, the oldest first, at most a
// thousand.
func (s *Store) Doubts(ctx context.Context, account string) ([]Doubt, error) {
	return read(ctx, s, "list doubts", scanDoubt, selectDoubts+"WHERE d.account = ? AND n.state = 'in_doubt' ORDER BY n.id LIMIT 1000", s.now().UnixMilli(), account)
}

// Doubt is what is kept of one entry that was in doubt and is not settled: it
// may be pending, to be sent again with the same Idempotency-Key. ok is false
// when there is nothing.
func (s *Store) Doubt(ctx context.Context, id int64) (d Doubt, ok bool, err error) {
	doubts, err := read(ctx, s, fmt.Sprintf("read doubt of entry %d", id), scanDoubt, selectDoubts+"WHERE d.entry = ?", s.now().UnixMilli(), id)
	if err != nil {
		return Doubt{}, false, err
	}
	if len(doubts) == 0 {
		return Doubt{}, false, nil
	}
	return doubts[0], true, nil
}

func scanDoubt(r *sql.Rows) (d Doubt, err error) {
	var since, at int64
	var read, absent, sent sql.NullInt64
	var owner sql.NullString
	d.Entry, err = scanEntryWith(r, &since, &at, &read, &d.Taken, &absent, &sent, &owner, fromJSON{&d.Before})
	if err != nil {
		return d, err
	}
	d.Since, d.At, d.ReadAt, d.SentAt = millis(since), millis(at), nullTime(read), nullTime(sent)
	d.Absent, d.Owner = nullTime(absent), owner.String
	return d, nil
}

func scanSent(row *sql.Rows) (sent entry.Sent, err error) {
	var at int64
	sent.Entry, err = scanEntryWith(row, &at, &sent.Owner)
	sent.At = millis(at)
	return sent, err
}

// ReadBack is what came of reading an entry in doubt back.
type ReadBack struct {
	Doubt Doubt         // as it was read; it must not have changed since
	State viewing.State // in doubt: it stays
	// Why becomes a step of the explanation when it is new.
	Why    viewing.Message
	ReadAt time.Time // it stays: when it is read back next; zero is never. Pending: when it is due
	Taken  int       // how often it was read back
	Absent time.Time // as [Doubt.Absent], at the next
	// Resend says that it becomes pending although it may have arrived, under
	// the same Idempotency-Key: the doubt is remembered.
	Resend   bool
	RemoteID string // the service's id of a list
}

// RecordReadBack records a read-back. Its error wraps [entry.ErrState] when the entry
// has changed meanwhile.
func (s *Store) RecordReadBack(ctx context.Context, m ReadBack) error {
	return s.write(ctx, fmt.Sprintf("record read-back of entry %d", m.Doubt.Entry.ID), func(t *tx) error { return t.recordReadBack(m) })
}

func (t *tx) recordReadBack(m ReadBack) error {
	id, was := m.Doubt.Entry.ID, m.Doubt.Entry
	now, err := t.entry(id)
	switch {
	case err != nil:
		return err
	case now.State != viewing.StateInDoubt || now.Revision != was.Revision || now.Attempts != was.Attempts:
		return fmt.Errorf("%w: it is %s", entry.ErrState, now.State)
	}
	step := entry.Step{Code: "read-back", Cause: said(m.Why)}
	if m.State == viewing.StateInDoubt {
		if reflect.DeepEqual(now.Cause, step.Cause) {
			step = entry.Step{}
		}
		if err := t.transition(&now, m.State, m.Why.Code, step); err != nil {
			return err
		}
		_, err := t.Exec("UPDATE doubts SET look_at = ?, planned_at = ?, taken = ?, absent = ? WHERE entry = ?",
			timeOrNull(m.ReadAt), t.now, m.Taken, timeOrNull(m.Absent), id)
		return err
	}
	settlement := Settlement{Entry: id, State: m.State, Reason: m.Why.Code, NextAt: m.ReadAt, RemoteID: m.RemoteID}
	if err := t.settleEntry(&now, settlement, step); err != nil || !m.Resend {
		return err
	}
	_, err = t.Exec("INSERT OR REPLACE INTO doubts (entry, account, since, at) VALUES (?, ?, ?, ?)",
		id, was.Account, m.Doubt.Since.UnixMilli(), m.Doubt.At.UnixMilli())
	return err
}

// KeepLists notes which lists the service has before a list is created.
func (s *Store) KeepLists(ctx context.Context, entry int64, ids []string) error {
	return s.write(ctx, fmt.Sprintf("keep lists before entry %d", entry), func(t *tx) error {
		_, err := t.Exec("INSERT OR REPLACE INTO lists_before (entry, ids) VALUES (?, ?)", entry, jsonArray(ids))
		return err
	})
}
