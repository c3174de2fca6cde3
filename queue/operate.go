package queue

import (
	"context"
	"errors"
	"fmt"
	"maps"
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
	text := fmt.Sprintf("%s entry %d: it is %s", e.Verb, e.ID, e.State.Words())
	if e.Reason != "" {
		text += " (" + e.Reason + ")"
	}
	if e.Why.Code != "" {
		text += ": " + e.Why.Error()
	}
	return text
}

// Unwrap makes it an [entry.ErrState].
func (e *StateError) Unwrap() error { return entry.ErrState }

// operation is one of the operator's verbs.
type operation struct {
	verb entry.Verb
	// change changes one entry in such a state, or says why not.
	change func(t *tx, e Entry) (left string, err error)
}

// operate applies an operation: to ids all at once or not at all, to what
// filters find in steps, so that no source waits long for its answer. What
// was done when ctx ends stays done, and doing it again does the rest.
func (s *Store) operate(ctx context.Context, o operation, sel entry.Selection, dry bool) (entry.Changed, error) {
	sum := entry.Changed{Verb: string(o.verb), DryRun: dry, From: map[viewing.State]int64{}, Left: map[string]int64{}, IDs: []int64{}}
	err := sel.Check()
	switch {
	case err != nil:
	case len(sel.IDs) > 0:
		err = s.apply(ctx, o, slices.Compact(slices.Sorted(slices.Values(sel.IDs))), "", dry, &sum)
	case sel.State != "" && !slices.Contains(o.verb.States(), sel.State):
		err = &StateError{Verb: string(o.verb), State: sel.State}
	default:
		err = s.applyToAll(ctx, o, sel, dry, &sum)
	}
	return sum, err
}

// applyToAll goes through what the filters find, state by state.
func (s *Store) applyToAll(ctx context.Context, o operation, sel entry.Selection, dry bool, sum *entry.Changed) error {
	for _, state := range o.verb.States() {
		if state == viewing.StateDropped && sel.State != state {
			continue // what was dropped is taken in again where it is asked for
		}
		f := sel.Filter
		f.State, f.Limit = state, operationPage
		for more := sel.State == "" || sel.State == state; more; {
			page, err := s.Entries(ctx, f)
			if err != nil {
				return err
			}
			ids := make([]int64, len(page))
			for i, e := range page {
				ids[i], f.Below = e.ID, e.ID
			}
			if err := s.apply(ctx, o, ids, state, dry, sum); err != nil {
				return err
			}
			more = len(page) == f.Limit
		}
	}
	return nil
}

// apply changes entries in one transaction. With a state, those that have left it since
// they were found are passed over; without one, what cannot be changed is an error.
func (s *Store) apply(ctx context.Context, o operation, ids []int64, state viewing.State, dry bool, sum *entry.Changed) error {
	if len(ids) == 0 {
		return nil
	}
	before := *sum
	err := s.writeDry(ctx, string(o.verb)+" entries", dry, func(t *tx) error {
		*sum = before // it may be called again
		sum.From, sum.Left, sum.IDs = maps.Clone(before.From), maps.Clone(before.Left), slices.Clone(before.IDs)
		for _, id := range ids {
			e, err := t.entry(id)
			if state != "" && (errors.Is(err, entry.ErrNotFound) || err == nil && e.State != state) {
				continue
			}
			if err != nil {
				return fmt.Errorf("entry %d: %w", id, err)
			}
			if !slices.Contains(o.verb.States(), e.State) {
				return &StateError{Verb: string(o.verb), ID: id, State: e.State, Reason: e.Reason}
			}
			left, err := o.change(t, e)
			switch {
			case err != nil:
				return err
			case left == unchanged:
			case left != changed && state == "":
				if left == viewing.ReasonFuture {
					e.Reason = left
				}
				return &StateError{Verb: string(o.verb), ID: id, State: e.State, Reason: e.Reason}
			case left != changed:
				sum.Left[left]++
			default:
				sum.Changed++
				sum.From[e.State]++
				if len(sum.IDs) < maxNamed {
					sum.IDs = append(sum.IDs, id)
				}
			}
		}
		return nil
	})
	if err != nil {
		*sum = before
	}
	return err
}
