package entry

import (
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Explanation is all that is known about one entry.
type Explanation struct {
	Entry
	Ahead    Entry     `json:"-"`        // what a pending entry waits for; its ID is 0 for none
	Events   []Witness `json:"events"`   // what was seen: first the event it was made from
	Steps    []Step    `json:"steps"`    // which rule did what, in order
	Requests []Attempt `json:"requests"` // every request and its answer, in order
}

// Witness is one event that reported what an entry tells.
type Witness struct {
	At      time.Time     `json:"at"` // committed
	Source  string        `json:"source"`
	EventID string        `json:"eventId"`
	Seen    viewing.Event `json:"seen"` // as it was committed
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

// Kin is what belongs to an entry beside its own row.
type Kin struct {
	Runtime time.Duration // of the item, as a player told it; 0 when unknown
	// Delivered are the times of the other entries of its event about the same
	// item that have arrived: viewings in their own right.
	Delivered []time.Time
}
