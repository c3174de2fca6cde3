package sandbox

import "net/http"

// The codes of the error object. The first three are the contract's (section
// 7), the others are this service's own.
const (
	codeValidation   = "VALIDATION_ERROR"
	codeUnauthorized = "UNAUTHORIZED"
	codeForbidden    = "FORBIDDEN"
	codeNotFound     = "NOT_FOUND"
	codeMethod       = "METHOD_NOT_ALLOWED"
	codeConflict     = "CONFLICT"
	codeRateLimited  = "RATE_LIMITED"
	codeUnavailable  = "UNAVAILABLE"
	codeInternal     = "INTERNAL"
	codeFault        = "FAULT" // an armed fault with a status that has no code
)

// refusal is an answer that records nothing.
type refusal struct {
	status        int
	code, message string
	allow         string // for 405: the methods that are served
}

func (r *refusal) Error() string { return r.message }

// invalid refuses the content of a request; field may be empty.
func invalid(field, why string) error {
	if field != "" {
		why = field + ": " + why
	}
	return &refusal{status: http.StatusBadRequest, code: codeValidation, message: why}
}

func unauthorized(why string) error {
	return &refusal{status: http.StatusUnauthorized, code: codeUnauthorized, message: why}
}

func forbidden(why string) error {
	return &refusal{status: http.StatusForbidden, code: codeForbidden, message: why}
}

func notFound() error {
	return &refusal{status: http.StatusNotFound, code: codeNotFound, message: "nothing is served at this path"}
}

func notAllowed(allow string) error {
	return &refusal{status: http.StatusMethodNotAllowed, code: codeMethod, message: "this path is served for " + allow, allow: allow}
}

func tooLarge() error {
	return &refusal{status: http.StatusRequestEntityTooLarge, code: codeValidation, message: "the body is larger than 64 KiB"}
}

func reusedKey() error {
	return &refusal{
		status: http.StatusUnprocessableEntity, code: codeValidation,
		message: "Idempotency-Key: was used for another request",
	}
}

func keyInWork() error {
	return &refusal{
		status: http.StatusConflict, code: codeConflict,
		message: "Idempotency-Key: the first request with it is still being worked on",
	}
}

// codeOf is the code that goes with a status.
func codeOf(status int) string {
	switch status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return codeValidation
	case http.StatusUnauthorized:
		return codeUnauthorized
	case http.StatusForbidden:
		return codeForbidden
	case http.StatusNotFound:
		return codeNotFound
	case http.StatusMethodNotAllowed:
		return codeMethod
	case http.StatusConflict:
		return codeConflict
	case http.StatusTooManyRequests:
		return codeRateLimited
	case http.StatusServiceUnavailable:
		return codeUnavailable
	}
	if status >= http.StatusInternalServerError {
		return codeInternal
	}
	return codeFault
}
