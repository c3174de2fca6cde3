package typed

import (
	"errors"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the tests need Berlin and São Paulo wherever they run

	"github.com/filmspool/filmspool/queue/viewing"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestTimesAreReadAsPeopleWriteThem(t *testing.T) {
	now := time.Date(2026, 11, 21, 21, 30, 15, 500, zone(t, "Europe/Berlin"))
	for text, want := range map[string]string{
		"now": "2026-11-21T21:30:15+01:00", "NOW": "2026-11-21T21:30:15+01:00",
		"today": "2026-11-21", "yesterday": "2026-11-20", "Yesterday": "2026-11-20",
		"yesterday 20:15":               "2026-11-20T20:15:00+01:00",
		"20:15 yesterday":               "2026-11-20T20:15:00+01:00",
		"today 20:15":                   "2026-11-21T20:15:00+01:00",
		"20:15":                         "2026-11-21T20:15:00+01:00",
		"20:15:30":                      "2026-11-21T20:15:30+01:00",
		"8pm":                           "2026-11-21T20:00:00+01:00",
		"8:15 PM":                       "2026-11-21T20:15:00+01:00",
		"8:15pm yesterday":              "2026-11-20T20:15:00+01:00",
		"7am yesterday":                 "2026-11-20T07:00:00+01:00",
		"friday 12 am":                  "2026-11-20T00:00:00+01:00",
		"2026-11-20 8 pm +0100":         "2026-11-20T20:00:00+01:00",
		"90m ago":                       "2026-11-21T20:00:15+01:00",
		"7:05":                          "2026-11-21T07:05:00+01:00",
		"2026-11-20":                    "2026-11-20",
		"2026-11-20 20:15":              "2026-11-20T20:15:00+01:00",
		"2026-11-20  20:15:30.25":       "2026-11-20T20:15:30+01:00",
		"2026-11-20T20:15":              "2026-11-20T20:15:00+01:00",
		"2026-07-20t20:15":              "2026-07-20T20:15:00+02:00",
		"2026-11-20T20:15:00Z":          "2026-11-20T20:15:00Z",
		"2026-11-20 20:15Z":             "2026-11-20T20:15:00Z",
		"2026-11-20T20:15:00-05:00":     "2026-11-20T20:15:00-05:00",
		"2026-11-20 20:15 +0100":        "2026-11-20T20:15:00+01:00",
		"2026-11-20T20:15:00.250+01:00": "2026-11-20T20:15:00+01:00",
		"20.11.2026":                    "2026-11-20",
		"1.3.2026 20:15":                "2026-03-01T20:15:00+01:00",
		"2024-02-29":                    "2024-02-29",
		"2027-01-01 20:15":              "2027-01-01T20:15:00+01:00",
		"20:15Z":                        "2026-11-21T20:15:00Z",
		"2 hours ago":                   "2026-11-21T19:30:15+01:00",
		"an hour ago":                   "2026-11-21T20:30:15+01:00",
		"90 minutes ago":                "2026-11-21T20:00:15+01:00",
		"1h30m ago":                     "2026-11-21T20:00:15+01:00",
		"24h ago":                       "2026-11-20T21:30:15+01:00",
		"3 days ago":                    "2026-11-18",
		"a week ago":                    "2026-11-14",
		"2 weeks ago 20:15":             "2026-11-07T20:15:00+01:00",
		"20:15 3 days ago":              "2026-11-18T20:15:00+01:00",
		"friday":                        "2026-11-20",
		"Fri":                           "2026-11-20",
		"last friday":                   "2026-11-20",
		"friday 20:15":                  "2026-11-20T20:15:00+01:00",
		"20:15 last sunday":             "2026-11-15T20:15:00+01:00",
		"sunday 20:15 +0000":            "2026-11-15T20:15:00Z",
		"last saturday":                 "2026-11-14", // today is one
	} {
		at, err := ParseTime(text, now)
		in := at.Instant(now)
		got := in.Time().In(time.FixedZone("", offset(in))).Format(time.RFC3339)
		if in.Precision == viewing.Day {
			got = got[:10]
			if hour := in.Time().In(now.Location()).Hour(); hour != 12 {
				t.Errorf("%q is at %d h, not at noon", text, hour)
			}
		}
		if err != nil || got != want || in.Text != strings.TrimSpace(text) {
			t.Errorf("%q is %s (%q), %v; want %s", text, got, in.Text, err, want)
		}
	}
}

func offset(in viewing.Instant) int {
	if in.Offset == nil {
		return 0
	}
	return *in.Offset
}

func TestWhatIsNoTimeIsRefusedInPlainWords(t *testing.T) {
	now := time.Date(2026, 11, 21, 19, 0, 0, 0, zone(t, "Europe/Berlin"))
	for text, want := range map[string]string{
		"":                       "empty",
		"tomorrow":               "is not a time",
		"8 pm":                   "still to come today",
		"13pm":                   "is not a time of the day",
		"8 pm pm":                "is not a time",
		"20:15":                  "still to come today",
		"today 20:15":            "still to come today",
		"2026-02-30":             "does not exist: February 2026 has 28 days",
		"2026-02-30T20:15:00Z":   "does not exist: February 2026 has 28 days",
		"30.2.2026":              "does not exist: February 2026 has 28 days",
		"2026-13-01":             "there is no month 13",
		"2026-11-00":             "does not exist",
		"21/11/2026":             "can mean two days",
		"2026/11/21":             "can mean two days",
		"21.11.26":               "is not a time",
		"2026-11":                "is not a time",
		"2026":                   "is not a time",
		"1772392500":             "is not a time",
		"2026-11-21 25:00":       "is not a time of the day",
		"2026-11-21 20:60":       "is not a time of the day",
		"2026-11-21 20":          "is not a time of the day",
		"2026-11-21 20:15 CET":   "is not a time of the day",
		"2026-11-21T20:15+99:00": "is not an offset",
		"2026-03-29 02:30":       "did not exist: the clocks were put forward",
		"2026-10-25 02:30":       "was there twice: the clocks were put back",
		"a b c d":                "is not a time",
		"+":                      "is not a time",
		"saturday":               "can be today, or a week ago",
		"saturday 20:15":         "can be today, or a week ago",
		"next friday":            "is not a time",
		"last":                   "is not a time",
		"last night":             `"last night" is not a time`,
		"ago":                    "is not a time",
		"two hours ago":          `"two hours ago" is not a time`,
		"0 days ago":             "is not a time",
		"9999 weeks ago":         "is not a time",
		"-2h ago":                "is not a time",
		"2 hours ago 20:15":      "is not a time",
		"friday 20:15 20:16":     "is not a time",
		"friday a b c":           "is not a time",
	} {
		_, err := ParseTime(text, now)
		var problem *Error
		if !errors.As(err, &problem) || !strings.Contains(problem.Problem, want) || problem.Next == "" {
			t.Errorf("%q: %v, want %q and a way on", text, err, want)
		}
	}
	_, err := ParseTime("2026-10-25 02:30", now)
	var problem *Error
	if !errors.As(err, &problem) || problem.Next != "say which: 2026-10-25T02:30:00+02:00 or 2026-10-25T02:30:00+01:00" {
		t.Errorf("the two times are not told: %+v", problem)
	}
	for text, next := range map[string]string{
		"2026-03-29 02:30": `give a time before or after that, such as "2026-03-29 03:30"`,
		"30.2.2026":        "its last day is 2026-02-28",
	} {
		if _, err := ParseTime(text, now); !errors.As(err, &problem) || problem.Next != next {
			t.Errorf("%q has no example: %+v", text, problem)
		}
	}
	if at, err := ParseTime("2026-10-25T02:30:00+01:00", now); err != nil || !at.Start().Equal(time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC)) {
		t.Errorf("one of the two: %v, %v", at, err)
	}
}

// TestToday: before noon, the day that is told does not lie ahead.
func TestTodayDoesNotLieAhead(t *testing.T) {
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, zone(t, "Europe/Berlin"))
	at, err := ParseTime("today", now)
	in := at.Instant(now)
	if err != nil || !in.Time().Equal(now) || in.Precision != viewing.Day {
		t.Errorf("%+v, %v", in, err)
	}
}

// TestADayBeginsAtItsFirstMoment, also where the clocks jump over midnight.
func TestADayBeginsAtItsFirstMoment(t *testing.T) {
	for name, c := range map[string]struct{ zone, day, want string }{
		"common":  {"Europe/Berlin", "2026-11-21", "2026-11-21T00:00:00+01:00"},
		"skipped": {"America/Sao_Paulo", "2018-11-04", "2018-11-04T01:00:00-02:00"},
	} {
		now := time.Date(2026, 11, 21, 19, 0, 0, 0, zone(t, c.zone))
		at, err := ParseTime(c.day, now)
		if got := at.Start().Format(time.RFC3339); err != nil || got != c.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
		if got := at.Instant(now).Time().In(now.Location()).Format(time.DateOnly); got != c.day {
			t.Errorf("%s: noon lies on %s", name, got)
		}
	}
}

// FuzzParseTime: what is taken is one instant, and the machine's own way of
// writing it gives the same one.
func FuzzParseTime(f *testing.F) {
	for _, text := range []string{"now", "yesterday 20:15", "20:15", "2026-11-21", "2026-10-25 02:30", "21.11.2026 20:15", "2026-11-20T20:15:00.250+01:00", "2026-02-30", "1/2/2026"} {
		f.Add(text, int64(1795000000))
	}
	berlin := zone(f, "Europe/Berlin")
	f.Add("last friday 20:15", int64(1795000000))
	f.Add("2 hours ago", int64(1795000000))
	f.Fuzz(func(t *testing.T, text string, seconds int64) {
		now := time.Unix(seconds%4e9, 0).In(berlin)
		at, err := ParseTime(text, now)
		if err != nil {
			return
		}
		in := at.Instant(now)
		if in.IsZero() || in.Offset == nil || at.Start().IsZero() {
			t.Fatalf("%q: no instant: %+v", text, in)
		}
		if in.Precision == viewing.Day {
			return
		}
		same := at.Start()
		if y := same.Year(); y < 1000 || y > 9999 || *in.Offset%60 != 0 { // of these RFC 3339 knows nothing
			return
		}
		again, err := ParseTime(same.Format(time.RFC3339Nano), now)
		if err != nil || again.Instant(now).Millis != in.Millis {
			t.Fatalf("%q: %v, again %v, %v", text, same, again, err)
		}
	})
}
