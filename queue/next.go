package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// sendable chooses the pending entries of account ?1 in lane ?2 that no other entry
// keeps back: neither its list, nor an older entry about the same item that may still
// be sent or may have arrived.
const sendable = ` FROM entries AS n CROSS JOIN events AS v ON v.id = n.event
	WHERE n.account = ?1 AND n.lane = ?2 AND n.state = 'pending'
	AND (n.after IS NULL OR EXISTS (
		SELECT 1 FROM entries AS list WHERE list.id = n.after AND list.state IN ('delivered', 'merged')))
	AND NOT EXISTS (SELECT 1` + elders + ")"

const (
	selectNext    = "SELECT " + entryColumns + sendable + " AND n.next_at <= ?3 ORDER BY n.next_at, n.id LIMIT ?4"
	selectNextDue = "SELECT n.next_at" + sendable + " ORDER BY n.next_at, n.id LIMIT 1"
	// selectAstray finds what was put off by a clock that has been set back since: it is
	// due now.
	selectAstray = "SELECT " + entryColumns + sendable + " AND n.next_at > ?3 AND n.planned_at > ?3 ORDER BY n.next_at, n.id LIMIT ?4"
)

// Next is the entry of the account and the lane that is to be sent now: the oldest of
// those that are due. A list comes before what is put on it, and of one item the older
// entry before the younger. ok is false when none is due.
func (s *Store) Next(ctx context.Context, account string, lane viewing.Lane) (e Entry, ok bool, err error) {
	found, err := s.due(ctx, account, lane, 1)
	if err != nil || len(found) == 0 {
		return Entry{}, false, err
	}
	return found[0], true, nil
}

// due lists up to n entries that are to be sent now.
func (s *Store) due(ctx context.Context, account string, lane viewing.Lane, n int) ([]Entry, error) {
	now := s.now().UnixMilli()
	found, err := read(ctx, s, "find next entry", scanEntry, selectNext, account, int(lane), now, n)
	if err == nil && len(found) == 0 {
		found, err = read(ctx, s, "find next entry", scanEntry, selectAstray, account, int(lane), now, n)
	}
	return found, err
}

// NextDue is when the next entry of the account and the lane is to be sent; it is in
// the past when one is due now. ok is false without any.
func (s *Store) NextDue(ctx context.Context, account string, lane viewing.Lane) (t time.Time, ok bool, err error) {
	t, ok, err = s.readTime(ctx, "find next due entry", selectNextDue, account, int(lane))
	if now := s.now(); err == nil && t.After(now) {
		var astray []Entry
		if astray, err = s.due(ctx, account, lane, 1); len(astray) > 0 {
			t = now
		}
	}
	return t, ok, err
}

// NewSince looks at the entries made after the one with that id: the newest, or id
// without any, and whether one of them is pending in the account.
func (s *Store) NewSince(ctx context.Context, account string, id int64) (newest int64, pending bool, err error) {
	err = s.reader.QueryRowContext(ctx, `SELECT coalesce(max(id), ?1), coalesce(max(account = ?2 AND state = 'pending'), 0) FROM entries WHERE id > ?1`,
		id, account).Scan(&newest, &pending)
	if err != nil {
		return id, false, fmt.Errorf("look for new entries: %w", sqlite.StorageError(err))
	}
	return newest, pending, nil
}

// Begin marks an entry as being sent, on disk before it returns, and numbers the
// attempt from 1 within the entry. What became of others is settled before, as by
// [Store.Settle], with the same write: all of it is done or nothing. The error wraps
// [ErrChanged] when the entry is not pending as it was read.
func (s *Store) Begin(ctx context.Context, e Entry, ended ...Settlement) (attempt int64, err error) {
	err = s.write(ctx, fmt.Sprintf("mark entry %d as sending", e.ID), func(t *tx) (err error) {
		for _, m := range ended {
			if err := t.settle(m); err != nil {
				return fmt.Errorf("settle entry %d: %w", m.Entry, err)
			}
		}
		attempt, err = t.begin(e)
		return err
	})
	return attempt, err
}

func (t *tx) begin(was Entry) (attempt int64, err error) {
	e, err := t.entry(was.ID)
	if err != nil {
		return 0, err
	}
	if e.State != viewing.StatePending || e.Revision != was.Revision || e.Account != was.Account || !e.NextAt.Equal(was.NextAt) {
		return 0, ErrChanged
	}
	if err := t.transition(&e, viewing.StateSending, "", entry.Step{}); err != nil {
		return 0, err
	}
	if _, err := t.Exec("UPDATE entries SET attempts = attempts + 1 WHERE id = ?", e.ID); err != nil {
		return 0, err
	}
	if _, err := t.Find("SELECT coalesce(max(number), 0) + 1 FROM attempts WHERE entry = ?", []any{e.ID}, &attempt); err != nil {
		return 0, err
	}
	_, err = t.Exec(`INSERT INTO attempts (entry, number, at, owner)
		VALUES (?, ?, ?, coalesce((SELECT body ->> '$.Owner' FROM accounts WHERE name = ?), ''))`, e.ID, attempt, t.now, e.Account)
	return attempt, err
}
