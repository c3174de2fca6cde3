package resolve

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Words makes texts comparable: words between blanks, without accents, case and signs, and
// with "&" as "and". A mark goes only after a Latin or Greek letter: in other scripts it
// makes another letter. An apostrophe joins.
func Words(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "&", "and"), "ß", "ss")
	accents := false
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			accents = unicode.In(r, unicode.Latin, unicode.Greek)
			return unicode.ToLower(r)
		case unicode.IsMark(r) && !accents:
			return r
		case unicode.IsMark(r) || r == '\'' || r == '’':
			return -1
		default:
			return ' '
		}
	}, norm.NFKD.String(text))
}

// fold makes names comparable, whatever their blanks. Articles, numerals and what stands
// after a colon stay: a name without them is another name.
func normalizeName(name string) string { return strings.ReplaceAll(Words(name), " ", "") }

// SameName reports whether two names are equal. A name of signs alone equals none.
func SameName(a, b string) bool {
	folded := normalizeName(a)
	return folded != "" && folded == normalizeName(b)
}

// called reports whether a work has that name, as TMDB shows it or in another
// language.
func (w Work) hasName(name string) bool {
	return SameName(w.Title, name) || slices.ContainsFunc(w.Names, func(other string) bool { return SameName(other, name) })
}

// named reports whether an episode's name is a witness of its place, and equal.
func (p Episode) hasName(name, series string) bool {
	return SameName(p.Name, name) && !isGenericName(name, series)
}

// The words and figures of a name, and which of them say nothing of an episode.
var (
	wordForm   = lazyRegexp(`\d+|[\p{L}\p{M}]+|\p{N}`)
	numberForm = lazyRegexp(`^(\d+|[ivx]+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty)$`)
	fillerForm = lazyRegexp(`^(the|a|of|pilots?|episodes?|parts?|series|season|finale|premiere|tba|tbd|[第話集回화])$`)
)

// generic reports whether many episodes have such a name: one word with a number, as
// "Week 5", a word for a part, or the name of the series.
func isGenericName(name, series string) bool {
	said, numbers := 0, 0
	for _, word := range wordForm().FindAllString(strings.ToLower(name), -1) {
		switch {
		case numberForm().MatchString(word):
			numbers++
		case !fillerForm().MatchString(word):
			said++
		}
	}
	return SameName(name, series) || said == 0 || said == 1 && numbers > 0
}

// lazy compiles an expression at its first use: most starts of the program use none.
func lazyRegexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
