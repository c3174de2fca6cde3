package queue

import (
	"context"
	"fmt"
	"strings"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Retry has entries sent again: what the service rejected, as another act, and
// what waits for a later time, now. Entries in doubt only by
// [Selection.MayDouble], as the same act. Errors wrap [ErrSelection],
// [entry.ErrNotFound] or [entry.ErrState], a [*StateError]. A dry run changes nothing.
func (s *Store) Retry(ctx context.Context, sel entry.Selection, dry bool) (entry.Changed, error) {
	return s.operate(ctx, operation{"retry", []viewing.State{viewing.StatePending, viewing.StateRejected, viewing.StateInDoubt}, func(t *tx, e Entry) (string, error) {
		return t.retry(e, sel.MayDouble)
	}}, sel, dry)
}

// retry makes one entry due.
func (t *tx) retry(e Entry, inDoubt bool) (left string, err error) {
	switch {
	case e.State == viewing.StatePending:
		return t.hurry(e)
	case e.State == viewing.StateInDoubt && !inDoubt:
		return leftInDoubt, nil
	case e.State == viewing.StateInDoubt:
		// The same act: a service that knows Idempotency-Key takes it once.
		err = t.byUser(e, "sent again although the service may have it already")
	default:
		if err = t.raise(e.ID); err == nil {
			err = t.byUser(e, "sent again")
		}
	}
	if err != nil {
		return "", err
	}
	return changed, t.move(e, viewing.StatePending, "")
}

// hurry makes an entry due now that was put off.
func (t *tx) hurry(e Entry) (left string, err error) {
	if e.NextAt.UnixMilli() <= t.now {
		return unchanged, nil
	}
	if _, err := t.Exec("UPDATE entries SET next_at = ? WHERE id = ?", t.now, e.ID); err != nil {
		return "", err
	}
	t.nudge = true
	return changed, t.step(e.ID, "user", "By the user: tried again at once, without waiting for the time that was set.")
}

// Hold keeps pending entries back until [Store.ReleaseHeld]. For errors and
// dry see [Store.Retry].
func (s *Store) Hold(ctx context.Context, sel entry.Selection, dry bool) (entry.Changed, error) {
	return s.operate(ctx, operation{"hold", []viewing.State{viewing.StatePending}, func(t *tx, e Entry) (string, error) {
		return changed, t.stand(e, string(viewing.StateHeld), viewing.StateHeld, viewing.ReasonUser)
	}}, sel, dry)
}

// ReleaseHeld lets held entries go, for whatever reason they are held. Those
// without an identifier, or with a time that lies ahead, go only after
// [Store.Edit]. Without one a wave is let go too: each of it goes when it is known
// what it is. What the user's settings
// have ignored is taken in again where it is named, or selected by its state:
// it is then held or sent as if they said nothing of it. What the user has
// dropped is taken in again only where it is named; what may have arrived
// before is then in doubt. For errors and dry see [Store.Retry].
func (s *Store) ReleaseHeld(ctx context.Context, sel entry.Selection, dry bool) (entry.Changed, error) {
	reach := []viewing.State{viewing.StateHeld}
	if len(sel.IDs) > 0 || sel.State == viewing.StateDropped {
		reach = append(reach, viewing.StateDropped)
	}
	return s.operate(ctx, operation{"release", reach, func(t *tx, e Entry) (string, error) {
		to, reason := viewing.StatePending, ""
		switch {
		case e.State == viewing.StateDropped:
			return t.recall(e, len(sel.IDs) > 0)
		case e.Media != nil && !e.Media.Identified() && e.Reason == viewing.ReasonWave:
			to, reason = viewing.StateHeld, viewing.ReasonUnresolved
		case e.Media != nil && !e.Media.Identified():
			return viewing.ReasonUnresolved, nil
		case rules.Ahead(viewing.Event{Kind: e.Kind, WatchedAt: e.WatchedAt.Instant}, schema.Time(t.now)):
			return viewing.ReasonFuture, nil
		}
		if err := t.stand(e, "released", to, reason); err != nil {
			return "", err
		}
		return changed, t.meet(e.ID, true)
	}}, sel, dry)
}

// recall takes in again what was dropped by the user's settings or, when it is
// named, by the user.
func (t *tx) recall(e Entry, named bool) (left string, err error) {
	byHand := named && e.Reason == viewing.ReasonUser
	if !rules.Ignored(e.Reason) && !byHand {
		return leftWithdrawn, nil
	}
	if byHand {
		arrived, err := t.mayHaveArrived(e)
		if err != nil {
			return "", err
		}
		if arrived {
			return changed, t.doubtAgain(e)
		}
	}
	if err := t.byUser(e, "taken in after all"); err != nil {
		return "", err
	}
	if e.Attempts > 0 { // the service has refused it, or given it back: this is another act
		if err := t.raise(e.ID); err != nil {
			return "", err
		}
	}
	v, err := t.eventOf(e)
	if err != nil {
		return "", err
	}
	d := rules.Decide(rules.Settings{}, e.Source, v, e.Media, schema.Time(t.now))
	if err := t.step(e.ID, "rule", d.Why()); err != nil {
		return "", err
	}
	if err := t.move(e, d.State, d.Reason); err != nil {
		return "", err
	}
	return changed, t.meet(e.ID, true)
}

// mayHaveArrived reports whether the service may have an entry that the user
// has dropped. What the user did last says what it was before. Where that is
// not known, every request may have arrived.
func (t *tx) mayHaveArrived(e Entry) (bool, error) {
	if e.Attempts == 0 {
		return false, nil
	}
	var said string
	_, err := t.Find("SELECT detail FROM steps WHERE entry = ? AND what = 'user' ORDER BY number DESC LIMIT 1", []any{e.ID}, &said)
	for _, not := range []string{"; it was rejected", "; it was held", "; it was pending", takenBack} {
		if strings.Contains(said, not) {
			return false, err
		}
	}
	return true, err
}

// doubtAgain puts an entry back into the doubt that it was dropped out of.
func (t *tx) doubtAgain(e Entry) error {
	if err := t.byUser(e, "taken in after all, in doubt: it may have arrived before it was dropped"); err != nil {
		return err
	}
	if err := t.move(e, viewing.StateInDoubt, "it may have arrived before it was dropped"); err != nil {
		return err
	}
	return t.doubtful(e.ID, schema.Time(t.now))
}

// eventOf is the event of an entry, for the rules.
func (t *tx) eventOf(e Entry) (viewing.Event, error) {
	v := viewing.Event{Kind: e.Kind, WatchedAt: e.WatchedAt.Instant, Class: e.Class}
	_, err := t.Find(`SELECT json_extract(v.body, '$.unsure') IS 1, json_extract(v.body, '$.elsewhere') IS 1
		FROM events AS v JOIN entries AS n ON n.event = v.id WHERE n.id = ?`, []any{e.ID}, &v.Unsure, &v.Elsewhere)
	return v, err
}

// Drop withdraws entries that have not arrived; they stay for the record. For
// errors and dry see [Store.Retry].
func (s *Store) Drop(ctx context.Context, sel entry.Selection, dry bool) (entry.Changed, error) {
	reach := []viewing.State{viewing.StatePending, viewing.StateHeld, viewing.StateRejected, viewing.StateInDoubt}
	return s.operate(ctx, operation{"drop", reach, func(t *tx, e Entry) (string, error) {
		return changed, t.stand(e, string(viewing.StateDropped), viewing.StateDropped, viewing.ReasonUser)
	}}, sel, dry)
}

// SettleByHand says what the user knows of entries in doubt: delivered,
// rejected or dropped; another state is [entry.ErrState]. For other errors and dry
// see [Store.Retry].
func (s *Store) SettleByHand(ctx context.Context, sel entry.Selection, as viewing.State, dry bool) (entry.Changed, error) {
	switch as {
	case viewing.StateDelivered, viewing.StateRejected, viewing.StateDropped:
	default:
		return entry.Changed{}, fmt.Errorf("settle entries: %w: %q is not delivered, rejected or dropped", entry.ErrState, as)
	}
	return s.operate(ctx, operation{"settle", []viewing.State{viewing.StateInDoubt}, func(t *tx, e Entry) (string, error) {
		return changed, t.settleByHand(e, as)
	}}, sel, dry)
}

// settleByHand moves one entry out of doubt. What did not arrive is, when it
// is sent again, another act.
func (t *tx) settleByHand(e Entry, as viewing.State) error {
	if as == viewing.StateRejected {
		if err := t.raise(e.ID); err != nil {
			return err
		}
	}
	return t.stand(e, "settled as "+string(as), as, viewing.ReasonUser)
}

// takenBack is what a step says of an entry that was undone.
const takenBack = "taken back from the service"

// Undone notes that a delivered entry was taken back from the service by the
// user's will; it is dropped. Errors wrap [entry.ErrNotFound] or [entry.ErrState].
func (s *Store) Undone(ctx context.Context, id int64) (Entry, error) {
	var after Entry
	err := s.write(ctx, func(t *tx) error {
		e, err := t.entry(id)
		if err != nil {
			return fmt.Errorf("undo entry %d: %w", id, err)
		}
		if e.State != viewing.StateDelivered {
			return &StateError{Verb: "undo", ID: id, State: e.State, Reason: e.Reason}
		}
		if err := t.stand(e, takenBack, viewing.StateDropped, viewing.ReasonUser); err != nil {
			return err
		}
		after, err = t.entry(id)
		return err
	})
	return after, err
}
