package tracker

import (
	"bytes"
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The error codes of the contract (7). Others are possible.
const (
	codeInvalid      = "VALIDATION_ERROR"
	codeUnauthorized = "UNAUTHORIZED"
	codeForbidden    = "FORBIDDEN"
)

// answer is what the body of an answer says, whatever its status.
type responseBody struct {
	isObject      bool   // a whole JSON object
	truncated     bool   // not, but it may have been the beginning of one
	code          string // of an error object (contract 2.4), else ""
	message       string // the service's words, if any
	success       *bool  // nil when absent
	contradictory bool   // a member contradicts success: "error" without code, "success" that is no boolean
	listID        string // of a list
	user          User   // of GET /me
}

// readAnswer reads a body, flat or wrapped: {"success":true,"data":…}. broken says that its end was not seen. A
// whole object counts in spite of that, as it ends itself.
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
	who := inner
	if u, ok := inner.object("user"); ok {
		who = u
	}
	a.user = User{ID: who.identifier("id"), Name: cmp.Or(who.text("name"), who.text("username"))}
	return a
}

func (a responseBody) succeeded() bool { return a.success != nil && *a.success }

func (a responseBody) failed() bool { return a.success != nil && !*a.success }

// contract reports whether the code is one that the contract names.
func (a responseBody) hasContractCode() bool {
	return a.code == codeInvalid || a.code == codeUnauthorized || a.code == codeForbidden
}

// own reports whether a refusal is in the service's own form: with a code, or success:false.
func (a responseBody) isServiceError() bool { return a.code != "" || a.failed() }

// isCode reports whether text is one machine-readable word: many servers put "Not Found" in a member of that name.
func isCode(text string) bool {
	return text != "" && len(text) <= 64 && !strings.ContainsFunc(text, func(c rune) bool {
		return c >= utf8.RuneSelf || c != '_' && c != '.' && c != '-' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
}

// errorCode is the code of an error object, "" when f is none. The contract asks for a message too; a code it
// names itself is taken without one.
func errorCode(f fields) string {
	code := f.text("error")
	if (responseBody{code: code}).hasContractCode() || isCode(code) && f.text("message") != "" {
		return code
	}
	return ""
}

// maxWords bounds what is kept of the service's words, in characters.
const maxMessageLength = 300

// tidy makes foreign words fit for a log line and a terminal: bounded, one line, no control characters, and
// without the secrets.
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
