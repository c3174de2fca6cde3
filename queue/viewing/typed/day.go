package typed

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// parseDay reads the day with which fields begin, and returns what follows it:
// a date, "yesterday", "friday", "last friday" or "3 days ago". whole is what
// was typed.
func parseDay(fields []string, whole string, now time.Time) (d day, rest []string, err error) {
	word, rest := fields[0], fields[1:]
	ago := slices.Index(fields, "ago")
	switch span := parseSpan(fields[:max(ago, 0)]); {
	case span > 0 && span%(24*time.Hour) == 0:
		return dayOf(now.AddDate(0, 0, -int(span/(24*time.Hour)))), fields[ago+1:], nil
	case word == "today":
		return dayOf(now), rest, nil
	case word == "yesterday":
		return dayOf(now.AddDate(0, 0, -1)), rest, nil
	}
	last := word == "last" && len(rest) > 0
	if last {
		word, rest = rest[0], rest[1:]
	}
	w, ok := parseWeekday(word)
	since := (int(now.Weekday()-w) + 7) % 7
	switch {
	case ok && since == 0 && !last:
		err = &Error{
			Problem: Quoted(word) + " can be today, or a week ago",
			Next:    `write "today" or "last ` + word + `" instead`,
		}
	case ok && since == 0:
		d = dayOf(now.AddDate(0, 0, -7))
	case ok:
		d = dayOf(now.AddDate(0, 0, -since))
	case last || ago >= 0:
		err = notTime(whole)
	default:
		d, err = parseDate(word)
	}
	return d, rest, err
}

// parseAgo reads a moment that is counted in minutes or hours: "2 hours ago", or
// "now". Days are counted on the calendar, by [parseDay].
func parseAgo(fields []string) (ago time.Duration, ok bool) {
	last := len(fields) - 1
	if fields[last] != "ago" || last == 0 {
		return 0, last == 0 && fields[0] == "now"
	}
	if word := fields[last-1]; strings.HasPrefix(word, "day") || strings.HasPrefix(word, "week") {
		return 0, false
	}
	ago = parseSpan(fields[:last])
	return ago, ago > 0
}

// parseSpan reads a span of time such as 2h, "90 minutes" or "a week"; 0 is none.
func parseSpan(words []string) time.Duration {
	if span, err := time.ParseDuration(strings.Join(words, "")); err == nil || len(words) != 2 {
		return span
	}
	n, err := strconv.ParseUint(words[0], 10, 13) // no more than 157 years
	if words[0] == "a" || words[0] == "an" {
		n, err = 1, nil
	}
	if err != nil {
		return 0
	}
	return time.Duration(n) * map[string]time.Duration{
		"min": time.Minute, "minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour,
	}[strings.TrimSuffix(words[1], "s")]
}

// parseWeekday reads friday, or fri.
func parseWeekday(word string) (time.Weekday, bool) {
	for w := time.Sunday; w <= time.Saturday; w++ {
		if name := strings.ToLower(w.String()); word == name || word == name[:3] {
			return w, true
		}
	}
	return 0, false
}
