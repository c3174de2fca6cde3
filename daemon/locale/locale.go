// Package locale renders texts in English and German: pages, problems, steps of entries and
// messages. A text has the same key in both languages. It may contain named values in braces, and
// a second form for the number one. Values are not escaped; callers escape the result.
package locale

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed en/*.json de/*.json
var files embed.FS

// text is an entry of a catalogue. one is empty unless the text depends on a number.
type text struct{ one, other string }

// UnmarshalJSON reads a string, or an object with "one" and "other".
func (t *text) UnmarshalJSON(raw []byte) error {
	if err := json.Unmarshal(raw, &t.other); err == nil {
		return nil
	}
	both := map[string]string{}
	if err := json.Unmarshal(raw, &both); err != nil {
		return err
	}
	t.one, t.other = both["one"], both["other"]
	if len(both) != 2 || t.one == "" || t.other == "" {
		return fmt.Errorf(`a text that depends on a number has "one" and "other", and nothing else`)
	}
	return nil
}

// catalogues contains the texts of each language by key. A language is read when it is first
// used.
var catalogues = map[string]func() map[string]text{
	English: sync.OnceValue(func() map[string]text { return read(English) }),
	"de":    sync.OnceValue(func() map[string]text { return read("de") }),
}

// read reads a language from the embedded files.
func read(tag string) map[string]text {
	all := map[string]text{}
	names, err := fs.Glob(files, tag+"/*.json")
	for _, name := range names {
		raw, failed := files.ReadFile(name)
		err = errors.Join(err, failed, json.Unmarshal(raw, &all))
	}
	if err != nil {
		panic(err)
	}
	return all
}

// English is the tag of the language of logs.
const English = "en"

// In returns the most preferred available language, else English. wanted is an Accept-Language
// header, or a locale such as "de_AT.UTF-8".
func In(wanted string) Speech {
	best, weight := English, 0.0
	for part := range strings.SplitSeq(wanted, ",") {
		name, q, weighed := strings.Cut(strings.TrimSpace(part), ";q=")
		tag, _, _ := strings.Cut(strings.ReplaceAll(name, "_", "-"), "-")
		w := 1.0
		if weighed {
			w, _ = strconv.ParseFloat(q, 64) // an invalid weight counts as 0
		}
		if tag = strings.ToLower(tag); catalogues[tag] != nil && w > weight {
			best, weight = tag, w
		}
	}
	return Speech{Tag: best}
}

// Speech renders texts in one language.
type Speech struct {
	Tag   string            // for the lang attribute of HTML
	Names map[string]string // the user's names of sources, for [Speech.Source]
}

// texts returns the catalogue of the language.
func (s Speech) texts() map[string]text { return catalogues[s.Tag]() }

// Say returns the text of a key with values, given as name, value, name, value and so on. Numbers
// and times are formatted by [Speech.Value]. An unknown key is returned unchanged.
func (s Speech) Say(key string, values ...any) string {
	t, found := s.texts()[key]
	if !found {
		return key
	}
	out := t.other
	pairs := make([]string, 0, len(values))
	for i := 0; i+1 < len(values); i += 2 {
		name, value := fmt.Sprint(values[i]), s.Value(values[i+1])
		if name == "n" && value == "1" && t.one != "" {
			out = t.one
		}
		pairs = append(pairs, "{"+name+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(out)
}

// Word returns the text with the key kind+word, or the word if there is none.
func (s Speech) Word(kind string, word any) string {
	text := fmt.Sprint(word)
	if key := kind + strings.ReplaceAll(text, " ", "-"); s.Has(key) {
		return s.Say(key)
	}
	return text
}

// Has reports whether a key exists.
func (s Speech) Has(key string) bool { _, has := s.texts()[key]; return has }

// Keys returns all keys, sorted.
func (s Speech) Keys() []string { return slices.Sorted(maps.Keys(s.texts())) }

// Value formats a value: numbers with the language's separator, times in local time to the
// minute.
func (s Speech) Value(value any) string {
	switch v := value.(type) {
	case int:
		return s.number(int64(v))
	case int64:
		return s.number(v)
	case time.Time:
		return v.Local().Format("2006-01-02 15:04")
	case *time.Time:
		if v == nil {
			return ""
		}
		return s.Value(*v)
	default:
		return fmt.Sprint(v)
	}
}

// number groups digits by three.
func (s Speech) number(n int64) string {
	mark := ","
	if s.Tag == "de" {
		mark = "."
	}
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + mark + digits[i:]
	}
	return digits
}

// Weekday returns the name of a day of the week.
func (s Speech) Weekday(d time.Weekday) string { return strings.Fields(s.Say("time.weekdays"))[d] }

// MonthName returns the name of a month.
func (s Speech) MonthName(m time.Month) string { return strings.Fields(s.Say("time.months"))[m-1] }

// Month returns a month with its year: "November 2026".
func (s Speech) Month(t time.Time) string {
	return s.MonthName(t.Month()) + " " + strconv.Itoa(t.Year())
}

// Day returns a day for a heading: "Today", "Yesterday" or "Tuesday, 24 November".
func (s Speech) Day(t, now time.Time) string {
	switch daysBetween(t, now) {
	case 0:
		return s.Say("time.today")
	case 1:
		return s.Say("time.yesterday")
	default:
		return s.Say("time.day", "weekday", s.Weekday(t.Weekday()), "day", t.Day(), "month", s.MonthName(t.Month()))
	}
}

// Moment returns a local time in words: "today 20:15", "Tue 24 Nov, 20:15", or "24 Nov 2025,
// 20:15" if it is more than half a year away.
func (s Speech) Moment(t, now time.Time) string {
	between := ", "
	if days := daysBetween(t, now); days == 0 || days == 1 {
		between = " "
	}
	return s.ShortDay(t, now) + between + t.Local().Format("15:04")
}

// ShortDay returns the day of a local time: "today", "Tue 24 Nov" or "24 Nov 2025".
func (s Speech) ShortDay(t, now time.Time) string {
	t = t.Local()
	switch days := daysBetween(t, now); {
	case days == 0:
		return s.Say("time.onToday")
	case days == 1:
		return s.Say("time.onYesterday")
	case days > -183 && days < 183:
		return s.Say("time.onDay", "weekday", short(s.Weekday(t.Weekday()), s.Say("time.shortDay")), "day", t.Day(), "month", short(s.MonthName(t.Month()), "3"))
	default:
		return s.Say("time.onDate", "day", t.Day(), "month", short(s.MonthName(t.Month()), "3"), "year", strconv.Itoa(t.Year()))
	}
}

// short shortens a name to a number of letters.
func short(name, letters string) string {
	n, _ := strconv.Atoi(letters)
	runes := []rune(name)
	return string(runes[:min(n, len(runes))])
}

// daysBetween returns the number of calendar days from t to now in local time.
func daysBetween(t, now time.Time) int {
	day := func(t time.Time) time.Time {
		year, month, day := t.Local().Date()
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	return int(day(now).Sub(day(t)) / (24 * time.Hour))
}
