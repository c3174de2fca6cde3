package locale

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Message renders a message with the text below "told.".
func (s Speech) Message(m viewing.Message) string {
	if m.Code == "" {
		return ""
	}
	var values []any
	for name, value := range m.Args {
		values = append(values, name, s.stepValue(name, value))
	}
	if m.Cause != nil {
		values = append(values, "what", s.Message(*m.Cause))
	}
	return s.Say("told."+m.Code, values...)
}

// Tell is a message as a sentence; "" for none.
func (s Speech) Tell(m viewing.Message) string { return Sentence(s.Message(m)) }

// Error renders the messages in an error, each on a line of its own. What has no message
// is told as it is.
func (s Speech) Error(err error) string {
	var lines []string
	for _, m := range viewing.MessagesOf(err) {
		lines = append(lines, s.Message(m))
	}
	return strings.Join(lines, "\n")
}

// Clauses renders messages as one sentence.
func (s Speech) Clauses(all []viewing.Message) string {
	var parts []string
	for _, m := range all {
		parts = append(parts, strings.TrimSuffix(s.Message(m), "."))
	}
	return Sentence(strings.Join(parts, "; "))
}

// Sentence is a text with a capital letter and one mark at its end.
func Sentence(text string) string {
	if text == "" {
		return ""
	}
	return Ended(Capital(text))
}

// Capital is a text with a capital letter.
func Capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// Ended is a text with one mark at its end.
func Ended(text string) string {
	if text = strings.TrimSuffix(text, "."); strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}
