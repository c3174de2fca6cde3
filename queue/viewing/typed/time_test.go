package typed

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the tests need Berlin wherever they run

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

func TestParseTime(t *testing.T) {
	now := time.Date(2026, 11, 21, 21, 30, 15, 500, zone(t, "Europe/Berlin"))
	for text, want := range map[string]string{
		"today": "2026-11-21", "yesterday": "2026-11-20", " Yesterday ": "2026-11-20",
		"yesterday  20:15":              "2026-11-20T20:15:00+01:00",
		"today 20:15":                   "2026-11-21T20:15:00+01:00",
		"20:15":                         "2026-11-21T20:15:00+01:00",
		"7:05":                          "2026-11-21T07:05:00+01:00",
		"2026-11-20":                    "2026-11-20",
		"2024-02-29":                    "2024-02-29",
		"2026-11-20 20:15":              "2026-11-20T20:15:00+01:00",
		"2026-07-20T20:15":              "2026-07-20T20:15:00+02:00",
		"2026-07-20T20:15:59":           "2026-07-20T20:15:59+02:00",
		"20:15:30":                      "2026-11-21T20:15:30+01:00",
		"2027-01-01 20:15":              "2027-01-01T20:15:00+01:00",
		"2026-11-20T20:15:00Z":          "2026-11-20T20:15:00Z",
		"2026-11-20T20:15:00-05:00":     "2026-11-20T20:15:00-05:00",
		"2026-11-20T20:15:00.250+01:00": "2026-11-20T20:15:00+01:00",
		"2 hours ago":                   "2026-11-21T19:30:15+01:00",
		"1 hour ago":                    "2026-11-21T20:30:15+01:00",
		"90 Minutes ago":                "2026-11-21T20:00:15+01:00",
		"90m ago":                       "2026-11-21T20:00:15+01:00",
		"24h ago":                       "2026-11-20T21:30:15+01:00",
		"3 days ago":                    "2026-11-18",
		"vor 2 Stunden":                 "2026-11-21T19:30:15+01:00",
		"vor 3 Tagen":                   "2026-11-18",
		"8 pm":                          "2026-11-21T20:00:00+01:00",
		"at 8:15pm":                     "2026-11-21T20:15:00+01:00",
		"12am":                          "2026-11-21T00:00:00+01:00",
		"20:15 yesterday":               "2026-11-20T20:15:00+01:00",
		"um 20:15 Uhr":                  "2026-11-21T20:15:00+01:00",
		"vorgestern":                    "2026-11-19",
		"last night":                    "2026-11-20",
		"last night 23:30":              "2026-11-20T23:30:00+01:00",
		"last night at 1:30":            "2026-11-21T01:30:00+01:00",
		"gestern abend":                 "2026-11-20",
		"Letzte Nacht":                  "2026-11-20",
		"friday":                        "2026-11-20", // the test's today is a Saturday
		"saturday":                      "2026-11-14",
		"on sunday 20:15":               "2026-11-15T20:15:00+01:00",
		"last friday night":             "2026-11-20",
		"am Freitag":                    "2026-11-20",
		"20/11/2026":                    "2026-11-20",
		"11/20/2026":                    "2026-11-20",
		"11/11/2026":                    "2026-11-11",
		"1.3.2026 20:15":                "2026-03-01T20:15:00+01:00",
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

func TestParseTimeErrors(t *testing.T) {
	now := time.Date(2026, 11, 21, 19, 0, 0, 0, zone(t, "Europe/Berlin"))
	for _, text := range []string{"20:15", "today 20:15"} {
		if _, err := ParseTime(text, now); codeOf(err) != "typed.ahead" {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{
		"", "tomorrow", "now", "13 pm", "last", "night", "last 20:15", "last yesterday", "friday saturday", "at", "at night 20:15", "vor 2 hours ago", "a week ago", "3/4/2026", "2026-02-30", "2026-02-30T20:15:00Z", "2026-13-01", "2026-11-00", "30.2.2026",
		"2026-11", "2026", "1772392500", "2026-11-21 25:00", "2026-11-21 20:60", "2026-11-21 20", "2026-11-21 20:15 CET", "2026-11-2120:15",
		"ago", "two hours ago", "-2h ago", "2 hours ago 20:15", "yesterday 20:15 20:16",
	} {
		if _, err := ParseTime(text, now); codeOf(err) != "typed.time" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestTodayIsNeverInTheFuture: also before noon.
func TestTodayIsNeverInTheFuture(t *testing.T) {
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, zone(t, "Europe/Berlin"))
	at, err := ParseTime("today", now)
	in := at.Instant(now)
	if err != nil || !in.Time().Equal(now) || in.Precision != viewing.Day {
		t.Errorf("%+v, %v", in, err)
	}
}

func TestParseEnd(t *testing.T) {
	now := time.Date(2026, 3, 1, 22, 30, 0, 0, time.FixedZone("", 3600))
	for text, want := range map[string]string{
		"2h": "2026-03-02T00:30:00+01:00", "90m": "2026-03-02T00:00:00+01:00", "1H30m": "2026-03-02T00:00:00+01:00",
		"until 23:00": "2026-03-01T23:00:00+01:00", "until 22:30": "2026-03-02T22:30:00+01:00", "Until  07:15": "2026-03-02T07:15:00+01:00",
	} {
		got, err := ParseEnd(text, now)
		if err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("%q: %s, %v; want %s", text, got.Format(time.RFC3339), err, want)
		}
	}
	for _, text := range []string{"", "2", "-2h", "0s", "two hours", "23:00", "until", "until 25:00", "until friday", "a hurry"} {
		if _, err := ParseEnd(text, now); codeOf(err) != "typed.end" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestNearest(t *testing.T) {
	for value, want := range map[string]string{"pendign": "pending", "HELD": "held", "xyz": "", "": "", strings.Repeat("held", 100): ""} {
		if got := Nearest(value, []string{"pending", "held", "delivered"}); got != want {
			t.Errorf("%q is near %q, want %q", value, got, want)
		}
	}
}

// FuzzParseTime: a parsed time is one instant, and its RFC 3339 form gives the same.
func FuzzParseTime(f *testing.F) {
	for _, text := range []string{"yesterday 20:15", "20:15", "2026-11-21", "2026-10-25 02:30", "2026-11-20T20:15:00.250+01:00", "2026-02-30", "2 hours ago"} {
		f.Add(text, int64(1795000000))
	}
	berlin := zone(f, "Europe/Berlin")
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
