package locale

import (
	"strconv"
	"strings"
	"time"
)

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
