package typed

import (
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Time is when something was watched, as a person wrote it.
type Time struct {
	at      time.Time
	dayOnly bool // at is noon of a day of which no more is known
	text    string
}

// The forms of a time, in lower case.
var (
	agoForm   = lazy(`^(?:(\d{1,5}) ?(m|min|minutes?|h|hours?|days?) ago|vor (\d{1,5}) ?(minuten?|stunden?|tage?n?))$`)
	halfOfDay = lazy(`(\d) ([ap]m)\b`)
	dayAndT   = lazy(`(-\d\d)t(\d)`)
)

// The words of a time, in lower case.
var (
	fillers      = []string{"at", "on", "um", "am", "uhr"}
	lastWords    = []string{"last", "letzte", "letzten"}
	eveningWords = []string{"night", "evening", "nacht", "abend"}
	daysAgo      = map[string]int{"today": 0, "heute": 0, "yesterday": 1, "gestern": 1, "vorgestern": 2}
	weekdays     = map[string]time.Weekday{
		"sunday": 0, "monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6,
		"sonntag": 0, "montag": 1, "dienstag": 2, "mittwoch": 3, "donnerstag": 4, "freitag": 5, "samstag": 6,
	}
)

// ParseTime reads a time in the zone of now, as people write it in English or German:
// RFC 3339, "2026-03-01", "20/11/2026", "20:15", "8 pm", "yesterday 20:15:30", "last night",
// "friday", "2 hours ago". "20:15" is today, a weekday the last one before today. What lies
// ahead is refused only where the day was not written.
func ParseTime(text string, now time.Time) (Time, error) {
	t := Time{text: strings.TrimSpace(text)}
	lower := strings.ToLower(strings.Join(strings.Fields(text), " "))
	if exact, err := time.Parse(time.RFC3339Nano, strings.ToUpper(lower)); err == nil {
		t.at = exact
		return t, nil
	}
	if parts := agoForm().FindStringSubmatch(lower); parts != nil {
		n := int(parseDigits(parts[1] + parts[3]))
		switch (parts[2] + parts[4])[0] {
		case 'm':
			t.at = now.Add(time.Duration(-n) * time.Minute).Truncate(time.Second)
		case 'h', 's':
			t.at = now.Add(time.Duration(-n) * time.Hour).Truncate(time.Second)
		default:
			t.at, t.dayOnly = clockOn(now.AddDate(0, 0, -n), 12, 0), true
		}
		return t, nil
	}
	day, clock, ok := parseWords(dayAndT().ReplaceAllString(halfOfDay().ReplaceAllString(lower, "$1$2"), "$1 $2"), now)
	switch {
	case !ok:
		return t, textError("typed.time", text)
	case clock.IsZero():
		t.at, t.dayOnly = clockOn(day, 12, 0), true
		return t, nil
	}
	t.at = clockOn(day, clock.Hour(), clock.Minute()).Add(time.Duration(clock.Second()) * time.Second)
	if t.at.After(now) && day.Equal(now) {
		return t, viewing.Say("typed.ahead", "text", Quoted(t.text), "clock", clock.Format("15:04"))
	}
	return t, nil
}

// parseWords reads a day and a time of the clock, in any order. Without a day it is now,
// without a clock that is zero.
func parseWords(lower string, now time.Time) (day, clock time.Time, ok bool) {
	var last, evening, lastFits bool
	for _, word := range strings.Fields(lower) {
		parsedDay, isDay := parseDay(word, now)
		parsedClock, isClock := parseClock(word)
		switch {
		case isDay && day.IsZero():
			day = parsedDay
			_, lastFits = weekdays[word]
		case isClock && clock.IsZero():
			clock = parsedClock
		case slices.Contains(eveningWords, word) && !evening:
			evening = true
		case slices.Contains(lastWords, word) && !last:
			last = true
		case !slices.Contains(fillers, word):
			return day, clock, false
		}
	}
	if last && evening && day.IsZero() {
		day, lastFits = now.AddDate(0, 0, -1), true
	}
	if evening && !clock.IsZero() && clock.Hour() < 6 { // the night of a day ends on the next one
		day = day.AddDate(0, 0, 1)
	}
	ok = (!last || lastFits) && (!evening || !day.IsZero()) && !(day.IsZero() && clock.IsZero())
	if day.IsZero() {
		day = now
	}
	return day, clock, ok
}

// parseDay reads a day, as one word.
func parseDay(word string, now time.Time) (time.Time, bool) {
	if ago, ok := daysAgo[word]; ok {
		return now.AddDate(0, 0, -ago), true
	}
	if weekday, ok := weekdays[word]; ok {
		return now.AddDate(0, 0, -1-int(now.Weekday()-weekday+6)%7), true
	}
	var days []time.Time
	for _, layout := range []string{time.DateOnly, "2.1.2006", "2/1/2006", "1/2/2006"} {
		day, err := time.ParseInLocation(layout+" 15", word+" 12", now.Location())
		if err == nil && (len(days) == 0 || !days[0].Equal(day)) {
			days = append(days, day)
		}
	}
	if len(days) != 1 { // it is none, or can mean two
		return now, false
	}
	return days[0], true
}

// parseClock reads a time of the clock, as one word.
func parseClock(word string) (time.Time, bool) {
	for _, layout := range []string{"15:04", "15:04:05", "3pm", "3:04pm"} {
		if clock, err := time.Parse(layout, word); err == nil {
			return clock, true
		}
	}
	return time.Time{}, false
}

// clockOn is a time of the clock on a day; one that does not exist is moved.
func clockOn(day time.Time, hour, minute int) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, day.Location())
}

// Instant is when a viewing ended. Of a day it is noon, or now when that is
// still to come today: a day that is told never lies ahead because of its noon.
func (t Time) Instant(now time.Time) viewing.Instant {
	ended, precision := t.at, viewing.Second
	if t.dayOnly {
		precision = viewing.Day
		if today := now.In(ended.Location()); ended.After(now) && today.Format(time.DateOnly) == ended.Format(time.DateOnly) {
			ended = today.Truncate(time.Second)
		}
	}
	in := viewing.At(ended)
	in.Text, in.Precision = t.text, precision
	return in
}

// Start is the moment itself, and of a day its first one.
func (t Time) Start() time.Time {
	if !t.dayOnly {
		return t.at
	}
	return clockOn(t.at, 0, 0)
}

// End is the moment itself, and of a day the beginning of the next one.
func (t Time) End() time.Time {
	if t.dayOnly {
		t.at = t.at.AddDate(0, 0, 1)
	}
	return t.Start()
}

// ParseEnd reads when a pause is to end: "2h" from now on, or "until 23:00", which is the
// next such time in the zone of now.
func ParseEnd(text string, now time.Time) (time.Time, error) {
	lower := strings.ToLower(strings.Join(strings.Fields(text), " "))
	if span, err := time.ParseDuration(lower); err == nil && span > 0 {
		return now.Add(span), nil
	}
	clock, err := time.Parse("until 15:04", lower)
	if err != nil {
		return time.Time{}, textError("typed.end", text)
	}
	end := clockOn(now, clock.Hour(), clock.Minute())
	if !end.After(now) {
		end = clockOn(now.AddDate(0, 0, 1), clock.Hour(), clock.Minute())
	}
	return end, nil
}
