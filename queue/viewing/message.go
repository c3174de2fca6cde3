package viewing

import (
	"maps"
	"slices"
	"strings"
)

// Message is a text for a person, as data: a code of the catalogue and its arguments. Package
// locale renders it. It is also an error, which [errors.As] finds.
type Message struct {
	Code  string            `json:"code"`
	Args  map[string]string `json:"args,omitempty"` // times are in RFC 3339
	Cause *Message          `json:"cause,omitempty"`
}

// Say returns a message with pairs of argument names and values.
func Say(code string, pairs ...string) Message {
	m := Message{Code: code}
	for i := 0; i+1 < len(pairs); i += 2 {
		if m.Args == nil {
			m.Args = map[string]string{}
		}
		m.Args[pairs[i]] = pairs[i+1]
	}
	return m
}

// Because returns the message with a cause, which is {what} in its text.
func (m Message) Because(cause Message) Message {
	m.Cause = &cause
	return m
}

// Error returns the message for a log: its code, arguments and cause.
func (m Message) Error() string {
	text := m.Code
	for _, name := range slices.Sorted(maps.Keys(m.Args)) {
		text += " " + name + "=" + m.Args[name]
	}
	if m.Cause != nil {
		text += ": " + m.Cause.Error()
	}
	return strings.TrimSpace(text)
}

// Refusal is an error with a message and a hint for the user.
type Refusal struct {
	Kind    error   // for [errors.Is]
	Message         // describes what is wrong
	Hint    Message // describes what to do; may be empty
}

// Unwrap returns the kind of the error and the message.
func (r *Refusal) Unwrap() []error { return []error{r.Kind, r.Message} }

// MessagesOf returns the messages in an error, or else its text as a message.
func MessagesOf(err error) []Message {
	all := messagesIn(err)
	if len(all) == 0 {
		all = []Message{Verbatim(err.Error())}
	}
	return all
}

func messagesIn(err error) (all []Message) {
	switch e := err.(type) { //nolint:errorlint // the recursion unwraps each level
	case Message:
		return []Message{e}
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			all = append(all, messagesIn(one)...)
		}
	case interface{ Unwrap() error }:
		return messagesIn(e.Unwrap())
	}
	return all
}

// Verbatim returns a message that is shown unchanged: the text of a service, a program or the
// system.
func Verbatim(text string) Message {
	if text == "" {
		return Message{}
	}
	return Say("said", "detail", text)
}
