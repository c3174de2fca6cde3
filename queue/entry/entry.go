// Package entry has the types in which people and programs are told of the outbox:
// an entry, what happened to it, and how entries are selected and changed. Package
// queue reads and changes them; package daemon/locale renders their steps.
package entry

import (
	"errors"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Errors that callers tell apart with errors.Is.
var (
	// ErrNotFound is wrapped when no entry has the id.
	ErrNotFound = errors.New("no such entry")
	// ErrState is wrapped when an entry's state does not allow the change.
	ErrState = errors.New("entry is in another state")
)

// Missing is an [ErrNotFound] that names the entry.
type Missing int64

// Error names the entry.
func (m Missing) Error() string { return fmt.Sprintf("there is no entry %d", int64(m)) }

// Is reports whether target is [ErrNotFound].
func (m Missing) Is(target error) bool { return target == ErrNotFound }

// Entry is one request to the service: one viewing of one item, one watchlist
// wish, one list or one item of a list. Its JSON is what people and programs
// are told of it.
type Entry struct {
	ID     int64         `json:"id"`
	Kind   viewing.Kind  `json:"kind"`
	State  viewing.State `json:"state"`
	Reason string        `json:"reason"` // why it stands there, a code; "" when there is nothing to say
	// Cause says more of the reason, such as what the service answered; nil for nothing.
	Cause *viewing.Message `json:"cause,omitempty"`
	// Account is the name of the account it belongs to.
	Account string `json:"account"`
	// Source and EventID name the event it was made from.
	Source  string `json:"source"`
	EventID string `json:"eventId"`
	// Part counts the entries of one event from 0: an event of n viewings of
	// k items has n·k of them.
	Part      int            `json:"-"`
	Media     *viewing.Media `json:"media,omitempty"`    // nil for lists
	List      *viewing.List  `json:"list,omitempty"`     // lists only
	Priority  *int           `json:"priority,omitempty"` // watchlist only; nil leaves it to the service
	WatchedAt Moment         `json:"watchedAt,omitzero"`
	DayOnly   bool           `json:"dayOnly,omitempty"` // of WatchedAt only the day is known
	Class     viewing.Class  `json:"class,omitempty"`
	Minutes   int            `json:"minutes,omitempty"` // the length of the item; 0 when unknown
	Count     int            `json:"count"`             // viewings that this entry stands for: always 1
	Lane      viewing.Lane   `json:"-"`
	Attempts  int            `json:"attempts"`           // requests that left, or may have
	RemoteID  string         `json:"remoteId,omitempty"` // the service's id of a list
	Revision  int            `json:"-"`                  // raised by every edit and every definite refusal
	// After is the entry that must have arrived first; 0 for none.
	After int64 `json:"-"`
	// ListID is the service's id of the list that an item is put on, as soon as
	// that is known; items of lists only.
	ListID string `json:"-"`
	// NextAt is when a pending entry is due. Until it was put off for the first
	// time that is when it happened, so that the oldest leaves first.
	NextAt    time.Time `json:"nextAt,omitzero"`
	CreatedAt time.Time `json:"createdAt"`
	SettledAt time.Time `json:"settledAt,omitzero"` // zero until finished
	// Reported is what the source said of the item, where somebody else has found
	// out more; nil where Media is that.
	Reported   *viewing.Media `json:"-"`
	Correction int64          `json:"-"` // which gave it its identity; 0 for none
	Touched    Touched        `json:"-"`
}

// Touched says what a person has done to an entry.
type Touched int

// The values, each with those before it.
const (
	Untouched Touched = iota
	Decided           // held, released, dropped or sent again: no filter counts any more
	Edited            // edited or corrected: its source changes it no more
)

// AsReported is the item as its source reported it.
func (e Entry) AsReported() *viewing.Media {
	if e.Reported != nil {
		return e.Reported
	}
	return e.Media
}

// Counted reports whether the entry counts in statistics: it is a viewing that was neither
// dropped nor merged, nor is held because nobody may have watched it.
func (e Entry) Counted() bool {
	switch {
	case e.Kind != viewing.KindViewing || e.State == viewing.StateDropped || e.State == viewing.StateMerged:
		return false
	case e.State != viewing.StateHeld:
		return true
	}
	switch e.Reason {
	case viewing.ReasonBurst, viewing.ReasonBulk, viewing.ReasonBackdated, viewing.ReasonReview, viewing.ReasonFuture, viewing.ReasonUser:
		return false
	default:
		return true
	}
}

// Position is where the entry stands in a list by time.
func (e Entry) Position() Position {
	if e.Kind == viewing.KindViewing {
		return Position{e.WatchedAt.Millis, e.ID}
	}
	return Position{e.CreatedAt.UnixMilli(), e.ID}
}

// Label is the entry in a person's words.
func (e Entry) Label() string {
	switch {
	case e.List != nil:
		return "list “" + e.List.Name + "”"
	case e.Media != nil:
		return e.Media.Label()
	default:
		return string(e.Kind)
	}
}

// Key is the key of the item, "" without one. What is put on a list has none: it
// waits for no viewing, nor one for it.
func (e Entry) Key() string {
	if e.Media == nil || e.Kind == viewing.KindListItem {
		return ""
	}
	return e.Media.Key()
}

// Moment is an instant that JSON tells as RFC 3339 in UTC, without the evidence
// it was read from.
type Moment struct{ viewing.Instant }

// MarshalJSON tells the instant.
func (m Moment) MarshalJSON() ([]byte, error) { return m.Time().MarshalJSON() }

// UnmarshalJSON reads an instant.
func (m *Moment) UnmarshalJSON(text []byte) error {
	var t time.Time
	err := t.UnmarshalJSON(text)
	m.Instant = viewing.At(t)
	return err
}

// Explanation is all that is known about one entry.
type Explanation struct {
	Entry
	Ahead    Entry      `json:"-"`        // what a pending entry waits for; its ID is 0 for none
	Events   []Sighting `json:"events"`   // what was seen: first the event it was made from
	Steps    []Step     `json:"steps"`    // which rule did what, in order
	Requests []Attempt  `json:"requests"` // every request and its answer, in order
}

// Sighting is one event that reported what an entry tells.
type Sighting struct {
	At      time.Time     `json:"at"` // committed
	Source  string        `json:"source"`
	EventID string        `json:"eventId"`
	Event   viewing.Event `json:"seen"` // as it was committed
}

// Step is one thing that was decided about an entry, as data. The code is a word of
// a family and what it says, such as "rule.future" or "user.released".
type Step struct {
	At     time.Time        `json:"at,omitzero"`
	Code   string           `json:"code"`
	From   viewing.State    `json:"from,omitempty"`   // the state that the step ended
	Reason string           `json:"reason,omitempty"` // why the entry stood there
	Args   Args             `json:"args,omitempty"`
	Cause  *viewing.Message `json:"cause,omitempty"` // a text names it as {what}
	Text   string           `json:"text,omitempty"`  // the step in words; package queue leaves it empty
}

// Args are the values of a step by their names. Times are in RFC 3339.
type Args map[string]string

// Time writes a time for [Args].
func Time(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// Attempt is one request.
type Attempt struct {
	Number int              `json:"-"` // from 1
	At     time.Time        `json:"at"`
	Ended  time.Time        `json:"-"`                // zero while it is under way
	Status int              `json:"status,omitempty"` // HTTP status; 0 without an answer
	Code   string           `json:"-"`                // the service's error code
	Cause  *viewing.Message `json:"cause,omitempty"`  // why there was no answer
	Error  string           `json:"error,omitempty"`  // that in words; package queue leaves it empty
	Answer string           `json:"answer,omitempty"`
	Sent   bool             `json:"-"` // false when it is certain that nothing left
}

// Sent is an entry with its last request: when it began, and with whose key;
// "" when that is unknown.
type Sent struct {
	Entry Entry
	At    time.Time
	Owner string
}

// Related is what belongs to an entry beside its own row.
type Related struct {
	Runtime time.Duration // of the item, as a player told it; 0 when unknown
	// Delivered are the times of the other entries of its event about the same
	// item that have arrived: viewings in their own right.
	Delivered []time.Time
}
