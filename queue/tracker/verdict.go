package tracker

import (
	"errors"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
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

// Verdict is what became of one request. Of a read that gave nothing it is the error.
type Verdict struct {
	Fate Fate
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
	// Problem is what a person is told; the zero value only when delivered.
	Problem viewing.Message
	// Hint is the command that helps, where a person can act.
	Hint viewing.Message
}

// The codes of a [Verdict.Problem] about the key.
const (
	KeyRefused  = "keyRefused"
	KeyReadOnly = "keyReadOnly"
)

// What a person can do.
var (
	hintLogin   = viewing.Say("hint.command", "command", "filmspool login")
	hintAddress = viewing.Say("hint.command", "command", "filmspool login --base-url URL")
	hintRetry   = viewing.Say("hint.command", "command", "filmspool send --all")
	hintDoubt   = viewing.Say("hint.command", "command", "filmspool diary --state in_doubt")
	hintProxy   = viewing.Say(HintProxy)
)

// HintProxy is the code of the [Verdict.Hint] that is no command: the proxy needs a user and a password.
const HintProxy = "hint.proxy"

// ErrNoEndpoint is wrapped when the service has no such endpoint for this key: 404, 405, 501, 401 or 403
// there, or a question that it refuses as invalid.
var ErrNoEndpoint = errors.New("the service has no such endpoint")

// Error says why a read gave nothing. Its fate is Offline, Later, Refused, Unproven or, with [ErrNoEndpoint],
// Rejected; it is never in doubt.
func (v Verdict) Error() string { return "read from the service: " + v.Problem.Error() }

// Unwrap returns [ErrNoEndpoint] for a missing endpoint.
func (v Verdict) Unwrap() error {
	if v.Fate == Rejected {
		return ErrNoEndpoint
	}
	return nil
}

// VerdictOf returns the verdict that an error of a read is; ok is false for another error.
func VerdictOf(err error) (v Verdict, ok bool) { return errors.AsType[Verdict](err) }
