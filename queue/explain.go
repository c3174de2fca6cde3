package queue

import (
	"context"
	"encoding/json"
	"time"
)

// Explanation is all that is known about one entry.
type Explanation struct {
	Entry    Entry
	Events   []Witness // what was seen: first the event it was made from
	Steps    []Step    // which rule did what, in order
	Requests []Attempt // every request and its answer, in order
}

// Witness is one event that reported what an entry tells.
type Witness struct {
	Source  string          `json:"source"`
	EventID string          `json:"eventId"`
	At      time.Time       `json:"at"`   // committed
	Body    json.RawMessage `json:"body"` // the viewing.Viewing as it was committed
}

// Step is one thing that was decided about an entry.
type Step struct {
	At     time.Time `json:"at"`
	What   string    `json:"what"`   // one word, such as "rule" or "amended"
	Detail string    `json:"detail"` // one plain sentence
}

// Attempt is one request.
type Attempt struct {
	Number int       `json:"number"` // from 1
	At     time.Time `json:"at"`
	Ended  time.Time `json:"ended,omitzero"` // zero while it is under way
	Status int       `json:"status"`         // HTTP status; 0 without an answer
	Code   string    `json:"code,omitempty"` // the service's error code
	Answer string    `json:"answer,omitempty"`
	Error  string    `json:"error,omitempty"`
	Sent   bool      `json:"sent"` // false when it is certain that nothing left
}

// Explain tells all about one entry. It returns an error wrapping
// [ErrNotFound] when there is none.
func (s *Store) Explain(ctx context.Context, id int64) (Explanation, error) {
	return Explanation{}, ErrClosed
}
