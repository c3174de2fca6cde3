package viewing

import (
	"fmt"
	"time"
)

// Precision is how precisely a source knows an [Instant].
type Precision string

// The precisions.
const (
	Second Precision = "second"
	Day    Precision = "day" // sent as 12:00 local time of that day
)

// Instant is a point in time, with the text that it was read from.
type Instant struct {
	// Millis is the instant in milliseconds since 1970 in UTC.
	Millis int64 `json:"utc"`
	// Text is the time as the source wrote it.
	Text string `json:"text,omitempty"`
	// Offset is the offset of local time from UTC in seconds, positive to the east; nil if
	// the source did not know it.
	Offset *int `json:"offset,omitempty"`
	// Precision is how precisely the source knows it.
	Precision Precision `json:"precision"`
}

// At returns the instant of t, precise to the second, with the offset of t.
func At(t time.Time) Instant {
	_, offset := t.Zone()
	return Instant{Millis: t.UnixMilli(), Text: t.Format(time.RFC3339Nano), Offset: &offset, Precision: Second}
}

// ParseInstant parses RFC 3339 with an offset, the format of browsers and commands. A time
// without an offset is an error, because it is ambiguous.
func ParseInstant(text string) (Instant, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return Instant{}, fmt.Errorf("%q is not a time with an offset, such as 2026-03-01T20:15:00+01:00", text)
	}
	in := At(t)
	in.Text = text
	return in, nil
}

// Time returns the instant in UTC.
func (i Instant) Time() time.Time { return time.UnixMilli(i.Millis).UTC() }

// clockTolerance is how far a source's clock may be ahead.
const clockTolerance = 5 * time.Minute

// IsFuture reports whether the instant is more than five minutes after now.
func (i Instant) IsFuture(now time.Time) bool { return i.Earliest().After(now.Add(clockTolerance)) }

// Earliest returns the earliest possible time: for a day its beginning.
func (i Instant) Earliest() time.Time {
	if i.Precision == Day {
		return i.Time().Add(-12 * time.Hour)
	}
	return i.Time()
}

// IsZero reports whether no instant is set. 1970-01-01T00:00:00Z is not zero if it has its text.
func (i Instant) IsZero() bool { return i.Millis == 0 && i.Text == "" }
