package viewing

import (
	"slices"
)

// State is where an entry of the outbox stands in its life.
type State string

// The states. Held and in doubt wait for a person or for a read-back; pending
// and sending move by themselves; the others are finished.
const (
	StatePending   State = "pending"   // waits to be sent
	StateSending   State = "sending"   // its request may be under way
	StateDelivered State = "delivered" // the service has it
	StateHeld      State = "held"      // not sent until its reason is gone
	StateInDoubt   State = "in_doubt"  // it may have arrived
	StateRejected  State = "rejected"  // the service refused the data
	StateDropped   State = "dropped"   // withdrawn; kept for the record
	StateMerged    State = "merged"    // the same playback as another entry
)

// States are all states, in the order of an entry's life.
func States() []State {
	return []State{
		StatePending, StateSending, StateDelivered, StateHeld, StateInDoubt, StateRejected, StateDropped, StateMerged,
	}
}

// Finished reports whether nothing is left to be done for an entry in s:
// delivered, rejected, dropped or merged.
func (s State) Finished() bool {
	return s == StateDelivered || s == StateRejected || s == StateDropped || s == StateMerged
}

// Valid reports whether s is one of the states.
func (s State) Valid() bool { return slices.Contains(States(), s) }

// The reasons for which an entry is held, or was dropped. Besides these, the
// class of a viewing is a reason where the user's settings say so.
const (
	ReasonUnresolved = "unresolved" // no identifier that the service takes
	ReasonReview     = "review"     // what was seen does not prove that, or when, it was watched
	ReasonBackdated  = "backdated"  // an import or a restored file
	ReasonBulk       = "bulk"       // marked or imported together with others in one act
	ReasonFuture     = "future"     // more than five minutes ahead of this machine
	ReasonFiltered   = "filter"     // a filter of the user's
	ReasonUser       = "user"       // the user held it
	ReasonRestored   = "restored"   // the file is an older copy: it may have been sent since
	ReasonNoList     = "no_list"    // its list, or the service's id of that, is not known
	ReasonWave       = "wave"       // told together with more than a person can watch in a minute
	ReasonApprove    = "approve"    // the user wants to approve it first
	// ReasonContradicted is for a number of its source that TMDB contradicts.
	ReasonContradicted = "contradicted"
	ReasonPaused       = "paused"   // dropped: it was watched in a pause that drops
	ReasonUntitled     = "untitled" // dropped: a video without a title, of a site where the user ignores these
)

// ReasonSeenTwice is why an entry was merged with another one of this queue.
const ReasonSeenTwice = "seen_twice"

// Reasons are all reasons that are no class, the common ones first.
func Reasons() []string {
	return []string{
		ReasonUnresolved, ReasonReview, ReasonBackdated, ReasonBulk, ReasonFuture, ReasonFiltered, ReasonUser,
		ReasonRestored, ReasonNoList, ReasonWave, ReasonApprove, ReasonContradicted, ReasonPaused, ReasonUntitled,
	}
}

// Lane is what entries leave in. Those of one lane leave the oldest first.
type Lane int

// The lanes.
const (
	LaneLive     Lane = iota // as it was seen or asked for
	LaneBackfill             // imports: they leave when nothing live is due
)

// DefaultAccount is the name of the account of whoever names none.
const DefaultAccount = "default"

// The kinds of source, which are how the name of a source begins.
const (
	SourceBrowser = "browser" // an extension that is paired with a code
	SourceProgram = "program" // a program that posts, with a token of its own
	SourceKodi    = "kodi"    // a library, on this machine or on a server
	SourceCLI     = "cli"     // a person who typed a command
	SourceFile    = "file"    // a history file that a person gave, named by its form
)

// Sources are the kinds of source that a person can name.
func Sources() []string {
	return []string{SourceBrowser, SourceProgram, SourceKodi, SourceCLI, SourceFile}
}
