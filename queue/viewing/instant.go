package viewing

import (
	"fmt"
	"time"
)

// Precision says how finely a source knows an [Instant].
type Precision string

// The precisions that sources have.
const (
	Second Precision = "second"
	Day    Precision = "day" // sent as 12:00 local time of that day
)

// Instant is when something happened, with the evidence it was read from.
type Instant struct {
	// Millis is the instant in milliseconds since 1970 in UTC.
	Millis int64 `json:"utc"`
	// Text is what the source wrote, unchanged.
	Text string `json:"text,omitempty"`
	// Offset is the local time's distance from UTC in seconds, east positive;
	// nil when the source did not know it.
	Offset *int `json:"offset,omitempty"`
	// Precision is how finely the source knows it.
	Precision Precision `json:"precision"`
}

// At is the instant t, known to the second, with t's own offset.
func At(t time.Time) Instant {
	_, offset := t.Zone()
	return Instant{Millis: t.UnixMilli(), Text: t.Format(time.RFC3339Nano), Offset: &offset, Precision: Second}
}

// ParseInstant reads RFC 3339 with an offset, the form in which browsers and
// commands give times. A text without an offset is refused: it names no instant.
func ParseInstant(text string) (Instant, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return Instant{}, fmt.Errorf("%q is not a time with an offset, such as 2026-03-01T20:15:00+01:00", text)
	}
	in := At(t)
	in.Text = text
	return in, nil
}

// Time is the instant in UTC.
func (i Instant) Time() time.Time { return time.UnixMilli(i.Millis).UTC() }

// clockTolerance is how far ahead a source's clock may be.
const clockTolerance = 5 * time.Minute

// IsFuture reports a time that no clock can have seen yet: one of more than five minutes
// after now.
func (i Instant) IsFuture(now time.Time) bool { return i.Earliest().After(now.Add(clockTolerance)) }

// Earliest is the earliest that it can have been: of a day, its beginning.
func (i Instant) Earliest() time.Time {
	if i.Precision == Day {
		return i.Time().Add(-12 * time.Hour)
	}
	return i.Time()
}

// IsZero reports whether no instant was given. 1970-01-01T00:00:00Z itself
// counts as given when it carries its text.
func (i Instant) IsZero() bool { return i.Millis == 0 && i.Text == "" }
