package tracker

import (
	"errors"
	"time"
)

// Fate is what one request means for the entry behind it.
type Fate string

// The fates.
const (
	// Offline: the service was not reached. No attempt is counted.
	Offline Fate = "offline"
	// Delivered: the service has it.
	Delivered Fate = "delivered"
	// Rejected: the service refuses this entry, in its own words.
	Rejected Fate = "rejected"
	// Refused: the key, or something on the way, is refused. The account pauses.
	Refused Fate = "refused"
	// Later: the service asks to come back, after RetryAfter.
	Later Fate = "later"
	// Unproven: the server at this address has not shown that it is the service. The account pauses.
	Unproven Fate = "unproven"
	// Lacking: the service has no such operation. Only for [ListItems], at a proven address.
	Lacking Fate = "lacking"
	// InDoubt: it may have been recorded.
	InDoubt Fate = "in_doubt"
)

// Verdict is what became of one request.
type Verdict struct {
	Fate Fate
	// Sent reports that bytes of the request may have left.
	Sent bool
	// Status is the answer's, 0 without one.
	Status int
	// Code and Message are the service's, bounded and without the key.
	Code, Message string
	// RetryAfter holds for the whole account; set for [Later] only, at most a day.
	RetryAfter time.Duration
	// ListID is the id of the list that was created.
	ListID string
	// Proves reports that only the service answers so: the address is proven from now on.
	Proves bool
	// Problem is one plain sentence, empty only when delivered.
	Problem string
	// Hint is a command to type, where a person can act.
	Hint string
}

// What a [Verdict] says of a refused key. It is kept with the pause, and read from there.
const (
	KeyRefused  = "The service does not accept the key."
	KeyReadOnly = "The service knows the key but does not let it write: a secret key (sk_) with the right to write is needed."
)

// ErrNoEndpoint is wrapped when the service has no such endpoint for this key: 404, 405, 501, 401 or 403
// there, or a question that it refuses as invalid.
var ErrNoEndpoint = errors.New("the service has no such endpoint")

// ReadError is why a read gave nothing. Its Verdict is Offline, Later, Refused, Unproven or, with
// [ErrNoEndpoint], Rejected; it is never in doubt.
type ReadError struct{ Verdict Verdict }

func (e *ReadError) Error() string { return "read from the service: " + e.Verdict.Problem }

// Unwrap returns [ErrNoEndpoint] for a missing endpoint.
func (e *ReadError) Unwrap() error {
	if e.Verdict.Fate == Rejected {
		return ErrNoEndpoint
	}
	return nil
}

// VerdictOf returns the verdict of a [ReadError]; ok is false for another error.
func VerdictOf(err error) (v Verdict, ok bool) {
	if r, ok := errors.AsType[*ReadError](err); ok {
		return r.Verdict, true
	}
	return Verdict{}, false
}
