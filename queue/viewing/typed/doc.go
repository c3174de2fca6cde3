// Package typed reads what a person types: which film, series or episode is
// meant, and when it was watched.
//
// It owns the forms that are understood. It promises to be pure: the same text
// and the same time give the same answer, and what has two meanings is refused
// with words that say how to write it.
//
// It refuses to look anything up, and to guess: words alone name no film.
package typed

import "unicode"

// Error says why a text is not understood.
type Error struct {
	Problem string // one sentence without a full stop
	Next    string // what to write or type instead; "" when the problem says it
}

// Error is the problem.
func (e *Error) Error() string { return e.Problem }

// Hint is what to write or type instead.
func (e *Error) Hint() string { return e.Next }

// maxQuoted bounds how much of a text an error repeats, in characters.
const maxQuoted = 60

// quoted is a text as an error repeats it.
func quoted(text string) string {
	short := shortened(text)
	if len([]rune(text)) > maxQuoted {
		short += "…"
	}
	return `"` + short + `"`
}

// shortened is the beginning of a text, without what could change how a
// terminal shows the rest.
func shortened(text string) string {
	letters := []rune(text)
	letters = letters[:min(len(letters), maxQuoted)]
	for i, r := range letters {
		if !unicode.IsPrint(r) {
			letters[i] = '·'
		}
	}
	return string(letters)
}
