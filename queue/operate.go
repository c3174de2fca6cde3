package queue

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// What a verb answers for one entry, beside the reasons to leave it.
const (
	changed     = ""
	unchanged   = "unchanged" // it is as it should be already
	leftInDoubt = string(viewing.StateInDoubt)
)

const (
	maxNamed      = 100 // the ids that [entry.Changed] names
	operationPage = 500 // entries changed in one transaction: others want to write too
)

// StateError says why a verb does not fit an entry. It wraps [entry.ErrState].
type StateError struct {
	Verb   string // "drop"
	ID     int64  // 0 for a filter by a state that the verb does not fit
	State  viewing.State
	Reason string          // why the entry stands there, a code
	Why    viewing.Message // why the verb does not fit, where the state does not say it
}

// Error names the verb, the entry and its state.
func (e *StateError) Error() string {
	return fmt.Sprintf("%s entry %d: it is %s (%s) %s", e.Verb, e.ID, e.State, e.Reason, e.Why.Error())
}

// Unwrap makes it an [entry.ErrState].
func (e *StateError) Unwrap() error { return entry.ErrState }

// Operate applies a verb to entries:
//
//	retry    sends again: what was rejected as another act, what waits for a later time
//	         now, what is in doubt only by [entry.Selection.MayDouble], as the same act
//	hold     keeps what is pending back until it is released
//	release  lets go what is held, for whatever reason. What has no identifier, or a time
//	         that lies ahead, stays; but a burst is let go without one, and each of it goes
//	         when it is known what it is. What the user's settings have ignored is taken in
//	         again where it is named or selected by its state, as if they said nothing of
//	         it; what the user has dropped only where it is named
//	send     release for what is held or dropped, retry for the rest. What is held is
//	         selected by its id, its state or its reason. What is in doubt is rechecked
//	         where its id or its state is named
//	recheck  has the service asked now whether it has what is in doubt
//	settle   says what the user knows of what is in doubt: delivered, rejected or dropped
//	drop     withdraws what has not arrived; it stays for the record
//	move     gives what is pending or held, and of which nothing has left, to another
//	         account, with its events and history. A list takes its items along
//
// To ids it is applied all at once or not at all, to what filters find in steps, so that
// no source waits long for its answer: what was done when ctx ends stays done, and doing
// it again does the rest. Errors wrap [entry.ErrSelection], [entry.ErrNotFound] or
// [entry.ErrState], a [*StateError].
func (s *Store) Operate(ctx context.Context, o entry.Order) (entry.Changed, error) {
	sum := entry.Changed{Verb: o.Verb, DryRun: o.DryRun, From: map[viewing.State]int64{}, Left: map[string]int64{}, IDs: []int64{}}
	states := o.Verb.States()
	if o.Verb == entry.VerbSend && o.State == "" && o.Reason == "" {
		states = entry.VerbRetry.States()
	}
	err := o.Check()
	switch {
	case err != nil:
		return sum, err
	case o.Verb == entry.VerbSettle && !slices.Contains([]viewing.State{viewing.StateDelivered, viewing.StateRejected, viewing.StateDropped}, o.As):
		return sum, fmt.Errorf("settle entries: %w: %q is not delivered, rejected or dropped", entry.ErrState, o.As)
	case len(o.IDs) > 0:
		return sum, s.apply(ctx, o, slices.Compact(slices.Sorted(slices.Values(o.IDs))), "", &sum)
	case o.State != "" && !slices.Contains(states, o.State):
		return sum, &StateError{Verb: string(o.Verb), State: o.State}
	}
	for _, state := range states {
		if o.State != state && (o.State != "" || state == viewing.StateDropped) {
			continue // what was dropped is taken in again where it is asked for
		}
		f := o.Filter
		f.State, f.Limit = state, operationPage
		for more := true; more; {
			page, err := s.Entries(ctx, f)
			if err != nil {
				return sum, err
			}
			ids := make([]int64, len(page))
			for i, e := range page {
				ids[i], f.Below = e.ID, e.ID
			}
			if err := s.apply(ctx, o, ids, state, &sum); err != nil {
				return sum, err
			}
			more = len(page) == f.Limit
		}
	}
	return sum, nil
}

// apply changes entries in one transaction. With a state, those that have left it since
// they were found are passed over; without one, what cannot be changed is an error.
func (s *Store) apply(ctx context.Context, o entry.Order, ids []int64, state viewing.State, sum *entry.Changed) error {
	var after entry.Changed
	err := s.writeDry(ctx, string(o.Verb)+" entries", o.DryRun, func(t *tx) error {
		after = *sum // it may be called again
		after.From, after.Left, after.IDs = maps.Clone(sum.From), maps.Clone(sum.Left), slices.Clone(sum.IDs)
		for _, id := range ids {
			e := t.entry(id)
			if state != "" && e.State != state {
				continue
			}
			if err := checkChangeable(o.Verb, e); err != nil {
				return err
			}
			left, err := t.operate(o, e)
			switch {
			case err != nil:
				return err
			case left == unchanged:
			case left == changed:
				after.Changed++
				after.From[e.State]++
				if len(after.IDs) < maxNamed {
					after.IDs = append(after.IDs, id)
				}
			case state != "":
				after.Left[left]++
			default:
				if left == viewing.ReasonFuture {
					e.Reason = left
				}
				return &StateError{Verb: string(o.Verb), ID: id, State: e.State, Reason: e.Reason}
			}
		}
		return nil
	})
	if err == nil {
		*sum = after
	}
	return err
}

// operate applies a verb to one entry in such a state, or says why not.
func (t *tx) operate(o entry.Order, e Entry) (left string, err error) {
	named := len(o.IDs) > 0
	switch {
	case o.Verb == entry.VerbHold:
		t.transitionByUser(&e, viewing.StateHeld, viewing.ReasonUser, "user.held", nil)
	case o.Verb == entry.VerbDrop:
		t.transitionByUser(&e, viewing.StateDropped, viewing.ReasonUser, "user.dropped", nil)
	case o.Verb == entry.VerbSettle:
		if o.As == viewing.StateRejected {
			e.Revision++ // the next request is another act
		}
		t.transitionByUser(&e, o.As, viewing.ReasonUser, "user.settled", entry.Args{"state": string(o.As)})
	case o.Verb == entry.VerbMove && e.Account == o.To:
		return unchanged, nil
	case o.Verb == entry.VerbMove:
		return changed, t.move(e, o.To)
	case o.Verb == entry.VerbRecheck:
		t.recheck(e)
	case e.State == viewing.StateHeld || e.State == viewing.StateDropped:
		return t.release(e, named), nil
	case e.State == viewing.StatePending && e.NextAt.UnixMilli() <= t.now:
		return unchanged, nil
	case e.State == viewing.StatePending:
		e.NextAt = millis(t.now)
		t.transition(&e, e.State, e.Reason, entry.Step{Code: "user.hurried"})
	case e.State != viewing.StateInDoubt:
		e.Revision++
		t.transitionByUser(&e, viewing.StatePending, "", "user.retried", nil)
	case o.MayDouble: // the same act: a service that knows Idempotency-Key takes it once
		t.transitionByUser(&e, viewing.StatePending, "", "user.retried.doubt", nil)
	case o.Verb == entry.VerbSend && (named || o.State == viewing.StateInDoubt):
		t.recheck(e)
	default:
		return leftInDoubt, nil
	}
	return changed, nil
}

// release lets one entry go, or takes it in again. What the user has dropped must be named.
func (t *tx) release(e Entry, named bool) (left string) {
	left = e.ReleaseBlockedBy(millis(t.now))
	if left == "" && e.State == viewing.StateDropped && e.Reason == viewing.ReasonUser && !named {
		left = entry.Withdrawn
	}
	switch {
	case left != "":
		return left
	case e.State == viewing.StateDropped:
		t.recall(e)
		return changed
	case e.Media != nil && !e.Media.Identified():
		t.transitionByUser(&e, viewing.StateHeld, viewing.ReasonUnresolved, "user.released", nil)
	default:
		t.transitionByUser(&e, viewing.StatePending, "", "user.released", nil)
	}
	t.mergeDuplicate(e.ID, true)
	return changed
}

// recall takes in again what was dropped by the user's settings or by the user. What may
// have arrived before is in doubt then: the step by which it was dropped has the state
// before, and where that is not known, every request may have arrived.
func (t *tx) recall(e Entry) {
	if e.Attempts > 0 {
		var before viewing.State
		t.find("SELECT from_state FROM steps WHERE entry = ? AND from_state <> '' ORDER BY number DESC LIMIT 1", []any{e.ID}, &before)
		known := []viewing.State{viewing.StateRejected, viewing.StateHeld, viewing.StatePending, viewing.StateDelivered} // the last: taken back
		if e.Reason == viewing.ReasonUser && !slices.Contains(known, before) {
			t.transitionByUser(&e, viewing.StateInDoubt, "recalled", "user.recalled.doubt", nil)
			t.addDoubt(e.ID, millis(t.now))
			return
		}
		e.Revision++ // the service has refused it, or given it back: this is another act
	}
	d := rules.Decide(rules.Settings{}, e.Source, t.eventOf(e), e.Media, millis(t.now))
	t.transitionByUser(&e, d.State, d.Reason, "user.recalled", nil)
	t.step(e.ID, d.Why)
	t.mergeDuplicate(e.ID, true)
}

// RecordUndo records that a delivered entry was taken back from the service by the
// user's will; it is dropped. Errors wrap [entry.ErrNotFound] or [entry.ErrState].
func (s *Store) RecordUndo(ctx context.Context, id int64) (after Entry, err error) {
	err = s.write(ctx, fmt.Sprintf("undo entry %d", id), func(t *tx) error {
		if after = t.entry(id); !slices.Contains(after.Actions(millis(t.now)), entry.VerbUndo) {
			return &StateError{Verb: "undo", ID: id, State: after.State, Reason: after.Reason}
		}
		t.transitionByUser(&after, viewing.StateDropped, viewing.ReasonUser, "user.undone", nil)
		return nil
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
	switch others := t.numbers(selectShared, e.ID, account); {
	case e.Attempts > 0:
		no.Why = viewing.Say("fault.mayHaveLeft")
		return no
	case e.After != 0:
		no.Why = viewing.Say("fault.withList", "id", number(e.After))
		return no
	case len(others) > 0:
		no.Why = viewing.Say("fault.otherHas", "name", account, "id", number(others[0]))
		return no
	}
	for _, id := range t.numbers("UPDATE entries SET account = ?2, touched = max(touched, 1) WHERE id = ?1 OR after = ?1 RETURNING id", e.ID, account) {
		moved := t.entry(id)
		t.count(e.Account, moved.State, -1)
		t.count(account, moved.State, 1)
		t.exec("UPDATE lookups SET account = ?, ask_at = 0, asked = 0 WHERE entry = ?", account, id)
		t.step(id, entry.Step{Code: "user.moved", Args: entry.Args{"account": account, "before": e.Account}})
	}
	t.mergeDuplicate(e.ID, true)
	return nil
}

// transitionByUser puts an entry into another state by the user's will. What is let go is due
// at once.
func (t *tx) transitionByUser(e *Entry, to viewing.State, reason, code string, args entry.Args) {
	if e.Touched = max(e.Touched, entry.Decided); to == viewing.StatePending {
		e.NextAt = t.dueSince(*e)
	}
	t.transition(e, to, reason, entry.Step{Code: code, Args: args})
}
