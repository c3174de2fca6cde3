package queue

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Retry has entries sent again: what the service rejected, as another act, and
// what waits for a later time, now. Entries in doubt only by
// [entry.Selection.MayDouble], as the same act. Errors wrap [entry.ErrSelection],
// [entry.ErrNotFound] or [entry.ErrState], a [*StateError]. A dry run changes nothing.
func (s *Store) Retry(ctx context.Context, sel entry.Selection, dry bool) (entry.Changed, error) {
	return s.operate(ctx, operation{entry.VerbRetry, func(t *tx, e Entry) (string, error) { return t.resend(e, sel) }}, sel, dry)
}

// resend is [Store.Retry] for one entry.
func (t *tx) resend(e Entry, sel entry.Selection) (left string, err error) {
	switch e.State {
	case viewing.StatePending:
		if e.NextAt.UnixMilli() <= t.now {
			return unchanged, nil
		}
		e.NextAt = millis(t.now)
		return changed, t.transition(&e, e.State, e.Reason, entry.Step{Code: "user.hurried"})
	case viewing.StateInDoubt:
		if !sel.MayDouble {
			return leftInDoubt, nil
		}
		// The same act: a service that knows Idempotency-Key takes it once.
		return changed, t.byUser(&e, viewing.StatePending, "", "user.retried.doubt", nil)
	default:
		if err := t.raise(&e); err != nil {
			return "", err
		}
		return changed, t.byUser(&e, viewing.StatePending, "", "user.retried", nil)
	}
}

// Send is [Store.ReleaseHeld] for what is held or dropped, and [Store.Retry] for the rest.
// What is held is selected by its id, its state or its reason: all is only what waits for a
// later time or was rejected.
func (s *Store) Send(ctx context.Context, sel entry.Selection, dry bool) (entry.Changed, error) {
	if len(sel.IDs) == 0 && sel.State == "" && sel.Reason == "" {
		did, err := s.Retry(ctx, sel, dry)
		did.Verb = string(entry.VerbSend)
		return did, err
	}
	return s.operate(ctx, operation{entry.VerbSend, func(t *tx, e Entry) (string, error) {
		if e.State == viewing.StateHeld || e.State == viewing.StateDropped {
			return t.release(e, sel)
		}
		return t.resend(e, sel)
	}}, sel, dry)
}

// Hold keeps pending entries back until [Store.ReleaseHeld]. For errors and
// dry see [Store.Retry].
func (s *Store) Hold(ctx context.Context, sel entry.Selection, dry bool) (entry.Changed, error) {
	return s.operate(ctx, operation{entry.VerbHold, func(t *tx, e Entry) (string, error) {
		return changed, t.byUser(&e, viewing.StateHeld, viewing.ReasonUser, "user.held", nil)
	}}, sel, dry)
}

// ReleaseHeld lets held entries go, for whatever reason they are held. Those
// without an identifier, or with a time that lies ahead, go only after
// [Store.Edit]. Without one a burst is let go too: each of it goes when it is known
// what it is. What the user's settings have ignored is taken in again where it is
// named, or selected by its state: it is then held or sent as if they said nothing of
// it. What the user has dropped is taken in again only where it is named; what may
// have arrived before is then in doubt. For errors and dry see [Store.Retry].
func (s *Store) ReleaseHeld(ctx context.Context, sel entry.Selection, dry bool) (entry.Changed, error) {
	return s.operate(ctx, operation{entry.VerbRelease, func(t *tx, e Entry) (string, error) { return t.release(e, sel) }}, sel, dry)
}

// release is [Store.ReleaseHeld] for one entry.
func (t *tx) release(e Entry, sel entry.Selection) (left string, err error) {
	left = e.Withheld(millis(t.now))
	if left == "" && e.State == viewing.StateDropped && e.Reason == viewing.ReasonUser && len(sel.IDs) == 0 {
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

// recall takes in again what was dropped by the user's settings or by the user.
func (t *tx) recall(e Entry) error {
	if e.Reason == viewing.ReasonUser {
		arrived, err := t.mayHaveArrived(e)
		if err != nil {
			return err
		}
		if arrived {
			if err := t.byUser(&e, viewing.StateInDoubt, "recalled", "user.recalled.doubt", nil); err != nil {
				return err
			}
			return t.doubtful(e.ID, millis(t.now))
		}
	}
	if e.Attempts > 0 { // the service has refused it, or given it back: this is another act
		if err := t.raise(&e); err != nil {
			return err
		}
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

// mayHaveArrived reports whether the service may have an entry that the user has
// dropped. The step by which it was dropped has the state before. Where that is not
// known, every request may have arrived.
func (t *tx) mayHaveArrived(e Entry) (bool, error) {
	if e.Attempts == 0 {
		return false, nil
	}
	var before viewing.State
	_, err := t.Find("SELECT from_state FROM steps WHERE entry = ? AND from_state <> '' ORDER BY number DESC LIMIT 1", []any{e.ID}, &before)
	switch before {
	case viewing.StateRejected, viewing.StateHeld, viewing.StatePending, viewing.StateDelivered: // taken back
		return false, err
	default:
		return true, err
	}
}

// Drop withdraws entries that have not arrived; they stay for the record. For
// errors and dry see [Store.Retry].
func (s *Store) Drop(ctx context.Context, sel entry.Selection, dry bool) (entry.Changed, error) {
	return s.operate(ctx, operation{entry.VerbDrop, func(t *tx, e Entry) (string, error) {
		return changed, t.byUser(&e, viewing.StateDropped, viewing.ReasonUser, "user.dropped", nil)
	}}, sel, dry)
}

// SettleByHand says what the user knows of entries in doubt: delivered,
// rejected or dropped; another state is [entry.ErrState]. What did not arrive is, when
// it is sent again, another act. For other errors and dry see [Store.Retry].
func (s *Store) SettleByHand(ctx context.Context, sel entry.Selection, as viewing.State, dry bool) (entry.Changed, error) {
	switch as {
	case viewing.StateDelivered, viewing.StateRejected, viewing.StateDropped:
	default:
		return entry.Changed{}, fmt.Errorf("settle entries: %w: %q is not delivered, rejected or dropped", entry.ErrState, as)
	}
	return s.operate(ctx, operation{entry.VerbSettle, func(t *tx, e Entry) (string, error) {
		if as == viewing.StateRejected {
			if err := t.raise(&e); err != nil {
				return "", err
			}
		}
		return changed, t.byUser(&e, as, viewing.ReasonUser, "user.settled", entry.Args{"state": string(as)})
	}}, sel, dry)
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

// Move has entries belong to another account, with their events and their history.
// They are pending or held, and nothing of them has left. An entry joins the same
// playback there; a list takes its items along. For errors and dry see [Store.Retry].
func (s *Store) Move(ctx context.Context, ids []int64, account string, dry bool) (entry.Changed, error) {
	return s.operate(ctx, operation{entry.VerbMove, func(t *tx, e Entry) (string, error) {
		if e.Account == account {
			return unchanged, nil
		}
		return changed, t.move(e, account)
	}}, entry.Selection{IDs: ids}, dry)
}

// selectShared finds an entry of an account that was made of the same part of an
// event, or is about the same item and shares a sighting.
const selectShared = `SELECT n.id FROM entries AS e JOIN entries AS n ON n.event = e.event AND n.part = e.part
	WHERE e.id = ?1 AND n.account = ?2
	UNION ALL SELECT n.id FROM entries AS e JOIN entries AS n ON n.account = ?2 AND n.item_key = e.item_key AND n.item_key <> ''
	WHERE e.id = ?1 AND EXISTS (
		SELECT event FROM (SELECT n.event UNION ALL SELECT event FROM witnesses WHERE entry = n.id)
		INTERSECT SELECT event FROM (SELECT e.event UNION ALL SELECT event FROM witnesses WHERE entry = e.id)) LIMIT 1`

// move gives an entry, with what waits for it, to another account.
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
		no.Why = viewing.Say("fault.withList", "id", strconv.FormatInt(e.After, 10))
	case has:
		no.Why = viewing.Say("fault.otherHas", "name", account, "id", strconv.FormatInt(other, 10))
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

// raise makes the next request for an entry another act.
func (t *tx) raise(e *Entry) error {
	e.Revision++
	_, err := t.Exec("UPDATE entries SET revision = ? WHERE id = ?", e.Revision, e.ID)
	return err
}
