package queue

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Reassign has entries belong to another account, with their events and their
// history. They are pending or held, and nothing of them has left. Where the
// account has the same playback already, an entry joins that. What has joined
// another leaves it so, and stands as it stood. A list takes its items along. For
// errors and dry see [Store.Retry].
func (s *Store) Reassign(ctx context.Context, ids []int64, account string, dry bool) (entry.Changed, error) {
	reach := []viewing.State{viewing.StatePending, viewing.StateHeld, viewing.StateMerged}
	return s.operate(ctx, operation{"move", reach, func(t *tx, e Entry) (string, error) {
		if e.Account == account {
			return unchanged, nil
		}
		return changed, t.reassign(e, account)
	}}, entry.Selection{IDs: ids}, dry)
}

// selectShared finds an entry of an account that tells of what the same event told.
const selectShared = `WITH told AS (SELECT event FROM entries WHERE id = ?1 UNION SELECT event FROM witnesses WHERE entry = ?1)
	SELECT n.id FROM told CROSS JOIN ` + schema.MadeOf + ` JOIN entries AS e ON e.id = ?1
	WHERE v.id = told.event AND n.account = ?2 AND iif(n.event = e.event, n.part = e.part, n.item_key = e.item_key)
	UNION SELECT n.id FROM told CROSS JOIN witnesses AS w ON w.event = told.event JOIN entries AS n ON n.id = w.entry JOIN entries AS e ON e.id = ?1
	WHERE n.account = ?2 AND n.item_key = e.item_key LIMIT 1`

// movable refuses an entry that another account cannot have.
func (t *tx) movable(e Entry, account string) error {
	no := &StateError{Verb: "move", ID: e.ID, State: e.State}
	var other int64
	shared, err := t.Find(selectShared, []any{e.ID, account}, &other)
	switch {
	case err != nil:
		return err
	case e.State == viewing.StateMerged && e.Reason != viewing.ReasonSeenTwice, e.Attempts > 0:
		no.Reason = "it may have left"
	case e.After != 0:
		no.Reason = fmt.Sprintf("it goes with its list, entry %d", e.After)
	case shared:
		no.Reason = fmt.Sprintf("the account %s has it already, as entry %d", account, other)
	default:
		return nil
	}
	return no
}

// reassign gives an entry, with what waits for it, to another account.
func (t *tx) reassign(e Entry, account string) error {
	err := t.movable(e, account)
	if err == nil && e.State == viewing.StateMerged {
		e, err = t.part(e)
	}
	if err != nil {
		return err
	}
	said := fmt.Sprintf("By the user: moved from the account %s to %s; it was %s.", e.Account, account, e.Standing())
	ids, err := t.Numbers("UPDATE entries SET account = ?2, lease = 0, lease_until = 0 WHERE id = ?1 OR after = ?1 RETURNING id", e.ID, account)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := t.Exec("UPDATE lookups SET account = ?, ask_at = 0, asked = 0 WHERE entry = ?", account, id); err != nil {
			return err
		}
		if err := t.step(id, stepMoved, said); err != nil {
			return err
		}
	}
	t.nudge = true
	return t.joinThere(e.ID)
}

// joinThere merges an entry into one of its new account that tells of the same
// playback. What is there stays as it is, so that a move can be taken back.
func (t *tx) joinThere(id int64) error {
	s, others, err := t.near(id, true)
	if err != nil || s == nil {
		return err
	}
	into, over := s.meets(others)
	if into == nil && len(over) > 0 {
		into = over[0]
	}
	if into == nil {
		return nil
	}
	return t.merge(*s, into.Entry)
}

// deleteSightings takes what an entry saw from those that it was merged into.
const deleteSightings = `DELETE FROM witnesses WHERE (event, entry) IN (
		SELECT w.event, w.entry FROM (SELECT event FROM entries WHERE id = ?1 UNION SELECT event FROM witnesses WHERE entry = ?1) AS told
		CROSS JOIN witnesses AS w ON w.event = told.event JOIN entries AS n ON n.id = w.entry JOIN entries AS e ON e.id = ?1
		WHERE n.id <> e.id AND n.account = e.account AND n.item_key = e.item_key
	) RETURNING entry`

// part takes a merged entry out of the one that it was merged into. It stands as
// it stood before a move merged it, else it is held.
func (t *tx) part(e Entry) (Entry, error) {
	others, err := t.Numbers(deleteSightings, e.ID)
	if err != nil {
		return e, err
	}
	for _, id := range slices.Compact(others) {
		if err := t.step(id, "sighting", fmt.Sprintf("Entry %d was moved away: it tells of this playback no more.", e.ID)); err != nil {
			return e, err
		}
	}
	var said string
	_, err = t.Find(`SELECT detail FROM steps WHERE entry = ?1 AND what = ?2
		AND number = (SELECT max(number) - 1 FROM steps WHERE entry = ?1 AND what = 'merged')`, []any{e.ID, stepMoved}, &said)
	if err != nil {
		return e, err
	}
	state, reason := viewing.StateHeld, viewing.ReasonUser
	_, was, _ := strings.Cut(strings.TrimSuffix(said, "."), "; it was ")
	if held, found := strings.CutPrefix(was, viewing.StateHeld.Words()+" ("); found {
		reason = strings.TrimSuffix(held, ")")
	} else if was == viewing.StatePending.Words() {
		state, reason = viewing.StatePending, ""
	}
	if err := t.move(e, state, reason); err != nil {
		return e, err
	}
	return t.entry(e.ID)
}

// stepMoved is what a step is called by which an entry changed its account.
const stepMoved = "moved"
