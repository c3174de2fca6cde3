package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
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
	selectNext = "SELECT " + entryColumns + sendable + " ORDER BY n.next_at, n.id LIMIT 1"
	// selectAstray finds what was put off by a clock that has been set back since.
	selectAstray = "SELECT " + entryColumns + sendable + " AND n.planned_at > ?3 ORDER BY n.next_at, n.id LIMIT 1"
)

// Next is the entry of the account and the lane that is to be sent next, and when: the
// first that is due. The time is zero for what a clock that has been set back since has
// put off: it is due now. A list comes before what is put on it, and of one item the
// older entry before the younger. ok is false without any.
func (s *Store) Next(ctx context.Context, account string, lane viewing.Lane) (e Entry, at time.Time, ok bool, err error) {
	found, err := read(ctx, s, "find next entry", scanEntry, selectNext, account, int(lane))
	if err != nil || len(found) == 0 {
		return e, at, false, err
	}
	if now := s.now(); found[0].NextAt.After(now) {
		astray, err := read(ctx, s, "find next entry", scanEntry, selectAstray, account, int(lane), now.UnixMilli())
		if err != nil {
			return e, at, false, err
		}
		if len(astray) > 0 {
			return astray[0], time.Time{}, true, nil
		}
	}
	return found[0], found[0].NextAt, true, nil
}

// Newest is the id of the newest entry; 0 for none.
func (s *Store) Newest(ctx context.Context) (id int64, err error) {
	id, _, err = s.readNumber(ctx, "find newest entry", "SELECT coalesce(max(id), 0) FROM entries")
	return id, err
}

// Begin marks an entry as being sent, on disk before it returns, and numbers the
// attempt from 1 within the entry. The error wraps [ErrChanged] when the entry is not
// pending as it was read, or the user has paused its account.
func (s *Store) Begin(ctx context.Context, e Entry) (attempt int64, err error) {
	err = s.write(ctx, fmt.Sprintf("mark entry %d as sending", e.ID), func(t *tx) error {
		now, a := t.entry(e.ID), t.account(e.Account)
		if now.State != viewing.StatePending || now.Revision != e.Revision || now.Account != e.Account || !now.NextAt.Equal(e.NextAt) ||
			a.Pause.Timely(millis(t.now)).Reason == account.PausedUser {
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
