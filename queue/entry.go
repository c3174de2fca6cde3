package queue

import (
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// State is where an [Entry] stands in its life.
type State string

// The states. Held and in doubt wait for a person or for a reading back;
// pending and sending move by themselves; the others are finished.
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

// Finished reports whether nothing is left to be done for an entry in s:
// delivered, rejected, dropped or merged.
func (s State) Finished() bool {
	switch s {
	case StateDelivered, StateRejected, StateDropped, StateMerged:
		return true
	default:
		return false
	}
}

// valid reports whether s is one of the states.
func (s State) valid() bool {
	switch s {
	case StatePending, StateSending, StateHeld, StateInDoubt:
		return true
	default:
		return s.Finished()
	}
}

// Entry is one request to the service: one viewing of one item, one watchlist
// wish, one list or one item of a list.
type Entry struct {
	ID     int64
	Kind   viewing.Kind
	State  State
	Reason string // why it stands there; "" when there is nothing to say
	// Account is the name of the account it belongs to.
	Account string
	// Source and EventID name the event it was made from.
	Source  string
	EventID string
	// Part counts the entries of one event from 0: an event of n viewings of
	// k items has n·k of them.
	Part      int
	Media     *viewing.Media // nil for lists
	List      *viewing.List  // lists only
	Priority  *int           // watchlist only; nil leaves it to the service
	WatchedAt viewing.Instant
	Count     int // viewings that this entry stands for: always 1
	Class     viewing.Class
	Lane      Lane
	Attempts  int // requests that left, or may have
	Revision  int // raised by every edit and every definite refusal
	// After is the entry that must have arrived first; 0 for none.
	After int64
	// ListID is the service's id of the list that an item is put on, as soon as
	// that is known; items of lists only.
	ListID string
	// NextAt is when the entry is due. Until it was put off for the first time
	// that is when it happened, so that the oldest leaves first.
	NextAt    time.Time
	CreatedAt time.Time
	SettledAt time.Time // zero until finished
	RemoteID  string    // the service's id of a list
	Lease     int64     // the token of the lease it was handed out with; 0 for none
	// Damaged is set when the stored row, or its event's, does not match its
	// checksum. Such an entry is never handed out to be sent.
	Damaged bool
}
