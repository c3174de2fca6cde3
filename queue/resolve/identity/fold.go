package identity

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fold makes names comparable: without marks, case, signs and blanks, and with
// "&" as "and". Articles, numerals and what stands after a colon stay: a name
// without them is another name.
func fold(name string) string {
	name = strings.ReplaceAll(strings.ReplaceAll(name, "&", "and"), "ß", "ss")
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFKD.String(name))
}

// same reports whether two names are equal. A name of signs alone equals none.
func same(a, b string) bool {
	folded := fold(a)
	return folded != "" && folded == fold(b)
}

// called reports whether a work has that name, as TMDB shows it or in another
// language.
func (w Work) called(name string) bool {
	if same(w.Title, name) {
		return true
	}
	for _, other := range w.Names {
		if same(other, name) {
			return true
		}
	}
	return false
}

// named reports whether an episode's name is a witness of its place, and equal.
func (p Part) named(name, series string) bool {
	return same(p.Name, name) && !generic(name, series)
}

// generic reports whether many episodes have such a name: words for a part with
// a number, or the name of the series.
func generic(name, series string) bool {
	if same(name, series) {
		return true
	}
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	for _, word := range words {
		if !numeral(word) && !strings.Contains(" the pilot pilots episode episodes folge chapter part parts kapitel teil épisode capítulo tba tbd a ", " "+word+" ") {
			return false
		}
	}
	return true
}

// numeral reports whether a word is a number, in figures or in English up to ten.
func numeral(word string) bool {
	return strings.Trim(word, "0123456789") == "" || strings.Trim(word, "ivx") == "" ||
		strings.Contains(" one two three four five six seven eight nine ten ", " "+word+" ")
}
