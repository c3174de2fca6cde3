package words

import "strings"

// The most that is done for a text. Texts hold words of strangers, and each sentence
// within another multiplies what has to be tried.
const (
	mostTold  = 2000 // bytes
	mostTries = 100  // of sentences and clauses
)

// Retell tells sentences, or clauses with semicolons between them, that a part of the
// program has told in English. The catalogue knows them by their English text, below
// the keys that begin with "told.". What it does not know stays in English: known is
// false.
func (s Speech) Retell(text string) (told string, known bool) {
	bare, stop := strings.CutSuffix(text, ".")
	if left := mostTries; s.Tag != English && len(text) <= mostTold {
		told, known = s.retell(bare, &left)
	}
	switch {
	case !known:
		return text, s.Tag == English
	case stop && !strings.HasSuffix(told, "?"):
		told += "."
	}
	return told, true
}

// retell tries what stands before and behind the last mark between sentences, and then
// the whole, while any tries are left. Of the keys that fit, the one that says more
// before its first value is meant. Of those that begin alike, the longer one is meant.
func (s Speech) retell(text string, left *int) (string, bool) {
	if *left--; *left < 0 {
		return text, false
	}
	if i := max(strings.LastIndex(text, "; "), strings.LastIndex(text, ". "), strings.LastIndex(text, "? ")); i > 0 {
		end := i + strings.Count(text[i:i+1], "?") // the mark of a question belongs to it
		before, first := s.retell(text[:end], left)
		after, second := s.retell(text[i+2:], left)
		if first && second {
			return before + text[end:i+2] + after, true
		}
	}
	best, told := -1, text
	for key, english := range s.english {
		lead, _, _ := strings.Cut(english.other, "{")
		size := len(lead)*mostTold + len(english.other)
		if size <= best || !strings.HasPrefix(text, lead) || !strings.HasPrefix(key, "told.") || key == "told.said" || key == "told.hint.command" {
			continue
		}
		if values, ok := s.valuesOf(english.other, text, left); ok {
			best, told = size, s.Say(key, values...)
		}
	}
	return told, best >= 0
}

// valuesOf are the values of a text that a pattern of the catalogue has made, from the
// last one on.
func (s Speech) valuesOf(pattern, text string, left *int) (values []any, ok bool) {
	parts := strings.Split("}"+pattern, "{")
	literal := func(i int) string { _, after, _ := strings.Cut(parts[i], "}"); return after }
	if text, ok = strings.CutPrefix(text, literal(0)); !ok || len(parts) == 1 {
		return nil, ok && text == ""
	}
	text, ok = strings.CutSuffix(text, literal(len(parts)-1))
	for i := len(parts) - 1; i > 0; i-- {
		name, _, _ := strings.Cut(parts[i], "}")
		before, value := "", text
		if i > 1 {
			at := strings.LastIndex(text, literal(i-1))
			if name == "what" { // it is the longest that it can be
				at = strings.Index(text, literal(i-1))
			}
			if at < 0 {
				return nil, false
			}
			before, value = text[:at], text[at+len(literal(i-1)):]
		}
		if !ok || value == "" {
			return nil, false
		}
		value, ok = s.value(name, value, left)
		text, values = before, append(values, name, value)
	}
	return values, ok
}

// value is a value in this language; ok is false where it cannot be one of that name.
// The value {what} is a sentence of its own, {reason} may be one.
func (s Speech) value(name, text string, left *int) (value string, ok bool) {
	families := map[string]string{
		"what": "diary.reason.", "reason": "diary.reason.", "state": "diary.state.", "settled": "diary.state.",
		"verb": "diary.do.", "class": "settings.key.kodi.classes.",
	}
	low, begins := strings.ToLower(text), name == "settled" // it begins a sentence
	key := families[name] + strings.ReplaceAll(low, " ", "_")
	switch {
	case families[name] != "" && s.Has(key) && begins == (low != text):
		return s.Say(key), true
	case name == "what" || name == "reason":
		again, known := s.retell(text, left)
		return again, known || name == "reason"
	default:
		return text, name != "state" && !begins && !strings.Contains(text, "; ")
	}
}
