package locale

import (
	"strings"
	"testing"
	"time"
)

// TestTimes: a day and a moment as a person would say them, by local days.
func TestTimes(t *testing.T) {
	now := time.Date(2026, 11, 24, 0, 30, 0, 0, time.Local)
	for _, c := range []struct {
		at                   time.Time
		day, moment, momentD string
	}{
		{now, "Today", "today 00:30", "heute 00:30"},
		{now.Add(-time.Hour), "Yesterday", "yesterday 23:30", "gestern 23:30"},
		{now.AddDate(0, 0, -4).Add(20 * time.Hour), "Friday, 20 November", "Fri 20 Nov, 20:30", "Fr 20. Nov, 20:30"},
		{now.AddDate(0, 0, 3), "Friday, 27 November", "Fri 27 Nov, 00:30", "Fr 27. Nov, 00:30"},
		{now.AddDate(-1, -8, 0), "Monday, 24 March", "24 Mar 2025, 00:30", "24. Mär 2025, 00:30"},
	} {
		if got := (Speech{Tag: English}).Day(c.at, now); got != c.day {
			t.Errorf("%s: %q, want %q", c.at, got, c.day)
		}
		if got := (Speech{Tag: English}).Moment(c.at, now); got != c.moment {
			t.Errorf("%s: %q, want %q", c.at, got, c.moment)
		}
		day := strings.TrimSuffix(c.momentD[:len(c.momentD)-len(" 00:00")], ",")
		if got := (Speech{Tag: "de"}).ShortDay(c.at, now); got != day {
			t.Errorf("%s: %q, want %q", c.at, got, day)
		}
		if got := (Speech{Tag: "de"}).Moment(c.at, now); got != c.momentD {
			t.Errorf("%s: %q, want %q", c.at, got, c.momentD)
		}
	}
	if got := (Speech{Tag: "de"}).Month(now); got != "November 2026" {
		t.Error(got)
	}
}
