package tracker

import (
	"bytes"
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The error codes of the contract (section 7). Services may use others.
const (
	codeInvalid      = "VALIDATION_ERROR"
	codeUnauthorized = "UNAUTHORIZED"
	codeForbidden    = "FORBIDDEN"
)

// responseBody is a parsed response body, independent of the status.
type responseBody struct {
	isObject      bool   // a complete JSON object
	truncated     bool   // incomplete: may be the beginning of an object
	code          string // of an error object (contract 2.4), else ""
	message       string // the service's message, if any
	success       *bool  // nil when absent
	contradictory bool   // a member contradicts success: "error" without code, "success" that is not a boolean
	listID        string // "id" of a list
	user          User   // of GET /me
}

// parseBody parses a body, flat or wrapped: {"success":true,"data":…}. broken says that its end was not received.
// A complete object is used even then.
func parseBody(body []byte, broken bool) responseBody {
	text := bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	f, ok := readObject(text)
	if !ok {
		return responseBody{truncated: bytes.HasPrefix(text, []byte("{")) || broken && len(text) == 0}
	}
	a := responseBody{isObject: true, message: f.text("message"), code: errorCode(f), success: f.boolean("success")}
	a.contradictory = a.success == nil && f["success"] != nil || a.code == "" && f.isSet("error")
	inner := f
	if data, ok := f.object("data"); ok && a.succeeded() {
		inner = data
	}
	a.listID = inner.identifier("id")
	user := inner
	if u, ok := inner.object("user"); ok {
		user = u
	}
	a.user = User{ID: user.identifier("id"), Name: cmp.Or(user.text("name"), user.text("username"))}
	return a
}

// succeeded reports whether the body says success:true.

func (a responseBody) succeeded() bool { return a.success != nil && *a.success }

// failed reports whether the body says success:false.
func (a responseBody) failed() bool { return a.success != nil && !*a.success }

// hasContractCode reports whether the error code is defined in the contract.
func (a responseBody) hasContractCode() bool {
	return a.code == codeInvalid || a.code == codeUnauthorized || a.code == codeForbidden
}

// isServiceError reports whether an error has the form of this API: with a code, or success:false.
func (a responseBody) isServiceError() bool { return a.code != "" || a.failed() }

// isCode reports whether text is one machine-readable word: many other servers put "Not Found" in "error".
func isCode(text string) bool {
	return text != "" && len(text) <= 64 && !strings.ContainsFunc(text, func(c rune) bool {
		return c >= utf8.RuneSelf || c != '_' && c != '.' && c != '-' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
}

// errorCode returns the code of an error object, "" if f is not an error object. The contract requires a message,
// too; only its own codes are accepted without one.
func errorCode(f fields) string {
	code := f.text("error")
	if (responseBody{code: code}).hasContractCode() || isCode(code) && f.text("message") != "" {
		return code
	}
	return ""
}

// maxMessageLength limits the stored length of the service's messages, in characters.
const maxMessageLength = 300

// sanitize makes text from a service safe for a log line and a terminal: limited in length, one line, without
// control characters and secrets.
func sanitize(words string, secrets ...string) string {
	for _, secret := range secrets {
		if secret != "" {
			words = strings.ReplaceAll(words, secret, "[key]")
		}
	}
	unprintable := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }
	words = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(words, "?"), unprintable), " ")
	if runes := []rune(words); len(runes) > maxMessageLength {
		words = string(runes[:maxMessageLength]) + "…"
	}
	return words
}
