package rule

import (
	"fmt"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// A clock that is wrong has every playback held, one by one. What they have in
// common is told once.

// Clock counts growths in a row whose times lie equally far from the moment at
// which they were written.
type Clock struct {
	Off   int64 `json:"off,omitempty"` // how far Kodi's time is ahead, in seconds
	Votes int   `json:"votes,omitempty"`
}

// How many growths make a wrong clock, and how far they may differ. A library
// that is only looked at once a minute is seen that much later.
const (
	clockVotes = 3
	clockApart = liveGap
)

// clockVote takes in a growth that would be live by another clock.
func (r *reading) clockVote(g growth, w wallTime) {
	if g.to-g.from != 1 || g.unknown || g.inserted() || w.offset != nil || w.midnight() {
		return
	}
	seen := r.now
	if !r.snap.Written.IsZero() {
		seen = earliest(r.snap.Written, r.now)
	}
	off := w.nearest(r.zone, r.good, r.now).at.Sub(seen)
	c := &r.Meta.Clock
	if (off - time.Duration(c.Off)*time.Second).Abs() > clockApart {
		c.Votes = 0
	}
	if c.Votes++; c.Votes == 1 {
		c.Off = int64(off / time.Second)
	}
}

// Wrong says how Kodi's clock differs from this machine's; none as long as it seems
// right. zone reports whether a wrong time zone would explain it.
func (c Clock) Wrong() (says viewing.Message, zone bool) {
	if c.Votes < clockVotes {
		return says, false
	}
	off := (time.Duration(c.Off) * time.Second).Round(time.Minute)
	code := "clockAhead"
	if off < 0 {
		code = "clockBehind"
	}
	says = viewing.Say(code, "span", span(off.Abs()), "n", strconv.Itoa(c.Votes))
	return says, off != 0 && off%quarter == 0 && off.Abs() <= 26*time.Hour
}

// span is a time in a person's words.
func span(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d >= 2*day:
		return fmt.Sprintf("%d days", d/day)
	case d >= time.Hour:
		return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
	default:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
}
