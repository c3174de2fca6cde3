package entry

import (
	"errors"
	"fmt"

	"github.com/filmspool/filmspool/queue/viewing"
)

// ErrSelection is wrapped when a [Selection] names nothing, or names it twice
// over: a verb never falls upon all entries by accident.
var ErrSelection = errors.New("nothing is selected")

// Selection says which entries an operator's verb is for: some ids, or all
// that fit every filter, or all there are.
type Selection struct {
	IDs []int64 `json:"ids,omitempty"`
	Filter
	All bool `json:"all,omitempty"` // every entry that the verb can change; needs no filter
	// MayDouble is for a retry only: entries in doubt too. The service may
	// have them already, and would then have them twice.
	MayDouble bool `json:"mayDouble,omitempty"`
}

// Check refuses a selection that says nothing or contradicts itself.
func (s Selection) Check() error {
	switch {
	case s.State != "" && !s.State.Valid():
		return fmt.Errorf("%w: %q is not a state", ErrState, s.State)
	case len(s.IDs) > 0 && (s.Chooses() || s.All):
		return fmt.Errorf("%w: either ids or filters, not both", ErrSelection)
	case len(s.IDs) == 0 && !s.Chooses() && !s.All:
		return ErrSelection
	default:
		return nil
	}
}

// Order is a verb for some entries.
type Order struct {
	Verb Verb `json:"verb"`
	Selection
	As     viewing.State `json:"as,omitempty"`     // of [VerbSettle]: delivered, rejected or dropped
	To     string        `json:"to,omitempty"`     // of [VerbMove]: the account
	DryRun bool          `json:"dryRun,omitempty"` // say what would be done, and change nothing
}

// Changed is what a verb did, or would do.
type Changed struct {
	Verb    Verb                    `json:"verb"`
	DryRun  bool                    `json:"dryRun"`
	Changed int64                   `json:"changed"` // entries that it changed
	From    map[viewing.State]int64 `json:"from"`    // the states they were in
	// Left counts what was selected and is left as it is, by the reason:
	// "in_doubt", "unresolved", "future" or "withdrawn". With ids that is an error instead.
	Left map[string]int64 `json:"left"`
	IDs  []int64          `json:"ids"` // the first hundred of those changed
}

// Edit is a correction by the user.
type Edit struct {
	// Media is the new identity, nil keeps the old one. Of an episode, the
	// series, season and number that it does not name stay.
	Media *viewing.Media `json:"media,omitempty"`
	// WatchedAt is the new time, zero keeps the old one.
	WatchedAt viewing.Instant `json:"watchedAt,omitzero"`
	// DryRun has the entry told as it would be, and changes nothing.
	DryRun bool `json:"dryRun,omitempty"`
}
