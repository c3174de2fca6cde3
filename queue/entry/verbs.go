package entry

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Verb is an action of a person on an entry.
type Verb string

// The verbs.
const (
	VerbRetry   Verb = "retry"
	VerbHold    Verb = "hold"
	VerbRelease Verb = "release"
	VerbSend    Verb = "send" // retry, release or recheck, depending on the state
	VerbRecheck Verb = "recheck"
	VerbSettle  Verb = "settle"
	VerbDrop    Verb = "drop"
	VerbMove    Verb = "move"
	VerbUndo    Verb = "undo"
	VerbEdit    Verb = "edit"
	VerbFix     Verb = "fix"
)

// Verbs returns all verbs.
func Verbs() []Verb {
	return []Verb{VerbRetry, VerbHold, VerbRelease, VerbSend, VerbRecheck, VerbSettle, VerbDrop, VerbMove, VerbUndo, VerbEdit, VerbFix}
}

// states are the states in which a verb may apply to an entry, in the order in which
// the queue processes them.
var states = map[Verb][]viewing.State{
	VerbRetry:   {viewing.StatePending, viewing.StateRejected, viewing.StateInDoubt},
	VerbHold:    {viewing.StatePending},
	VerbRelease: {viewing.StateHeld, viewing.StateDropped},
	VerbSend:    {viewing.StatePending, viewing.StateRejected, viewing.StateInDoubt, viewing.StateHeld, viewing.StateDropped},
	VerbRecheck: {viewing.StateInDoubt},
	VerbSettle:  {viewing.StateInDoubt},
	VerbDrop:    {viewing.StatePending, viewing.StateHeld, viewing.StateRejected, viewing.StateInDoubt},
	VerbMove:    {viewing.StatePending, viewing.StateHeld},
	VerbUndo:    {viewing.StateDelivered},
	VerbEdit:    {viewing.StatePending, viewing.StateHeld, viewing.StateRejected},
	VerbFix:     {viewing.StatePending, viewing.StateHeld, viewing.StateRejected},
}

// States returns the states in which the verb may apply; [Entry.Actions] also checks the other
// conditions.
func (v Verb) States() []viewing.State { return states[v] }

// Actions returns the verbs that apply to the entry now. An entry in doubt can also be sent
// again, if the person accepts that it may be recorded twice.
func (e Entry) Actions(now time.Time) []Verb {
	return slices.DeleteFunc(Verbs(), func(v Verb) bool { return !e.fits(v, now) })
}

// fits reports whether a verb applies to the entry.
func (e Entry) fits(v Verb, now time.Time) bool {
	if !slices.Contains(v.States(), e.State) {
		return false
	}
	switch v {
	case VerbRetry:
		return e.State != viewing.StateInDoubt
	case VerbRelease:
		return e.ReleaseBlockedBy(now) == ""
	case VerbSend:
		return e.fits(VerbRetry, now) || e.fits(VerbRelease, now) || e.fits(VerbRecheck, now)
	case VerbMove:
		return e.Attempts == 0 && e.After == 0
	case VerbUndo:
		return e.Kind == viewing.KindViewing
	case VerbFix:
		return e.Media != nil
	default:
		return true
	}
}

// ReleaseBlockedBy returns why a held or dropped entry cannot be released: it has no identifier,
// its time is in the future, or it was withdrawn; "" if it can. An entry of a burst can be
// released without an identifier: it then waits for its lookup.
func (e Entry) ReleaseBlockedBy(now time.Time) string {
	switch {
	case e.State == viewing.StateDropped && !DroppedByRule(e.Reason) && e.Reason != viewing.ReasonUser:
		return Withdrawn
	case e.State == viewing.StateDropped:
		return ""
	case e.Media != nil && !e.Media.Identified() && e.Reason != viewing.ReasonBurst:
		return viewing.ReasonUnresolved
	case e.Kind == viewing.KindViewing && e.WatchedAt.IsFuture(now):
		return viewing.ReasonFuture
	default:
		return ""
	}
}

// Withdrawn is why an entry that its source dropped cannot be released.
const Withdrawn = "withdrawn"

// DroppedByRule reports whether reason is that of an entry dropped by the user's settings when it
// was committed. It was never sent and can be restored.
func DroppedByRule(reason string) bool {
	switch viewing.Class(reason) {
	case viewing.ReasonFiltered, viewing.ReasonPaused, viewing.ReasonUntitled, viewing.ClassLive, viewing.ClassMarked, viewing.ClassCatchUp,
		viewing.ClassBulk, viewing.ClassBackdated, viewing.ClassReview, viewing.ClassImport:
		return true
	default:
		return false
	}
}

// ErrSelection is wrapped when a [Selection] is empty or contradictory, so that no verb is
// applied to all entries by accident.
var ErrSelection = errors.New("nothing is selected")

// Selection selects the entries for a verb: by id, by a filter, or all.
type Selection struct {
	IDs []int64 `json:"ids,omitempty"`
	Filter
	All bool `json:"all,omitempty"` // all entries that the verb applies to
	// MayDouble makes a retry include entries in doubt. If the service has them
	// already, they may be recorded twice.
	MayDouble bool `json:"mayDouble,omitempty"`
}

// Check returns an error if the selection is empty or contradictory.
func (s Selection) Check() error {
	switch {
	case s.State != "" && !s.State.Valid():
		return fmt.Errorf("%w: %q is not a state", ErrState, s.State)
	case len(s.IDs) > 0 && (s.HasCondition() || s.All):
		return fmt.Errorf("%w: either ids or filters, not both", ErrSelection)
	case len(s.IDs) == 0 && !s.HasCondition() && !s.All:
		return ErrSelection
	default:
		return nil
	}
}

// Order is a verb with the entries that it is for.
type Order struct {
	Verb Verb `json:"verb"`
	Selection
	As     viewing.State `json:"as,omitempty"`     // for [VerbSettle]: delivered, rejected or dropped
	To     string        `json:"to,omitempty"`     // for [VerbMove]: the account
	DryRun bool          `json:"dryRun,omitempty"` // report what would be changed, and change nothing
}

// Changed is the result of a verb.
type Changed struct {
	Verb    Verb                    `json:"verb"`
	DryRun  bool                    `json:"dryRun"`
	Changed int64                   `json:"changed"` // number of changed entries
	From    map[viewing.State]int64 `json:"from"`    // their number by previous state
	// Left is the number of skipped entries by reason: "in_doubt", "unresolved", "future"
	// or "withdrawn". With ids, a skipped entry is an error instead.
	Left map[string]int64 `json:"left"`
	IDs  []int64          `json:"ids"` // the first hundred changed entries
}

// Edit is a change to an entry by the user.
type Edit struct {
	// Media is the new item; nil keeps the old one. An episode keeps the series, season
	// and number that are not set.
	Media *viewing.Media `json:"media,omitempty"`
	// WatchedAt is the new time; zero keeps the old one.
	WatchedAt viewing.Instant `json:"watchedAt,omitzero"`
	// DryRun returns the entry as it would be, and changes nothing.
	DryRun bool `json:"dryRun,omitempty"`
}
