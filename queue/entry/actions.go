package entry

import (
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

// States are those in which the verb may fit an entry, in the order in which many entries
// are gone through. [Entry.Actions] says what else must hold.
func (v Verb) States() []viewing.State {
	switch v {
	case VerbRetry:
		return []viewing.State{viewing.StatePending, viewing.StateRejected, viewing.StateInDoubt}
	case VerbHold:
		return []viewing.State{viewing.StatePending}
	case VerbRelease:
		return []viewing.State{viewing.StateHeld, viewing.StateDropped}
	case VerbSend:
		return append(VerbRetry.States(), VerbRelease.States()...)
	case VerbRecheck, VerbSettle:
		return []viewing.State{viewing.StateInDoubt}
	case VerbDrop:
		return []viewing.State{viewing.StatePending, viewing.StateHeld, viewing.StateRejected, viewing.StateInDoubt}
	case VerbMove:
		return []viewing.State{viewing.StatePending, viewing.StateHeld}
	case VerbUndo:
		return []viewing.State{viewing.StateDelivered}
	case VerbEdit, VerbFix:
		return []viewing.State{viewing.StatePending, viewing.StateHeld, viewing.StateRejected}
	default:
		return nil
	}
}

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
		return e.Withheld(now) == ""
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

// Withheld is why an entry that is held or dropped cannot be released: it has no
// identifier, its time lies ahead, or it was withdrawn; "" where it can. A burst can be
// let go without an identifier: each of it waits for that then.
func (e Entry) Withheld(now time.Time) string {
	switch {
	case e.State == viewing.StateDropped && !Ignored(e.Reason) && e.Reason != viewing.ReasonUser:
		return Withdrawn
	case e.State == viewing.StateDropped:
		return ""
	case e.Media != nil && !e.Media.Identified() && e.Reason != viewing.ReasonWave:
		return viewing.ReasonUnresolved
	case e.Kind == viewing.KindViewing && e.WatchedAt.Ahead(now):
		return viewing.ReasonFuture
	default:
		return ""
	}
}

// Withdrawn is why an entry stays dropped that its source has dropped.
const Withdrawn = "withdrawn"

// Ignored reports whether what was dropped for a reason was so by the user's
// settings, at the very start: it was never sent, and can still be.
func Ignored(reason string) bool {
	switch viewing.Class(reason) {
	case viewing.ReasonFiltered, viewing.ReasonPaused, viewing.ReasonUntitled, viewing.ClassLive, viewing.ClassMarked, viewing.ClassCatchUp,
		viewing.ClassBulk, viewing.ClassBackdated, viewing.ClassReview, viewing.ClassImport:
		return true
	default:
		return false
	}
}
