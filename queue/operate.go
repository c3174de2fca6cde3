package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// maxNamed bounds the ids that [Changed] names.
const maxNamed = 100

// begin is a sum to begin with.
func (o operation) begin(dry bool) entry.Changed {
	return entry.Changed{Verb: o.verb, DryRun: dry, From: map[viewing.State]int64{}, Left: map[string]int64{}, IDs: []int64{}}
}

// tally counts one entry.
func tally(c *entry.Changed, e Entry, left string) {
	switch left {
	case changed:
		c.Changed++
		c.From[e.State]++
		if len(c.IDs) < maxNamed {
			c.IDs = append(c.IDs, e.ID)
		}
	case unchanged:
	default:
		c.Left[left]++
	}
}

// What a verb answers for one entry, beside the reasons to leave it.
const (
	changed       = ""
	unchanged     = "unchanged" // it is as it should be already
	leftInDoubt   = string(viewing.StateInDoubt)
	leftWithdrawn = "withdrawn" // dropped by a person or by its source, not by the settings
	operationPage = 500         // entries changed in one transaction: others want to write too
)

// StateError says why a verb does not fit an entry. It wraps [entry.ErrState].
type StateError struct {
	Verb   string // "drop"
	ID     int64
	State  viewing.State
	Reason string // why the entry stands there, or why the verb does not fit
}

// Error names the verb, the entry and its state.
func (e *StateError) Error() string {
	text := fmt.Sprintf("%s entry %d: it is %s", e.Verb, e.ID, e.State.Words())
	if e.Reason != "" {
		text += " (" + e.Reason + ")"
	}
	return text
}

// Unwrap makes it an [entry.ErrState].
func (e *StateError) Unwrap() error { return entry.ErrState }

// operation is one of the operator's verbs.
type operation struct {
	verb  string
	reach []viewing.State // the states it changes, in the order they are gone through
	// change changes one entry in such a state, or says why not.
	change func(t *tx, e Entry) (left string, err error)
}

// errDry undoes what a dry run did.
var errDry = errors.New("dry run")

// operate applies an operation: to ids all at once or not at all, to what
// filters find in steps, so that no source waits long for its answer. What
// was done when ctx ends stays done, and doing it again does the rest.
func (s *Store) operate(ctx context.Context, o operation, sel entry.Selection, dry bool) (entry.Changed, error) {
	sum := o.begin(dry)
	err := sel.Check()
	switch {
	case err != nil:
	case len(sel.IDs) > 0:
		err = s.operateOnIDs(ctx, o, sel.IDs, dry, &sum)
	case sel.State != "" && !slices.Contains(o.reach, sel.State):
		err = fmt.Errorf("%w: what is %s cannot be changed so", entry.ErrState, sel.State.Words())
	default:
		err = s.operateOnAll(ctx, o, sel, dry, &sum)
	}
	var state *StateError
	if err != nil && !errors.As(err, &state) {
		err = fmt.Errorf("%s entries: %w", o.verb, err)
	}
	return sum, err
}

// operateOnIDs changes the named entries in one transaction.
func (s *Store) operateOnIDs(ctx context.Context, o operation, ids []int64, dry bool, sum *entry.Changed) error {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	return s.writeDry(ctx, dry, func(t *tx) error {
		*sum = o.begin(dry)
		for _, id := range ids {
			e, err := t.entry(id)
			if err != nil {
				return fmt.Errorf("entry %d: %w", id, err)
			}
			if !slices.Contains(o.reach, e.State) {
				return &StateError{Verb: o.verb, ID: id, State: e.State, Reason: e.Reason}
			}
			left, err := o.change(t, e)
			if err != nil {
				return err
			}
			if left != changed && left != unchanged {
				return o.refusal(e, left)
			}
			tally(sum, e, left)
		}
		return nil
	})
}

// refusal says why an entry that was named is left as it is.
func (o operation) refusal(e Entry, left string) error {
	if left == viewing.ReasonFuture {
		e.Reason = left
	}
	return &StateError{Verb: o.verb, ID: e.ID, State: e.State, Reason: e.Reason}
}

// operateOnAll goes through what the filters find, state by state.
func (s *Store) operateOnAll(ctx context.Context, o operation, sel entry.Selection, dry bool, sum *entry.Changed) error {
	for _, state := range o.reach {
		if sel.State != "" && sel.State != state {
			continue
		}
		f := sel.Filter
		f.State, f.Limit = state, operationPage
		for {
			page, err := s.Entries(ctx, f)
			if err != nil {
				return err
			}
			if err := s.operateOnPage(ctx, o, page, dry, sum); err != nil {
				return err
			}
			if len(page) < f.Limit {
				break
			}
			f.Below = page[len(page)-1].ID
		}
	}
	return nil
}

// operateOnPage changes entries that were found a moment ago; those that have
// moved on since are left alone.
func (s *Store) operateOnPage(ctx context.Context, o operation, page []Entry, dry bool, sum *entry.Changed) error {
	if len(page) == 0 {
		return nil
	}
	type effect struct {
		entry Entry
		left  string
	}
	var effects []effect
	err := s.writeDry(ctx, dry, func(t *tx) error {
		effects = nil
		for _, seen := range page {
			e, err := t.entry(seen.ID)
			if errors.Is(err, entry.ErrNotFound) || err == nil && e.State != seen.State {
				continue
			}
			if err != nil {
				return err
			}
			left, err := o.change(t, e)
			if err != nil {
				return err
			}
			effects = append(effects, effect{e, left})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, e := range effects {
		tally(sum, e.entry, e.left)
	}
	return nil
}

// writeDry is write, undone at the end of a dry run.
func (s *Store) writeDry(ctx context.Context, dry bool, do func(*tx) error) error {
	err := s.write(ctx, func(t *tx) error {
		if err := do(t); err != nil {
			return err
		}
		if dry {
			return errDry
		}
		return nil
	})
	if errors.Is(err, errDry) {
		return nil
	}
	return err
}
