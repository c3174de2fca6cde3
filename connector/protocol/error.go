package protocol

import "strings"

// Code is a machine-readable error code.
type Code string

// The codes.
const (
	BadJSON            Code = "BAD_JSON"             // the frame is not one JSON text
	BadMessage         Code = "BAD_MESSAGE"          // a field is missing or wrong; see field
	UnknownType        Code = "UNKNOWN_TYPE"         // no such message
	UnsupportedVersion Code = "UNSUPPORTED_VERSION"  // no common version
	PairingRequired    Code = "PAIRING_REQUIRED"     // no token, a wrong one, or one of another Origin
	PairingCodeInvalid Code = "PAIRING_CODE_INVALID" // wrong, expired or used code, or too many tries
	RateLimited        Code = "RATE_LIMITED"         // too many sockets or posts at once
	TooLarge           Code = "TOO_LARGE"            // too many bytes or messages in a post
	Storage            Code = "STORAGE"              // it could not be written to disk
	Conflict           Code = "CONFLICT"             // the id was used before with other content
	Internal           Code = "INTERNAL"             // an error in the daemon
)

// The codes of close frames. 1001 and 1009, for a message over [MaxMessageBytes], are defined by the
// websocket protocol.
const (
	CloseGoingAway = 1001 // the daemon stops, or the client was silent or slow for too long
	CloseProtocol  = 4400 // bad protocol: first message not hello, binary frame
	CloseToken     = 4401 // wrong token
	CloseRevoked   = 4403 // the client was revoked
	CloseNoHello   = 4408 // no hello within 5 seconds
	CloseVersion   = 4426 // no common version or subprotocol
	CloseRate      = 4429 // too many sockets
)

// Error is the daemon's answer to a message that it refuses. It is a message and a Go error.
type Error struct {
	ID        string `json:"id,omitempty"` // of the refused message, if that could be read
	Code      Code   `json:"code"`
	Field     string `json:"field,omitempty"` // the wrong one, such as "media.ids.tmdb"
	Retryable bool   `json:"retryable"`       // the same message may succeed later
}

// Error returns the code and the field.
func (e *Error) Error() string { return strings.TrimSpace(string(e.Code) + " " + e.Field) }

// Refusal returns an error for the message id, about a field; both may be "".
func Refusal(id string, code Code, field string) *Error {
	retryable := code == RateLimited || code == Storage || code == Internal
	return &Error{ID: id, Code: code, Field: field, Retryable: retryable}
}
