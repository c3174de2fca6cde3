package control

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/filmspool/filmspool/queue/viewing"
)

// The codes of a [Fault].
const (
	CodeInvalid    = "INVALID"     // the request is wrong; see the message
	CodeNotFound   = "NOT_FOUND"   // no such entry, client or route
	CodeRefused    = "REFUSED"     // the service, or a stronger setting, says no
	CodeNotRunning = "NOT_RUNNING" // only a running daemon can do this
	CodeBusy       = "BUSY"        // work goes on that this would cut; try again
	CodeInternal   = "INTERNAL"
)

// Fault is an error with a code for scripts, a message for people and, where one
// helps, what to do or to type.
type Fault struct {
	Code    string          `json:"error"`
	Message viewing.Message `json:"message"`
	Hint    viewing.Message `json:"hint,omitzero"`
	// Also are further faults of the same configuration.
	Also []viewing.Message `json:"also,omitempty"`
	// Reason is why a login was refused: one of the Reasons, or empty.
	Reason string `json:"reason,omitempty"`
}

// The reasons of a refused login.
const (
	ReasonKey     = "key"     // the service refuses the key, or it is none
	ReasonAddress = "address" // what answers there is no service, or it is no address
	ReasonAway    = "away"    // nothing answers as a service does now
)

// Error is the message for a log.
func (f *Fault) Error() string { return f.Message.Error() }

// Unwrap are the messages.
func (f *Fault) Unwrap() []error {
	all := []error{f.Message}
	for _, m := range f.Also {
		all = append(all, m)
	}
	return all
}

// Is makes faults of one code match, so that errors.Is needs no message.
func (f *Fault) Is(target error) bool {
	var other *Fault
	return errors.As(target, &other) && other.Code == f.Code && other.Message.Code == ""
}

// Command is a hint that is a command line.
func Command(format string, values ...any) viewing.Message {
	return viewing.Say("hint.command", "command", fmt.Sprintf(format, values...))
}

// Refused says that something may not be done, and what to do instead.
func Refused(message, hint viewing.Message) *Fault {
	return &Fault{Code: CodeRefused, Message: message, Hint: hint}
}

// Invalid says what is wrong with a request, and what to type.
func Invalid(message, hint viewing.Message) *Fault {
	return &Fault{Code: CodeInvalid, Message: message, Hint: hint}
}

// NotFound says that something is not there, and what lists what is there.
func NotFound(message, hint viewing.Message) *Fault {
	return &Fault{Code: CodeNotFound, Message: message, Hint: hint}
}

// NotRunning is what a stopped instance answers to what needs a running one. The
// hint says how to start it.
func NotRunning(hint viewing.Message) *Fault {
	return &Fault{Code: CodeNotRunning, Message: viewing.Say("fault.notRunning"), Hint: hint}
}

// statuses are those of HTTP for a code; another one is 500.
var statuses = map[string]int{
	CodeInvalid: http.StatusBadRequest, CodeRefused: http.StatusBadRequest, CodeNotFound: http.StatusNotFound,
	CodeNotRunning: http.StatusServiceUnavailable, CodeBusy: http.StatusServiceUnavailable,
}
