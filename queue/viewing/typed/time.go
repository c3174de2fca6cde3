package typed

import (
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Time is when something was watched, as a person wrote it.
type Time struct {
	at   time.Time
	day  bool // at is noon of a day of which no more is known
	text string
}

// The forms of a time, in lower case.
var (
	dayForm = lazy(`^(today|yesterday|\d{4}-\d\d-\d\d)?(?:(?:^|[ t])(\d{1,2}:\d\d)(:[0-5]\d)?)?$`)
	agoForm = lazy(`^(\d{1,5}) ?(m|min|minutes?|h|hours?|days?) ago$`)
)

// ParseTime reads a time in the zone of now: RFC 3339, "2026-03-01", "2026-03-01 20:15",
// "20:15", "yesterday 20:15:30", "2 hours ago". "20:15" is today. What lies ahead is refused
// only where the day was not written.
func ParseTime(text string, now time.Time) (Time, error) {
	t := Time{text: strings.TrimSpace(text)}
	lower := strings.ToLower(strings.Join(strings.Fields(text), " "))
	var err error
	if t.at, err = time.Parse(time.RFC3339Nano, strings.ToUpper(lower)); err == nil {
		return t, nil
	}
	if parts := agoForm().FindStringSubmatch(lower); parts != nil {
		n := int(number(parts[1]))
		switch parts[2][0] {
		case 'm':
			t.at = now.Add(time.Duration(-n) * time.Minute).Truncate(time.Second)
		case 'h':
			t.at = now.Add(time.Duration(-n) * time.Hour).Truncate(time.Second)
		default:
			t.at, t.day = at(now.AddDate(0, 0, -n), 12, 0), true
		}
		return t, nil
	}
	parts := dayForm().FindStringSubmatch(lower)
	if parts == nil || lower == "" {
		return t, say("typed.time", text)
	}
	day := now
	switch parts[1] {
	case "", "today":
	case "yesterday":
		day = now.AddDate(0, 0, -1)
	default:
		if day, err = time.ParseInLocation("2006-01-02 15", parts[1]+" 12", now.Location()); err != nil {
			return t, say("typed.time", text)
		}
	}
	if parts[2] == "" {
		t.at, t.day = at(day, 12, 0), true
		return t, nil
	}
	clock, err := time.Parse("15:04", parts[2])
	if err != nil {
		return t, say("typed.time", text)
	}
	t.at, err = moment(day, clock)
	t.at = t.at.Add(time.Duration(number(strings.TrimPrefix(parts[3], ":"))) * time.Second)
	if err == nil && (parts[1] == "" || parts[1] == "today") && t.at.After(now) {
		err = viewing.Say("typed.ahead", "text", Quoted(t.text), "clock", parts[2])
	}
	return t, err
}

// at is a time of the clock on a day; one that does not exist is moved.
func at(day time.Time, hour, minute int) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, day.Location())
}

// moment is the one moment of a day at which clocks in its zone show this. Where they are
// put forward or back there may be none, or two.
func moment(day, clock time.Time) (time.Time, error) {
	zone, moved := day.Location(), at(day, clock.Hour(), clock.Minute())
	shown := time.Date(day.Year(), day.Month(), day.Day(), clock.Hour(), clock.Minute(), 0, 0, time.UTC)
	var found []time.Time
	for _, near := range []time.Duration{-24 * time.Hour, 24 * time.Hour} {
		_, offset := shown.Add(near).In(zone).Zone()
		t := shown.Add(-time.Duration(offset) * time.Second).In(zone)
		if t.Format(time.DateTime) == shown.Format(time.DateTime) && (len(found) == 0 || !found[0].Equal(t)) {
			found = append(found, t)
		}
	}
	const minutes = "2006-01-02 15:04"
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return moved, viewing.Say("typed.skipped", "text", shown.Format(minutes), "next", moved.Format(minutes))
	default:
		return moved, viewing.Say("typed.twice", "text", shown.Format(minutes),
			"first", found[0].Format(time.RFC3339), "second", found[1].Format(time.RFC3339))
	}
}

// Instant is when a viewing ended. Of a day it is noon, or now when that is
// still to come today: a day that is told never lies ahead because of its noon.
func (t Time) Instant(now time.Time) viewing.Instant {
	ended, precision := t.at, viewing.Second
	if t.day {
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
	if !t.day {
		return t.at
	}
	start := at(t.at, 0, 0)
	if start.Day() != t.at.Day() {
		start = start.Add(time.Hour) // the clocks were put forward at midnight
	}
	return start
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
		return time.Time{}, say("typed.end", text)
	}
	end := at(now, clock.Hour(), clock.Minute())
	if !end.After(now) {
		end = at(now.AddDate(0, 0, 1), clock.Hour(), clock.Minute())
	}
	return end, nil
}
