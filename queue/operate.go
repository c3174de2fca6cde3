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

// Results of a verb for one entry. Any other value is the reason why it was skipped.
const (
	changed     = ""
	unchanged   = "unchanged" // the entry was as requested already
	leftInDoubt = string(viewing.StateInDoubt)
)

const (
	maxNamed      = 100 // ids in [entry.Changed]
	operationPage = 500 // entries per transaction, so that sources do not wait long
)

// StateError reports that a verb does not apply to an entry. It wraps [entry.ErrState].
type StateError struct {
	Verb   string // "drop"
	ID     int64  // 0 if a filter asks for a state that the verb does not apply to
	State  viewing.State
	Reason string          // the reason of the entry, a code
	Why    viewing.Message // why the verb does not apply, unless the state says it
}

// Error returns the verb, the entry and its state.
func (e *StateError) Error() string {
	return fmt.Sprintf("%s entry %d: it is %s (%s) %s", e.Verb, e.ID, e.State, e.Reason, e.Why.Error())
}

// Unwrap returns [entry.ErrState].
func (e *StateError) Unwrap() error { return entry.ErrState }

// Operate applies a verb to entries:
//
//	retry    sends again: a rejected entry with a new Idempotency-Key, a pending one now
//	         instead of later, one in doubt only with [entry.Selection.MayDouble] and with
//	         the same Idempotency-Key
//	hold     keeps a pending entry until it is released
//	release  sends a held entry, whatever its reason. An entry without an identifier, or
//	         with a time in the future, stays held; one of a burst waits for its lookup.
//	         An entry that the user's settings dropped is restored, as if there were no
//	         such setting, if it is selected by id or by state; one that the user dropped
//	         only by id
//	send     release for held and dropped entries, otherwise retry. Held entries must be
//	         selected by id, state or reason. Entries in doubt are rechecked if they are
//	         selected by id or state
//	recheck  asks the service now whether it has an entry in doubt
//	settle   records what the user knows about an entry in doubt: delivered, rejected or
//	         dropped
//	drop     withdraws an entry that has not arrived; it stays in the database
//	move     moves a pending or held entry, if no request was sent for it, to another
//	         account with its events and steps. A list takes its items along
//
// Entries selected by id are changed in one transaction. Those selected by a filter are changed
// page by page, so that no source waits long: if ctx ends, the finished pages stay changed, and
// calling Operate again changes the rest. Errors wrap [entry.ErrSelection], [entry.ErrNotFound]
// or [entry.ErrState] (a [*StateError]).
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
			continue // dropped entries are restored only if the filter names that state
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

// apply changes entries in one transaction. If state is set, entries that are in another state by
// now are skipped; otherwise an entry that cannot be changed is an error.
func (s *Store) apply(ctx context.Context, o entry.Order, ids []int64, state viewing.State, sum *entry.Changed) error {
	var after entry.Changed
	err := s.writeDry(ctx, string(o.Verb)+" entries", o.DryRun, func(t *tx) error {
		after = *sum // the function may be called again
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

// operate applies a verb to an entry whose state the verb allows. It returns changed, unchanged
// or the reason why it skipped the entry.
func (t *tx) operate(o entry.Order, e Entry) (left string, err error) {
	named := len(o.IDs) > 0
	switch {
	case o.Verb == entry.VerbHold:
		t.transitionByUser(&e, viewing.StateHeld, viewing.ReasonUser, "user.held", nil)
	case o.Verb == entry.VerbDrop:
		t.transitionByUser(&e, viewing.StateDropped, viewing.ReasonUser, "user.dropped", nil)
	case o.Verb == entry.VerbSettle:
		if o.As == viewing.StateRejected {
			e.Revision++ // the next request gets a new Idempotency-Key
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
	case o.MayDouble: // with the same Idempotency-Key: a service that supports it records the viewing once
		t.transitionByUser(&e, viewing.StatePending, "", "user.retried.doubt", nil)
	case o.Verb == entry.VerbSend && (named || o.State == viewing.StateInDoubt):
		t.recheck(e)
	default:
		return leftInDoubt, nil
	}
	return changed, nil
}

// release releases a held entry, or restores a dropped one. An entry that the user dropped is
// restored only if named, that is selected by id.
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

// recall restores an entry that was dropped by the user or the user's settings. If a request may
// have arrived before, it becomes in doubt. The step that dropped it has the state before; if
// that is unknown, any request may have arrived.
func (t *tx) recall(e Entry) {
	if e.Attempts > 0 {
		var before viewing.State
		t.find("SELECT from_state FROM steps WHERE entry = ? AND from_state <> '' ORDER BY number DESC LIMIT 1", []any{e.ID}, &before)
		known := []viewing.State{viewing.StateRejected, viewing.StateHeld, viewing.StatePending, viewing.StateDelivered}
		if e.Reason == viewing.ReasonUser && !slices.Contains(known, before) {
			t.transitionByUser(&e, viewing.StateInDoubt, "recalled", "user.recalled.doubt", nil)
			t.addDoubt(e.ID, millis(t.now))
			return
		}
		e.Revision++ // the service refused or deleted it: the next request gets a new Idempotency-Key
	}
	d := rules.Decide(rules.Settings{}, e.Source, t.eventOf(e), e.Media, millis(t.now))
	t.transitionByUser(&e, d.State, d.Reason, "user.recalled", nil)
	t.step(e.ID, d.Why)
	t.mergeDuplicate(e.ID, true)
}

// RecordUndo drops a delivered entry after the user had it deleted from the service. Errors wrap
// [entry.ErrNotFound] or [entry.ErrState].
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

// selectShared selects an entry of account ?2 that was made from the same part of the event of
// entry ?1, or that has the same item and shares a sighting with it.
const selectShared = `SELECT n.id FROM entries AS e JOIN entries AS n ON n.event = e.event AND n.part = e.part
	WHERE e.id = ?1 AND n.account = ?2
	UNION ALL SELECT n.id FROM entries AS e JOIN entries AS n ON n.account = ?2 AND n.item_key = e.item_key AND n.item_key <> ''
	WHERE e.id = ?1 AND EXISTS (
		SELECT event FROM (SELECT n.event UNION ALL SELECT event FROM witnesses WHERE entry = n.id)
		INTERSECT SELECT event FROM (SELECT e.event UNION ALL SELECT event FROM witnesses WHERE entry = e.id)) LIMIT 1`

// move moves an entry, with the entries that wait for it, to another account. There it is merged
// with the entry of the same playback.
func (t *tx) move(e Entry, account string) error {
	refusal := &StateError{Verb: "move", ID: e.ID, State: e.State}
	switch others := t.numbers(selectShared, e.ID, account); {
	case e.Attempts > 0:
		refusal.Why = viewing.Say("fault.mayHaveLeft")
		return refusal
	case e.After != 0:
		refusal.Why = viewing.Say("fault.withList", "id", number(e.After))
		return refusal
	case len(others) > 0:
		refusal.Why = viewing.Say("fault.otherHas", "name", account, "id", number(others[0]))
		return refusal
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

// transitionByUser changes the state of an entry as the user requested. A pending entry is due at
// once.
func (t *tx) transitionByUser(e *Entry, to viewing.State, reason, code string, args entry.Args) {
	if e.Touched = max(e.Touched, entry.Decided); to == viewing.StatePending {
		e.NextAt = t.dueSince(*e)
	}
	t.transition(e, to, reason, entry.Step{Code: code, Args: args})
}
