package control

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Codes of a [Fault].
const (
	CodeInvalid    = "INVALID"     // the request is wrong; see the message
	CodeNotFound   = "NOT_FOUND"   // no such entry, client or route
	CodeRefused    = "REFUSED"     // the service, or a setting with precedence, does not allow it
	CodeNotRunning = "NOT_RUNNING" // only a running daemon can do this
	CodeBusy       = "BUSY"        // a running job would be interrupted; try again later
	CodeInternal   = "INTERNAL"
)

// Fault is an error with a code for scripts, a message for people and, if possible, a remedy.
type Fault struct {
	Code    string          `json:"error"`
	Message viewing.Message `json:"message"`
	Hint    viewing.Message `json:"hint,omitzero"`
	// Also contains further errors of the same configuration.
	Also []viewing.Message `json:"also,omitempty"`
	// Reason says why a login was refused: one of the Reason constants, or empty.
	Reason string `json:"reason,omitempty"`
}

// Reasons of a refused login.
const (
	ReasonKey     = "key"     // the key is malformed or the service refuses it
	ReasonAddress = "address" // the address is invalid or does not belong to a tracking service
	ReasonAway    = "away"    // the service cannot be reached
)

// Error returns the message for a log.
func (f *Fault) Error() string { return f.Message.Error() }

// Unwrap returns the messages.
func (f *Fault) Unwrap() []error {
	all := []error{f.Message}
	for _, m := range f.Also {
		all = append(all, m)
	}
	return all
}

// Is reports whether target is a fault with the same code and without a message, for errors.Is.
func (f *Fault) Is(target error) bool {
	var other *Fault
	return errors.As(target, &other) && other.Code == f.Code && other.Message.Code == ""
}

// Command returns a hint that is a command line.
func Command(format string, values ...any) viewing.Message {
	return viewing.Say("hint.command", "command", fmt.Sprintf(format, values...))
}

// Refused returns the fault for an action that is not allowed, with a hint for another one.
func Refused(message, hint viewing.Message) *Fault {
	return &Fault{Code: CodeRefused, Message: message, Hint: hint}
}

// Invalid returns the fault for a wrong request, with a hint what to type.
func Invalid(message, hint viewing.Message) *Fault {
	return &Fault{Code: CodeInvalid, Message: message, Hint: hint}
}

// NotFound returns the fault for something that does not exist, with a hint what lists existing
// ones.
func NotFound(message, hint viewing.Message) *Fault {
	return &Fault{Code: CodeNotFound, Message: message, Hint: hint}
}

// NotRunning returns the fault for a call that needs a running daemon. The hint says how to start
// it.
func NotRunning(hint viewing.Message) *Fault {
	return &Fault{Code: CodeNotRunning, Message: viewing.Say("fault.notRunning"), Hint: hint}
}

// statuses maps codes to HTTP status codes. Other codes are 500.
var statuses = map[string]int{
	CodeInvalid: http.StatusBadRequest, CodeRefused: http.StatusBadRequest, CodeNotFound: http.StatusNotFound,
	CodeNotRunning: http.StatusServiceUnavailable, CodeBusy: http.StatusServiceUnavailable,
}
