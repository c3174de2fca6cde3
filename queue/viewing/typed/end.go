package typed

import (
	"strings"
	"time"
)

// ends lists what is understood as an end, for errors.
const ends = `write it as 2h, "90 minutes", until 23:00, until "friday 18:00" or until "2026-03-01 08:00"`

// ParseEnd reads when something is to end: "2h" from now on, or "until 23:00" and
// "until friday", which are the next such times in the zone of now. Errors are an
// [*Error].
func ParseEnd(text string, now time.Time) (time.Time, error) {
	fields := strings.Fields(strings.ToLower(text))
	if len(fields) == 0 || fields[0] != "until" {
		span := parseSpan(fields)
		if span <= 0 {
			return time.Time{}, &Error{Problem: Quoted(text) + " is not a span of time", Next: ends}
		}
		return now.Add(span), nil
	}
	if len(fields) > 1 {
		fields[1] = ahead(fields[1], now)
	}
	rest := strings.Join(fields[1:], " ")
	if c, err := parseClock(rest, text); err == nil {
		zone := now.Location()
		if c.zone != nil {
			zone = c.zone
		}
		end := dayOf(now.In(zone)).at(c, zone)
		if !end.After(now) {
			end = dayOf(now.In(zone).AddDate(0, 0, 1)).at(c, zone)
		}
		return end, nil
	}
	t, err := ParseTime(rest, now)
	switch {
	case err != nil:
		return time.Time{}, &Error{Problem: Quoted(text) + " names no time", Next: ends}
	case !t.Start().After(now):
		return time.Time{}, &Error{Problem: Quoted(text) + " is over already", Next: ends}
	default:
		return t.Start(), nil
	}
}

// ahead is the date of tomorrow, or of a weekday that comes; another word stays.
func ahead(word string, now time.Time) string {
	w, ok := parseWeekday(word)
	days := (int(w-now.Weekday()) + 7) % 7
	if word == "tomorrow" {
		days, ok = 1, true
	}
	if !ok {
		return word
	}
	return now.AddDate(0, 0, days).Format(time.DateOnly)
}
