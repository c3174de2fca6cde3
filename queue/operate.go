package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/filmspool/filmspool/queue/entry"
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
	type outcome struct {
		Entry
		left string
	}
	var all []outcome
	err := s.writeDry(ctx, string(o.Verb)+" entries", o.DryRun, func(t *tx) error {
		all = nil // it may be called again
		for _, id := range ids {
			e, err := t.entry(id)
			if state != "" && (errors.Is(err, entry.ErrNotFound) || err == nil && e.State != state) {
				continue
			}
			if err != nil {
				return fmt.Errorf("entry %d: %w", id, err)
			}
			if err := changeable(o.Verb, e); err != nil {
				return err
			}
			left, err := t.operate(o, e)
			if err != nil {
				return err
			}
			if left != changed && left != unchanged && state == "" {
				if left == viewing.ReasonFuture {
					e.Reason = left
				}
				return &StateError{Verb: string(o.Verb), ID: id, State: e.State, Reason: e.Reason}
			}
			all = append(all, outcome{e, left})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, one := range all {
		switch one.left {
		case unchanged:
		case changed:
			sum.Changed++
			sum.From[one.State]++
			if len(sum.IDs) < maxNamed {
				sum.IDs = append(sum.IDs, one.ID)
			}
		default:
			sum.Left[one.left]++
		}
	}
	return nil
}
