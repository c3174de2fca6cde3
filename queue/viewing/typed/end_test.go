package typed

import (
	"errors"
	"testing"
	"time"
)

func TestParseEnd(t *testing.T) {
	zone := time.FixedZone("", 3600)
	now := time.Date(2026, 3, 1, 22, 30, 0, 0, zone)
	for text, want := range map[string]string{
		"2h": "2026-03-02T00:30:00+01:00", "90m": "2026-03-02T00:00:00+01:00", "1h 30m": "2026-03-02T00:00:00+01:00", "2H": "2026-03-02T00:30:00+01:00",
		"until 23:00": "2026-03-01T23:00:00+01:00", "until 22:30": "2026-03-02T22:30:00+01:00", "Until  07:15": "2026-03-02T07:15:00+01:00",
		"90 minutes": "2026-03-02T00:00:00+01:00", "an hour": "2026-03-01T23:30:00+01:00", "until sunday 23:00": "2026-03-01T23:00:00+01:00",
		"until tomorrow": "2026-03-02T00:00:00+01:00", "until Tomorrow 8:00": "2026-03-02T08:00:00+01:00", "until friday 18:00": "2026-03-06T18:00:00+01:00",
		"until 22:00+00:00": "2026-03-01T22:00:00Z", "until 2026-12-01 08:00": "2026-12-01T08:00:00+01:00", "until 2026-03-02": "2026-03-02T00:00:00+01:00",
	} {
		got, err := ParseEnd(text, now)
		if err != nil || got.Format(time.RFC3339) != want {
			t.Errorf("%q: %s, %v; want %s", text, got.Format(time.RFC3339), err, want)
		}
	}
	for text, want := range map[string]string{
		"2": "is not a span of time", "-2h": "is not a span of time", "0s": "is not a span of time", "two hours": "is not a span of time", "23:00": "is not a span of time",
		"": "is not a span of time", "until": "names no time", "until 25:00": "names no time", "until later": "names no time",
		"until 2026-03-01 22:30": "is over already", "until yesterday": "is over already", "until sunday": "is over already", "a hurry": "is not a span of time",
	} {
		_, err := ParseEnd(text, now)
		var typed *Error
		if !errors.As(err, &typed) || typed.Problem != Quoted(text)+" "+want || typed.Next != ends {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if end, err := ParseEnd("until 02:30", time.Date(2026, 3, 28, 23, 0, 0, 0, berlin(t))); err != nil || end.Sub(time.Date(2026, 3, 28, 23, 0, 0, 0, berlin(t))) > 4*time.Hour {
		t.Errorf("a time that is not there: %s, %v", end, err)
	}
}

func berlin(t *testing.T) *time.Location {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	return zone
}
