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
	dayOnly bool // only the day is known; at is its noon
	text    string
}

// The forms of a time. The text is in lower case.
var (
	agoForm   = lazy(`^(?:(\d{1,5}) ?(m|min|minutes?|h|hours?|days?) ago|vor (\d{1,5}) ?(minuten?|stunden?|tage?n?))$`)
	halfOfDay = lazy(`(\d) ([ap]m)\b`)
	dayAndT   = lazy(`(-\d\d)t(\d)`)
)

// The words of a time. The text is in lower case.
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

// ParseTime parses a time in the zone of now, in English or German: RFC 3339, "2026-03-01",
// "20/11/2026", "20:15", "8 pm", "yesterday 20:15:30", "last night", "friday", "2 hours ago".
// "20:15" is today, a weekday is the last one before today. A time in the future is an error only
// if the text has no day.
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

// parseWords parses a day and a time of day, in any order. Without a day it returns now, without
// a time of day a zero clock.
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
	if evening && !clock.IsZero() && clock.Hour() < 6 { // "friday night 1:00" is on saturday
		day = day.AddDate(0, 0, 1)
	}
	ok = (!last || lastFits) && (!evening || !day.IsZero()) && !(day.IsZero() && clock.IsZero())
	if day.IsZero() {
		day = now
	}
	return day, clock, ok
}

// parseDay parses a day of one word.
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
	if len(days) != 1 { // no date, or an ambiguous one
		return now, false
	}
	return days[0], true
}

// parseClock parses a time of day of one word.
func parseClock(word string) (time.Time, bool) {
	for _, layout := range []string{"15:04", "15:04:05", "3pm", "3:04pm"} {
		if clock, err := time.Parse(layout, word); err == nil {
			return clock, true
		}
	}
	return time.Time{}, false
}

// clockOn returns a time of day on a day. A time that daylight saving skips is moved.
func clockOn(day time.Time, hour, minute int) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, day.Location())
}

// Instant returns when a viewing ended. A day is represented by its noon, or by now if noon is
// still to come today, so that today is never in the future.
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

// Start returns the time itself, or the beginning of a day.
func (t Time) Start() time.Time {
	if !t.dayOnly {
		return t.at
	}
	return clockOn(t.at, 0, 0)
}

// End returns the time itself, or the beginning of the day after a day.
func (t Time) End() time.Time {
	if t.dayOnly {
		t.at = t.at.AddDate(0, 0, 1)
	}
	return t.Start()
}

// ParseEnd parses when a pause ends: "2h" from now, or "until 23:00", the next such time in the
// zone of now.
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
