package viewing

import (
	"maps"
	"slices"
	"strings"
)

// Message is something a person is told, as data: the code of a text in the catalogue and
// the values that the text names. Package locale renders it. It is an error, too, so that
// it can travel as one; [errors.As] finds it.
type Message struct {
	Code  string            `json:"code"`
	Args  map[string]string `json:"args,omitempty"` // times are in RFC 3339
	Cause *Message          `json:"cause,omitempty"`
}

// Say makes a message with pairs of names and values.
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

// Because is the message with a cause. A text names its cause as {what}.
func (m Message) Because(cause Message) Message {
	m.Cause = &cause
	return m
}

// Error is the message for a log: its code, its values and its cause.
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

// Refusal is an error with what a person is told of it.
type Refusal struct {
	Kind    error   // what [errors.Is] finds
	Message         // what is wrong
	Hint    Message // what to do; it may be none
}

// Unwrap is what kind of error it is, and the message.
func (r *Refusal) Unwrap() []error { return []error{r.Kind, r.Message} }

// MessagesOf are the messages in an error. An error without one is told as it is.
func MessagesOf(err error) []Message {
	all := messagesIn(err)
	if len(all) == 0 {
		all = []Message{Verbatim(err.Error())}
	}
	return all
}

func messagesIn(err error) (all []Message) {
	switch e := err.(type) { //nolint:errorlint // each level is looked at
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

// Verbatim is a message that is told as it is: what a service, a program or the system says.
func Verbatim(text string) Message {
	if text == "" {
		return Message{}
	}
	return Say("said", "detail", text)
}
