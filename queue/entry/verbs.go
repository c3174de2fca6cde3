package entry

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Verb is what a person can do to an entry.
type Verb string

// The verbs.
const (
	VerbRetry   Verb = "retry"
	VerbHold    Verb = "hold"
	VerbRelease Verb = "release"
	VerbSend    Verb = "send" // retry, release or recheck, as it stands
	VerbRecheck Verb = "recheck"
	VerbSettle  Verb = "settle"
	VerbDrop    Verb = "drop"
	VerbMove    Verb = "move"
	VerbUndo    Verb = "undo"
	VerbEdit    Verb = "edit"
	VerbFix     Verb = "fix"
)

// Verbs are all verbs.
func Verbs() []Verb {
	return []Verb{VerbRetry, VerbHold, VerbRelease, VerbSend, VerbRecheck, VerbSettle, VerbDrop, VerbMove, VerbUndo, VerbEdit, VerbFix}
}

// states are those in which a verb may fit an entry, in the order in which many entries are
// gone through.
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

// States are those in which the verb may fit an entry; [Entry.Actions] says what else must
// hold.
func (v Verb) States() []viewing.State { return states[v] }

// Actions are the verbs that fit the entry as it stands. An entry in doubt can be sent
// again as well, where a person takes it that it may be recorded twice.
func (e Entry) Actions(now time.Time) []Verb {
	return slices.DeleteFunc(Verbs(), func(v Verb) bool { return !e.fits(v, now) })
}

// fits reports whether a verb fits the entry.
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

// ReleaseBlockedBy is why an entry that is held or dropped cannot be released: it has no
// identifier, its time lies ahead, or it was withdrawn; "" where it can. A burst can be
// let go without an identifier: each of it waits for that then.
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

// Withdrawn is why an entry stays dropped that its source has dropped.
const Withdrawn = "withdrawn"

// DroppedByRule reports whether what was dropped for a reason was so by the user's
// settings, at the very start: it was never sent, and can still be.
func DroppedByRule(reason string) bool {
	switch viewing.Class(reason) {
	case viewing.ReasonFiltered, viewing.ReasonPaused, viewing.ReasonUntitled, viewing.ClassLive, viewing.ClassMarked, viewing.ClassCatchUp,
		viewing.ClassBulk, viewing.ClassBackdated, viewing.ClassReview, viewing.ClassImport:
		return true
	default:
		return false
	}
}

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
	case len(s.IDs) > 0 && (s.HasCondition() || s.All):
		return fmt.Errorf("%w: either ids or filters, not both", ErrSelection)
	case len(s.IDs) == 0 && !s.HasCondition() && !s.All:
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
