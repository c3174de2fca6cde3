package resolve

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Words normalizes a text for comparison: words separated by blanks, in lower case, without
// accents and punctuation, and with "&" as "and". Combining marks are removed only after Latin
// and Greek letters: in other scripts they make another letter. Apostrophes are removed
// without a blank.
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

// normalizeName normalizes a name for comparison without blanks. Articles, numerals and
// subtitles stay: a name without them is another name.
func normalizeName(name string) string { return strings.ReplaceAll(Words(name), " ", "") }

// SameName reports whether two normalized names are equal. A name without letters and
// digits equals none.
func SameName(a, b string) bool {
	normalized := normalizeName(a)
	return normalized != "" && normalized == normalizeName(b)
}

// hasName reports whether a work has that name, in the language of its title or another.
func (w Work) hasName(name string) bool {
	return SameName(w.Title, name) || slices.ContainsFunc(w.Names, func(other string) bool { return SameName(other, name) })
}

// hasName reports whether an episode has that name, and the name is not generic.
func (p Episode) hasName(name, series string) bool {
	return SameName(p.Name, name) && !isGenericName(name, series)
}

// The words and numbers of a name, and those that do not distinguish an episode.
var (
	wordForm   = lazyRegexp(`\d+|[\p{L}\p{M}]+|\p{N}`)
	numberForm = lazyRegexp(`^(\d+|[ivx]+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty)$`)
	fillerForm = lazyRegexp(`^(the|a|of|pilots?|episodes?|parts?|series|season|finale|premiere|tba|tbd|[第話集回화])$`)
)

// isGenericName reports whether many episodes may have the name: one word with a number,
// such as "Week 5", a word such as "Part", or the name of the series.
func isGenericName(name, series string) bool {
	distinct, numbers := 0, 0
	for _, word := range wordForm().FindAllString(strings.ToLower(name), -1) {
		switch {
		case numberForm().MatchString(word):
			numbers++
		case !fillerForm().MatchString(word):
			distinct++
		}
	}
	return SameName(name, series) || distinct == 0 || distinct == 1 && numbers > 0
}

// lazyRegexp compiles an expression at its first use, since most runs of the program need
// none.
func lazyRegexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
