package queue

import (
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Entry is one request to the service: one viewing of one item, one watchlist
// wish, one list or one item of a list.
type Entry struct {
	ID     int64
	Kind   viewing.Kind
	State  viewing.State
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
