// Package locale renders what people read, in English and German: the texts of the pages,
// of problems, of the steps of an entry and of messages. A text stands under the same key in
// each language. It may name values in braces, and have a second form for the number one.
// Values are not escaped: whoever shows a text does that.
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

// text is one sentence. Where it depends on no number, one is empty.
type text struct{ one, other string }

// UnmarshalJSON reads a text, or an object with "one" and "other".
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

// catalogues has the texts of each language by key, read at the first use of the language.
var catalogues = map[string]func() map[string]text{
	English: sync.OnceValue(func() map[string]text { return read(English) }),
	"de":    sync.OnceValue(func() map[string]text { return read("de") }),
}

// read reads a language. A file that cannot be read is a broken program.
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

// In is the language that somebody wants most of those that we have. Wanted is
// an Accept-Language header, or a locale such as "de_AT.UTF-8". Else it is English.
func In(wanted string) Speech {
	best, weight := English, 0.0
	for part := range strings.SplitSeq(wanted, ",") {
		name, q, weighed := strings.Cut(strings.TrimSpace(part), ";q=")
		tag, _, _ := strings.Cut(strings.ReplaceAll(name, "_", "-"), "-")
		w := 1.0
		if weighed {
			w, _ = strconv.ParseFloat(q, 64) // what is no number wants nothing
		}
		if tag = strings.ToLower(tag); catalogues[tag] != nil && w > weight {
			best, weight = tag, w
		}
	}
	return Speech{Tag: best}
}

// Speech is one language.
type Speech struct {
	Tag   string            // as the lang attribute of HTML has it
	Names map[string]string // the names of sources that have one, see [Speech.Source]
}

// texts are the texts of the language.
func (s Speech) texts() map[string]text { return catalogues[s.Tag]() }

// Say is the text of a key with values: a name, its value, and so on. A number is
// grouped as the language does, a time is told in this machine's zone to the minute.
// A key that is not there is told as it is.
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

// Word is the text of a word of some kind; the word itself where there is no text.
func (s Speech) Word(kind string, word any) string {
	text := fmt.Sprint(word)
	if key := kind + strings.ReplaceAll(text, " ", "-"); s.Has(key) {
		return s.Say(key)
	}
	return text
}

// Has reports whether there is a text for a key.
func (s Speech) Has(key string) bool { _, has := s.texts()[key]; return has }

// Keys are all keys, in order.
func (s Speech) Keys() []string { return slices.Sorted(maps.Keys(s.texts())) }

// Value is a value as the language writes it.
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

// Day returns a day as a heading has it: "Today", "Yesterday" or "Tuesday, 24 November".
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

// Moment returns a local time as a person would say it: "today 20:15", "Tue 24 Nov, 20:15",
// or "24 Nov 2025, 20:15" where it lies half a year away.
func (s Speech) Moment(t, now time.Time) string {
	between := ", "
	if days := daysBetween(t, now); days == 0 || days == 1 {
		between = " "
	}
	return s.ShortDay(t, now) + between + t.Local().Format("15:04")
}

// ShortDay returns the day of a local time alone: "today", "Tue 24 Nov" or "24 Nov 2025".
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

// short cuts a name to some letters.
func short(name, letters string) string {
	n, _ := strconv.Atoi(letters)
	runes := []rune(name)
	return string(runes[:min(n, len(runes))])
}

// daysBetween returns how many days before now a local time lies.
func daysBetween(t, now time.Time) int {
	day := func(t time.Time) time.Time {
		year, month, day := t.Local().Date()
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	return int(day(now).Sub(day(t)) / (24 * time.Hour))
}
