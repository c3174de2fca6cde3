package typed

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Time is when something was watched, as a person wrote it.
type Time struct {
	at   time.Time // zero when only the day is known
	day  day
	zone *time.Location
	text string
}

// forms lists what is understood, for errors.
const forms = `write it as 2026-03-01, "2026-03-01 20:15", 20:15, 8:15pm, yesterday, "friday 20:15", "2 hours ago" or 2026-03-01T20:15:00+01:00`

// ParseTime reads a time as people write it, in the zone of now. "20:15" is
// today. What lies ahead is refused only where the day was not written. Errors
// are an [*Error].
func ParseTime(text string, now time.Time) (Time, error) {
	t := Time{zone: now.Location(), text: strings.TrimSpace(text)}
	fields := strings.Fields(split(regexp.MustCompile(`(\d) ?([ap]m)\b`).ReplaceAllString(strings.ToLower(t.text), "$1$2")))
	if len(fields) > 1 && isClock(fields[0]) && strings.Trim(fields[1][:1], "z+-") != "" {
		fields = append(fields[1:], fields[0]) // "20:15 yesterday"
	}
	if len(fields) == 0 {
		return t, &Error{Problem: "the time is empty", Next: forms}
	}
	if ago, ok := parseAgo(fields); ok {
		t.at = now.Add(-ago).Truncate(time.Second)
		return t, nil
	}
	rest := fields
	written := !isClock(fields[0])
	var err error
	if t.day = dayOf(now); written {
		t.day, rest, err = parseDay(fields, t.text, now)
	}
	if err != nil || len(rest) == 0 {
		return t, err
	}
	c, err := parseClock(strings.Join(rest, ""), t.text)
	if err == nil {
		t.at, err = t.day.moment(c, t.zone)
	}
	if err == nil && (!written || fields[0] == "today") && t.at.After(now) {
		err = &Error{
			Problem: Quoted(t.text) + " is still to come today",
			Next:    fmt.Sprintf(`if it was yesterday, write "yesterday %s"`, strings.Join(rest, " ")),
		}
	}
	return t, err
}

// split puts a space between day and time: "2026-03-01T20:15".
func split(text string) string {
	if len(text) > 10 && text[4] == '-' && text[7] == '-' && text[10] == 't' {
		return text[:10] + " " + text[11:]
	}
	return text
}

func notTime(text string) error {
	return &Error{Problem: Quoted(text) + " is not a time", Next: forms}
}

// Instant is when a viewing ended. Of a day it is noon, or now when that is
// still to come today: a day that is told never lies ahead because of its noon.
func (t Time) Instant(now time.Time) viewing.Instant {
	at, precision := t.at, viewing.Second
	if at.IsZero() {
		at, precision = t.day.at(clock{hour: 12}, t.zone), viewing.Day
		if at.After(now) && dayOf(now.In(t.zone)) == t.day {
			at = now.In(t.zone).Truncate(time.Second)
		}
	}
	in := viewing.At(at)
	in.Text, in.Precision = t.text, precision
	return in
}

// Start is the moment itself, and of a day its first one.
func (t Time) Start() time.Time {
	if !t.at.IsZero() {
		return t.at
	}
	start := t.day.at(clock{}, t.zone)
	for dayOf(start) != t.day && start.Before(t.day.at(clock{hour: 12}, t.zone)) {
		start = start.Add(time.Hour) // the clocks were put forward at midnight
	}
	return start
}

// day is one day of the calendar.
type day struct {
	year  int
	month time.Month
	day   int
}

func dayOf(t time.Time) day {
	y, m, d := t.Date()
	return day{y, m, d}
}

// at is the day at a time of the clock; a time that does not exist is moved.
func (d day) at(c clock, zone *time.Location) time.Time {
	return time.Date(d.year, d.month, d.day, c.hour, c.minute, c.second, c.nano, zone)
}

// parseDate reads 2026-03-01 or 1.3.2026.
func parseDate(text string) (day, error) {
	if strings.Contains(text, "/") {
		return day{}, &Error{
			Problem: Quoted(text) + " can mean two days: some write the month first, some the day",
			Next:    "write the year, the month and the day as 2026-03-01",
		}
	}
	parts, order := strings.Split(text, "-"), [3]int{0, 1, 2}
	if strings.Contains(text, ".") {
		parts, order = strings.Split(text, "."), [3]int{2, 1, 0}
	}
	if len(parts) != 3 || len(parts[order[0]]) != 4 {
		return day{}, notTime(text)
	}
	var n [3]int
	for i, place := range order {
		v, err := strconv.ParseUint(parts[place], 10, 16)
		if err != nil || i > 0 && len(parts[place]) > 2 {
			return day{}, notTime(text)
		}
		n[i] = int(v)
	}
	d := day{n[0], time.Month(n[1]), n[2]}
	if d.month < time.January || d.month > time.December {
		return day{}, &Error{Problem: fmt.Sprintf("%s: there is no month %d", Quoted(text), n[1]), Next: forms}
	}
	if last := time.Date(d.year, d.month+1, 0, 0, 0, 0, 0, time.UTC).Day(); d.day < 1 || d.day > last {
		return day{}, &Error{
			Problem: fmt.Sprintf("%s does not exist: %s %d has %d days", Quoted(text), d.month, d.year, last),
			Next:    fmt.Sprintf("its last day is %04d-%02d-%02d", d.year, d.month, last),
		}
	}
	return d, nil
}

// clock is a time of the day, with an offset from UTC where one was written.
type clock struct {
	hour, minute, second, nano int
	zone                       *time.Location // nil when none was written
}

// isClock reports whether a word is a time of the day, not a day.
func isClock(word string) bool {
	return strings.Contains(word, ":") || word[0] <= '9' && (strings.HasSuffix(word, "am") || strings.HasSuffix(word, "pm"))
}

// parseClock reads 8pm, 8:15pm, 20:15, 20:15:30, 20:15:30.5, each with or without Z,
// +01:00 or +0100.
func parseClock(text, whole string) (clock, error) {
	at, offset := text, ""
	if i := strings.IndexAny(text, "z+-"); i >= 0 {
		at, offset = text[:i], text[i:]
	}
	var c clock
	var t time.Time
	var err error
	for _, form := range []string{"15:04", "3pm", "3:04pm", "15:04:05"} { // the last takes fractions, too
		if t, err = time.Parse(form, at); err == nil {
			break
		}
	}
	if err != nil {
		return c, &Error{Problem: Quoted(whole) + ": " + Quoted(at) + " is not a time of the day, from 00:00 to 23:59", Next: forms}
	}
	c = clock{hour: t.Hour(), minute: t.Minute(), second: t.Second(), nano: t.Nanosecond()}
	if offset == "" {
		return c, nil
	}
	for _, form := range []string{"Z07:00", "Z0700", "Z07"} {
		if t, err = time.Parse(form, strings.ToUpper(offset)); err == nil {
			_, seconds := t.Zone()
			c.zone = time.FixedZone("", seconds)
			return c, nil
		}
	}
	return c, &Error{Problem: Quoted(whole) + ": " + Quoted(offset) + " is not an offset such as +01:00", Next: forms}
}

// moment is the one moment at which clocks in zone show this. Where they are
// put forward or back there may be none, or two.
func (d day) moment(c clock, zone *time.Location) (time.Time, error) {
	if c.zone != nil {
		return d.at(c, c.zone), nil
	}
	shown := d.at(c, time.UTC)
	var found []time.Time
	for _, near := range []time.Duration{-24 * time.Hour, 24 * time.Hour} {
		_, offset := shown.Add(near).In(zone).Zone()
		t := shown.Add(-time.Duration(offset) * time.Second).In(zone)
		if t.Format(time.DateTime) == shown.Format(time.DateTime) && (len(found) == 0 || !found[0].Equal(t)) {
			found = append(found, t)
		}
	}
	wall := shown.Format("2006-01-02 15:04")
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return time.Time{}, &Error{
			Problem: wall + " did not exist: the clocks were put forward over it",
			Next:    "give a time before or after that, such as " + Quoted(d.at(c, zone).Format("2006-01-02 15:04")),
		}
	default:
		return time.Time{}, &Error{
			Problem: wall + " was there twice: the clocks were put back",
			Next:    "say which: " + found[0].Format(time.RFC3339) + " or " + found[1].Format(time.RFC3339),
		}
	}
}
