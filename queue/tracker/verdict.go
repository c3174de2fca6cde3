package tracker

import (
	"errors"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Outcome says what one request means for its entry.
type Outcome string

// The outcomes.
const (
	// Offline: the service was not reached. No attempt is counted.
	Offline Outcome = "offline"
	// Delivered: the service has it.
	Delivered Outcome = "delivered"
	// Rejected: the service refuses this entry.
	Rejected Outcome = "rejected"
	// Refused: the service or a server before it refuses the key. The account pauses.
	Refused Outcome = "refused"
	// Later: the service asks for a retry after RetryAfter.
	Later Outcome = "later"
	// Unproven: the server at this address was not recognized as the service. The account pauses.
	Unproven Outcome = "unproven"
	// Unsupported: the service has no such operation. Only for [ListItems], at a proven address.
	Unsupported Outcome = "lacking"
	// InDoubt: the service may have recorded it.
	InDoubt Outcome = "in_doubt"
)

// Verdict is the result of one request. Reading methods return it as an error.
type Verdict struct {
	Outcome Outcome
	// Status is the response's HTTP status, 0 without a response.
	Status int
	// Code and Message are the service's, limited in length and without the key.
	Code, Message string
	// RetryAfter applies to the whole account; set for [Later] only, at most a day.
	RetryAfter time.Duration
	// ListID is the id of the list that was created.
	ListID string
	// Proves says that this response proves the address.
	ProvesAddress bool
	// Problem is the explanation for the user; the zero value only when delivered.
	Problem viewing.Message
	// Hint is the command that helps, if the user can do something.
	Hint viewing.Message
}

// The codes of a [Verdict.Problem] about the key.
const (
	KeyRefused  = "keyRefused"
	KeyReadOnly = "keyReadOnly"
)

// The values of a [Verdict.Hint].
var (
	hintLogin   = viewing.Say("hint.command", "command", "filmspool login")
	hintAddress = viewing.Say("hint.command", "command", "filmspool login --base-url URL")
	hintRetry   = viewing.Say("hint.command", "command", "filmspool send --all")
	hintDoubt   = viewing.Say("hint.command", "command", "filmspool diary --state in_doubt")
	hintProxy   = viewing.Say(HintProxy)
)

// HintProxy is the code of a [Verdict.Hint] without a command: the proxy needs a user and a password.
const HintProxy = "hint.proxy"

// ErrNoEndpoint is wrapped when the service has no such endpoint for this key: a response 404, 405, 501, 401 or
// 403, or one that refuses the request as invalid.
var ErrNoEndpoint = errors.New("the service has no such endpoint")

// Error says why a read failed. A failed read has the outcome Offline, Later, Refused, Unproven or, with
// [ErrNoEndpoint], Rejected; it is never in doubt.
func (v Verdict) Error() string { return "read from the service: " + v.Problem.Error() }

// Unwrap returns [ErrNoEndpoint] for a missing endpoint.
func (v Verdict) Unwrap() error {
	if v.Outcome == Rejected {
		return ErrNoEndpoint
	}
	return nil
}

// VerdictOf returns the verdict in the error of a read; ok is false for another error.
func VerdictOf(err error) (v Verdict, ok bool) { return errors.AsType[Verdict](err) }
