package identity

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fold makes names comparable: without accents, case, signs and blanks, and with
// "&" as "and". Articles, numerals and what stands after a colon stay: a name
// without them is another name. A mark goes only after a Latin or Greek letter: in
// other scripts it makes another letter.
func fold(name string) string {
	name = strings.ReplaceAll(strings.ReplaceAll(name, "&", "and"), "ß", "ss")
	accents := false
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			accents = unicode.In(r, unicode.Latin, unicode.Greek)
			return unicode.ToLower(r)
		case unicode.IsMark(r) && !accents:
			return r
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

// generic reports whether many episodes have such a name: one word with a number,
// as "Week 5", a word for a part, or the name of the series.
func generic(name, series string) bool {
	if same(name, series) {
		return true
	}
	words, numbers := 0, 0
	for _, word := range strings.FieldsFunc(apartDigits(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		switch {
		case numeral(word):
			numbers++
		case !strings.Contains(" the a of pilot pilots episode episodes part parts series season finale premiere tba tbd 第 話 集 回 화 ", " "+word+" "):
			words++
		}
	}
	return words == 0 || words == 1 && numbers > 0
}

// apartDigits is a name in small letters, with blanks around its figures.
func apartDigits(name string) string {
	var out strings.Builder
	for _, r := range strings.ToLower(name) {
		if unicode.IsDigit(r) {
			out.WriteString(" " + string(r) + " ")
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// numeral reports whether a word is a number, in figures or in English words.
func numeral(word string) bool {
	return strings.Trim(word, "0123456789") == "" || strings.Trim(word, "ivx") == "" ||
		strings.Contains(" one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty ", " "+word+" ")
}
