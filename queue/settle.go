package queue

import (
	"context"
	"time"
)

// Answer is what came back for one request, for a person to read.
type Answer struct {
	Status int    // HTTP status; 0 without an answer
	Code   string // the service's error code
	Text   string // the service's words
	Error  string // why there was no answer
}

// Settlement is what becomes of an entry.
type Settlement struct {
	Entry int64
	// Attempt is what [Store.Sending] returned; the entry must be sending. With
	// 0 there was no request, and the entry must be pending, held or in doubt.
	Attempt int64
	State   State     // the new state; not sending
	Reason  string    // one sentence or a reason's name, for a person
	NextAt  time.Time // pending only: when it is due again; zero for at once
	NotSent bool      // nothing left the machine: the attempt does not count
	// RaiseRevision is set after a definite refusal: another request for this
	// entry is another act.
	RaiseRevision bool
	RemoteID      string // the service's id of a list; "" keeps it
	Answer        Answer
}

// Sending marks a leased entry as being sent, on disk before it returns, and
// numbers the attempt. It returns an error wrapping [ErrLeaseLost] when the
// entry has changed, or its lease ran out and another one was given.
func (s *Store) Sending(ctx context.Context, e Entry) (attempt int64, err error) {
	return 0, ErrClosed
}

// Settle records what became of an entry, with the answer. It returns an
// error wrapping [ErrNotFound] or [ErrState] when that cannot be.
func (s *Store) Settle(ctx context.Context, t Settlement) error { return ErrClosed }
