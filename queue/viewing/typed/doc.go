// Package typed reads what a person types: which film, series or episode is
// meant, when it was watched, and which word may be meant.
//
// It owns the forms that are understood. It is pure: the same text and the same time
// give the same answer. What has two meanings is refused, with words that say how to
// write it.
//
// It refuses to look anything up, and to guess: words alone name no film.
package typed

import (
	"strconv"
	"strings"
	"unicode"
)

// Error says why a text is not understood.
type Error struct {
	Problem string // one sentence without a full stop
	Next    string // what to write or type instead; "" when the problem says it
	Words   bool   // the text is neither number nor address: it may be a title
}

// Error is the problem.
func (e *Error) Error() string { return e.Problem }

// Hint is what to write or type instead.
func (e *Error) Hint() string { return e.Next }

// maxQuoted bounds how much of a text an error repeats, in characters.
const maxQuoted = 60

// Shortened is the beginning of a text, to be repeated.
func Shortened(text string) string {
	if letters := []rune(text); len(letters) > maxQuoted {
		return string(letters[:maxQuoted]) + "…"
	}
	return text
}

// Quoted is a text as an error repeats it.
func Quoted(text string) string { return strconv.Quote(Shortened(text)) }

// searched is a text as somebody may look for it: short, and of letters that
// can be seen.
func searched(text string) string {
	seen := func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}
	letters := []rune(strings.Map(seen, text))
	return strings.TrimSpace(string(letters[:min(len(letters), maxQuoted)]))
}
