package playback

import (
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// ByHand reports a reason to hold an entry of which only a person can know
// whether it may leave.
func ByHand(reason string) bool {
	return reason == viewing.ReasonUser || reason == viewing.ReasonRestored
}

// Seconds is a running time that a source told; it may have told anything.
func Seconds(seconds float64) time.Duration {
	return time.Duration(min(seconds, Longest.Seconds()) * float64(time.Second))
}

// Distance is how much later one end is than another, to the second: "2m30s", "-2m0s",
// or "day" where one of them is known by its day alone.
func Distance(a, b viewing.Instant) string {
	if a.Precision == viewing.Day || b.Precision == viewing.Day {
		return "day"
	}
	return (time.Duration(a.Millis-b.Millis) * time.Millisecond).Round(time.Second).String()
}
