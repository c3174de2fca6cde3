package playback

import (
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Weight is how much an entry has for it when two tell of one playback: the lesser
// is merged, among equals the later.
type Weight int

// The weights, the least first.
const (
	None   Weight = iota // says nothing of the playback: nothing is merged with it
	Day                  // held or rejected, and only the day is known
	Held                 // held or rejected
	Dated                // pending, and only the day is known
	Leaves               // pending
	Firm                 // begun to leave, arrived, or in a person's hands: it stays as it is
)

// Standing is how an entry stands.
type Standing struct {
	State   viewing.State
	Reason  string
	Sent    bool // a request has left, or may have
	DayOnly bool // of its time only the day is known
}

// Weight weighs an entry. What a filter or a source has dropped is about their own
// sighting; what the user has dropped is about the playback.
func (s Standing) Weight() Weight {
	day := Weight(0)
	if s.DayOnly {
		day = 1
	}
	switch {
	case s.State == viewing.StateMerged && s.Reason == viewing.ReasonSeenTwice:
		return None
	case s.State == viewing.StateDropped && s.Reason != viewing.ReasonUser:
		return None
	case s.State == viewing.StatePending && !s.Sent:
		return Leaves - day
	case s.State == viewing.StateHeld && !ByHand(s.Reason) && s.Reason != viewing.ReasonApprove, s.State == viewing.StateRejected:
		return Held - day
	default:
		return Firm
	}
}

// ByHand reports a reason to hold an entry of which only a person can know
// whether it may leave.
func ByHand(reason string) bool {
	return slices.Contains([]string{viewing.ReasonUser, viewing.ReasonRestored}, reason)
}

// Seconds is a running time that a source told; it may have told anything.
func Seconds(seconds float64) time.Duration {
	return time.Duration(min(seconds, Longest.Seconds()) * float64(time.Second))
}

// Distance tells a person how one end lies to another.
func Distance(a, b viewing.Instant) string {
	apart := time.Duration(a.Millis-b.Millis) * time.Millisecond
	switch {
	case a.Precision == viewing.Day || b.Precision == viewing.Day:
		return "that day"
	case apart == 0:
		return "with the same end"
	case apart > 0:
		return "with its end " + apart.Round(time.Second).String() + " later"
	default:
		return "with its end " + (-apart).Round(time.Second).String() + " earlier"
	}
}
