// Package entry defines the types in which the outbox is shown to people and programs: an entry,
// its history, and how entries are selected and changed. Package queue reads and changes them;
// package daemon/locale renders their steps.
package entry

import (
	"errors"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Errors for errors.Is.
var (
	// ErrNotFound is wrapped when no entry has the id.
	ErrNotFound = errors.New("no such entry")
	// ErrState is wrapped when an entry's state does not allow the change.
	ErrState = errors.New("entry is in another state")
)

// Missing is an [ErrNotFound] with the id of the entry.
type Missing int64

// Error returns a message with the id.
func (m Missing) Error() string { return fmt.Sprintf("there is no entry %d", int64(m)) }

// Is reports whether target is [ErrNotFound].
func (m Missing) Is(target error) bool { return target == ErrNotFound }

// Entry is one request to the service: a viewing of one item, a watchlist entry, a list or an
// item of a list. Its JSON is the form of the API.
type Entry struct {
	ID     int64         `json:"id"`
	Kind   viewing.Kind  `json:"kind"`
	State  viewing.State `json:"state"`
	Reason string        `json:"reason"` // why it is in that state, a code; "" if the state says it all
	// Cause explains the reason, such as the service's answer; nil if none exists.
	Cause *viewing.Message `json:"cause,omitempty"`
	// Account is the name of its account.
	Account string `json:"account"`
	// Source and EventID identify the event it was made from.
	Source  string `json:"source"`
	EventID string `json:"eventId"`
	// Part numbers the entries of one event from 0: an event of n viewings of k items
	// has n·k of them.
	Part      int            `json:"-"`
	Media     *viewing.Media `json:"media,omitempty"`    // nil for lists
	List      *viewing.List  `json:"list,omitempty"`     // lists only
	Priority  *int           `json:"priority,omitempty"` // watchlist only; nil leaves it to the service
	WatchedAt Moment         `json:"watchedAt,omitzero"`
	DayOnly   bool           `json:"dayOnly,omitempty"` // only the day of WatchedAt is known
	Class     viewing.Class  `json:"class,omitempty"`
	Minutes   int            `json:"minutes,omitempty"` // the length of the item; 0 if unknown
	Count     int            `json:"count"`             // number of viewings: always 1
	Lane      viewing.Lane   `json:"-"`
	Attempts  int            `json:"attempts"`           // number of requests that were sent, or may have been
	RemoteID  string         `json:"remoteId,omitempty"` // the service's id of a list
	Revision  int            `json:"-"`                  // part of the Idempotency-Key: raised by every edit and every definite refusal
	// After is the id of the list entry that must be delivered first; 0 if none exists.
	After int64 `json:"-"`
	// ListID is the service's id of the list that an item is added to, once known;
	// list items only.
	ListID string `json:"-"`
	// NextAt is when a pending entry is due. Before the first delay that is the time of
	// the viewing, so that the oldest is sent first.
	NextAt    time.Time `json:"nextAt,omitzero"`
	CreatedAt time.Time `json:"createdAt"`
	SettledAt time.Time `json:"settledAt,omitzero"` // zero until finished
	// Reported is the item as its source reported it, if Media is the result of a
	// lookup or correction; nil if Media is as reported.
	Reported   *viewing.Media `json:"-"`
	Correction int64          `json:"-"` // the id of the correction that was applied; 0 if none exists
	Touched    Touched        `json:"-"`
}

// Touched is what a person has done to an entry.
type Touched int

// The values. Each includes those before it.
const (
	Untouched Touched = iota
	Decided           // held, released, dropped or sent again: filters no longer apply
	Edited            // edited or corrected: its source can no longer change it
)

// AsReported returns the item as its source reported it.
func (e Entry) AsReported() *viewing.Media {
	if e.Reported != nil {
		return e.Reported
	}
	return e.Media
}

// Counted reports whether the entry counts in statistics: it is a viewing that was neither
// dropped nor merged, and is not held for a reason that makes it doubtful.
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

// Position returns the position of the entry in a list by time.
func (e Entry) Position() Position {
	if e.Kind == viewing.KindViewing {
		return Position{e.WatchedAt.Millis, e.ID}
	}
	return Position{e.CreatedAt.UnixMilli(), e.ID}
}

// Label returns the title of the entry for people.
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

// Key returns the [viewing.Media.Key] of the item. It is "" for an item of a list, which does not
// wait for viewings of the same item.
func (e Entry) Key() string {
	if e.Media == nil || e.Kind == viewing.KindListItem {
		return ""
	}
	return e.Media.Key()
}

// Moment is an instant whose JSON is RFC 3339 in UTC, without the text of its source.
type Moment struct{ viewing.Instant }

// MarshalJSON implements [encoding/json.Marshaler].
func (m Moment) MarshalJSON() ([]byte, error) { return m.Time().MarshalJSON() }

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (m *Moment) UnmarshalJSON(text []byte) error {
	var t time.Time
	err := t.UnmarshalJSON(text)
	m.Instant = viewing.At(t)
	return err
}

// Explanation is everything known about one entry.
type Explanation struct {
	Entry
	Ahead    Entry      `json:"-"`        // the entry that a pending one waits for; its ID is 0 if none exists
	Events   []Sighting `json:"events"`   // all sightings: first the event it was made from
	Steps    []Step     `json:"steps"`    // what was decided, in order
	Requests []Attempt  `json:"requests"` // every request and its answer, in order
}

// Sighting is an event that reported the playback of an entry.
type Sighting struct {
	At      time.Time     `json:"at"` // when the event was committed
	Source  string        `json:"source"`
	EventID string        `json:"eventId"`
	Event   viewing.Event `json:"seen"` // as it was committed
}

// Step is one decision about an entry, as data. Its code is a family and a name, such as
// "rule.future" or "user.released".
type Step struct {
	At     time.Time        `json:"at,omitzero"`
	Code   string           `json:"code"`
	From   viewing.State    `json:"from,omitempty"`   // the state before the step
	Reason string           `json:"reason,omitempty"` // the reason before the step
	Args   Args             `json:"args,omitempty"`
	Cause  *viewing.Message `json:"cause,omitempty"` // {what} in the text
	Text   string           `json:"text,omitempty"`  // the rendered step; package queue leaves it empty
}

// Args are the arguments of a step by name. Times are in RFC 3339.
type Args map[string]string

// Time formats a time for [Args].
func Time(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// Attempt is one request.
type Attempt struct {
	Number int              `json:"-"` // from 1
	At     time.Time        `json:"at"`
	Ended  time.Time        `json:"-"`                // zero while it is under way
	Status int              `json:"status,omitempty"` // HTTP status; 0 without a response
	Code   string           `json:"-"`                // the service's error code
	Cause  *viewing.Message `json:"cause,omitempty"`  // why there was no response
	Error  string           `json:"error,omitempty"`  // the rendered cause; package queue leaves it empty
	Answer string           `json:"answer,omitempty"`
	Sent   bool             `json:"-"` // false if it is certain that no byte was sent
}

// Sent is an entry with the start of its last request and the user id of the key that was used;
// "" if unknown.
type Sent struct {
	Entry Entry
	At    time.Time
	Owner string
}

// Related is what else is known about an entry.
type Related struct {
	Runtime time.Duration // of the item, as the source reported it; 0 if unknown
	// Delivered are the times of the other delivered entries of its event about the
	// same item. They are viewings of their own.
	Delivered []time.Time
}
