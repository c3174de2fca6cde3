package tracker

import (
	"bytes"
	"strings"
	"unicode"
)

// The error codes of the contract (7). Others are possible.
const (
	codeInvalid      = "VALIDATION_ERROR"
	codeUnauthorized = "UNAUTHORIZED"
	codeForbidden    = "FORBIDDEN"
)

// answer is what the body of an answer says, whatever its status.
type answer struct {
	object  bool   // a whole JSON object
	cut     bool   // none, but it may have been the beginning of one
	code    string // of an error object (contract 2.4), else ""
	message string // the service's words, if any
	success *bool  // nil when absent
	odd     bool   // a member contradicts success: "error" without code, "success" that is no boolean
	id      string // of a list
	user    user   // of GET /me
}

// user is whose key it is, as GET /me tells.
type user struct{ id, name string }

// readAnswer reads a body. broken says that its end was not seen. A whole
// object counts in spite of that, as it ends itself; a page of HTML is one,
// whole or not.
func readAnswer(body []byte, broken bool) answer {
	text := bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	f, ok := readObject(text)
	if !ok {
		return answer{cut: bytes.HasPrefix(text, []byte("{")) || broken && len(text) == 0}
	}
	a := answer{object: true, message: f.text("message")}
	a.code = errorCode(f)
	a.readSuccess(f)
	a.odd = a.odd || a.code == "" && f.says("error")
	a.readContent(f)
	return a
}

// readSuccess takes only a boolean for success; absent is nil.
func (a *answer) readSuccess(f fields) {
	a.success = f.truth("success")
	a.odd = a.success == nil && f.get("success") != nil
}

// readContent reads a list's id and a user, from the object itself or, in a
// wrapped reply {"success":true,"data":…}, from data.
func (a *answer) readContent(f fields) {
	inner := f
	if data, ok := f.object("data"); ok && a.succeeded() {
		inner = data
	}
	a.id = inner.identifier("id")
	who := inner
	if u, ok := inner.object("user"); ok {
		who = u
	}
	a.user = user{id: who.identifier("id"), name: who.text("name")}
	if a.user.name == "" {
		a.user.name = who.text("username")
	}
}

func (a answer) succeeded() bool { return a.success != nil && *a.success }

func (a answer) denied() bool { return a.success != nil && !*a.success }

// contract reports whether the code is one that the contract names.
func (a answer) contract() bool {
	return a.code == codeInvalid || a.code == codeUnauthorized || a.code == codeForbidden
}

// own reports whether a refusal is in the service's own form: with a code,
// or success:false.
func (a answer) own() bool { return a.code != "" || a.denied() }

// errorCode is the code of an error object, "" when f is none. The contract
// asks for a message too; a code it names itself is taken without one.
func errorCode(f fields) string {
	code := f.text("error")
	switch code {
	case codeInvalid, codeUnauthorized, codeForbidden:
		return code
	}
	if !codeForm(code) || f.text("message") == "" {
		return ""
	}
	return code
}

// codeForm reports whether s is machine-readable: one word. Many servers put
// "Not Found" in a member of that name.
func codeForm(s string) bool {
	odd := strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.", r))
	})
	return s != "" && len(s) <= 64 && !odd
}

// maxWords bounds what is kept of the service's words, in characters.
const maxWords = 300

// tidy makes foreign words fit for a log line and a terminal: bounded, one
// line, no control characters, and without the secret.
func tidy(words, secret string) string {
	if secret != "" {
		words = strings.ReplaceAll(words, secret, "[key]")
	}
	words = words[:min(len(words), 16*maxWords)] // the rest would only cost memory
	words = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(words, "?"))
	words = strings.Join(strings.Fields(words), " ")
	if runes := []rune(words); len(runes) > maxWords {
		words = string(runes[:maxWords]) + "…"
	}
	return words
}
