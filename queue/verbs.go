package queue

import (
	"context"
	"fmt"
	"slices"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// operate applies a verb to one entry in such a state, or says why not.
func (t *tx) operate(o entry.Order, e Entry) (left string, err error) {
	switch o.Verb {
	case entry.VerbHold:
		return changed, t.byUser(&e, viewing.StateHeld, viewing.ReasonUser, "user.held", nil)
	case entry.VerbDrop:
		return changed, t.byUser(&e, viewing.StateDropped, viewing.ReasonUser, "user.dropped", nil)
	case entry.VerbSettle:
		if o.As == viewing.StateRejected {
			e.Revision++ // the next request is another act
		}
		return changed, t.byUser(&e, o.As, viewing.ReasonUser, "user.settled", entry.Args{"state": string(o.As)})
	case entry.VerbMove:
		if e.Account == o.To {
			return unchanged, nil
		}
		return changed, t.move(e, o.To)
	case entry.VerbRecheck:
		return t.recheck(e)
	}
	switch e.State {
	case viewing.StateHeld, viewing.StateDropped:
		return t.release(e, len(o.IDs) > 0)
	case viewing.StatePending:
		if e.NextAt.UnixMilli() <= t.now {
			return unchanged, nil
		}
		e.NextAt = millis(t.now)
		return changed, t.transition(&e, e.State, e.Reason, entry.Step{Code: "user.hurried"})
	case viewing.StateInDoubt:
		switch named := len(o.IDs) > 0 || o.State == viewing.StateInDoubt; {
		case !o.MayDouble && o.Verb == entry.VerbSend && named:
			return t.recheck(e)
		case !o.MayDouble:
			return leftInDoubt, nil
		}
		// The same act: a service that knows Idempotency-Key takes it once.
		return changed, t.byUser(&e, viewing.StatePending, "", "user.retried.doubt", nil)
	default:
		e.Revision++
		return changed, t.byUser(&e, viewing.StatePending, "", "user.retried", nil)
	}
}

// release lets one entry go, or takes it in again. What the user has dropped must be named.
func (t *tx) release(e Entry, named bool) (left string, err error) {
	left = e.Withheld(millis(t.now))
	if left == "" && e.State == viewing.StateDropped && e.Reason == viewing.ReasonUser && !named {
		left = entry.Withdrawn
	}
	if left != "" {
		return left, nil
	}
	if e.State == viewing.StateDropped {
		return changed, t.recall(e)
	}
	to, reason := viewing.StatePending, ""
	if e.Media != nil && !e.Media.Identified() {
		to, reason = viewing.StateHeld, viewing.ReasonUnresolved
	}
	if err := t.byUser(&e, to, reason, "user.released", nil); err != nil {
		return "", err
	}
	return changed, t.mergeDuplicate(e.ID, true)
}

// recall takes in again what was dropped by the user's settings or by the user. What may
// have arrived before is in doubt then: the step by which it was dropped has the state
// before, and where that is not known, every request may have arrived.
func (t *tx) recall(e Entry) error {
	if e.Attempts > 0 {
		var before viewing.State
		_, err := t.Find("SELECT from_state FROM steps WHERE entry = ? AND from_state <> '' ORDER BY number DESC LIMIT 1", []any{e.ID}, &before)
		if err != nil {
			return err
		}
		known := []viewing.State{viewing.StateRejected, viewing.StateHeld, viewing.StatePending, viewing.StateDelivered} // the last: taken back
		if e.Reason == viewing.ReasonUser && !slices.Contains(known, before) {
			if err := t.byUser(&e, viewing.StateInDoubt, "recalled", "user.recalled.doubt", nil); err != nil {
				return err
			}
			return t.doubtful(e.ID, millis(t.now))
		}
		e.Revision++ // the service has refused it, or given it back: this is another act
	}
	v, err := t.eventOf(e)
	if err != nil {
		return err
	}
	d := rules.Decide(rules.Settings{}, e.Source, v, e.Media, millis(t.now))
	if err := t.byUser(&e, d.State, d.Reason, "user.recalled", nil); err != nil {
		return err
	}
	if err := t.step(e.ID, d.Why); err != nil {
		return err
	}
	return t.mergeDuplicate(e.ID, true)
}

// Undone records that a delivered entry was taken back from the service by the
// user's will; it is dropped. Errors wrap [entry.ErrNotFound] or [entry.ErrState].
func (s *Store) Undone(ctx context.Context, id int64) (after Entry, err error) {
	err = s.write(ctx, fmt.Sprintf("undo entry %d", id), func(t *tx) error {
		if after, err = t.entry(id); err != nil {
			return err
		}
		if !slices.Contains(after.Actions(millis(t.now)), entry.VerbUndo) {
			return &StateError{Verb: "undo", ID: id, State: after.State, Reason: after.Reason}
		}
		return t.byUser(&after, viewing.StateDropped, viewing.ReasonUser, "user.undone", nil)
	})
	return after, err
}

// selectShared finds an entry of an account that was made of the same part of an
// event, or is about the same item and shares a sighting.
const selectShared = `SELECT n.id FROM entries AS e JOIN entries AS n ON n.event = e.event AND n.part = e.part
	WHERE e.id = ?1 AND n.account = ?2
	UNION ALL SELECT n.id FROM entries AS e JOIN entries AS n ON n.account = ?2 AND n.item_key = e.item_key AND n.item_key <> ''
	WHERE e.id = ?1 AND EXISTS (
		SELECT event FROM (SELECT n.event UNION ALL SELECT event FROM witnesses WHERE entry = n.id)
		INTERSECT SELECT event FROM (SELECT e.event UNION ALL SELECT event FROM witnesses WHERE entry = e.id)) LIMIT 1`

// move gives an entry, with what waits for it, to another account. It joins the same
// playback there.
func (t *tx) move(e Entry, account string) error {
	no := &StateError{Verb: "move", ID: e.ID, State: e.State}
	var other int64
	has, err := t.Find(selectShared, []any{e.ID, account}, &other)
	switch {
	case err != nil:
		return err
	case e.Attempts > 0:
		no.Why = viewing.Say("fault.mayHaveLeft")
	case e.After != 0:
		no.Why = viewing.Say("fault.withList", "id", number(e.After))
	case has:
		no.Why = viewing.Say("fault.otherHas", "name", account, "id", number(other))
	}
	if no.Why.Code != "" {
		return no
	}
	ids, err := t.Numbers("UPDATE entries SET account = ?2, touched = max(touched, 1) WHERE id = ?1 OR after = ?1 RETURNING id", e.ID, account)
	if err != nil {
		return err
	}
	for _, id := range ids {
		moved, err := t.entry(id)
		if err != nil {
			return err
		}
		t.count(e.Account, moved.State, -1)
		t.count(account, moved.State, 1)
		if _, err := t.Exec("UPDATE lookups SET account = ?, ask_at = 0, asked = 0 WHERE entry = ?", account, id); err != nil {
			return err
		}
		if err := t.step(id, entry.Step{Code: "user.moved", Args: entry.Args{"account": account, "before": e.Account}}); err != nil {
			return err
		}
	}
	return t.mergeDuplicate(e.ID, true)
}

// byUser puts an entry into another state by the user's will. What is let go is due
// at once.
func (t *tx) byUser(e *Entry, to viewing.State, reason, code string, args entry.Args) error {
	if e.Touched = max(e.Touched, entry.Decided); to == viewing.StatePending {
		e.NextAt = t.dueSince(*e)
	}
	return t.transition(e, to, reason, entry.Step{Code: code, Args: args})
}
