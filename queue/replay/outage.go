package replay

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

const (
	backoffBase = time.Second     // longest wait before the first retry
	backoffCap  = 5 * time.Minute // longest wait before any retry
	diskCap     = time.Minute     // longest wait for our own disk
)

// jitter picks a wait of more than nothing and of at most most.
type jitter func(most time.Duration) time.Duration

// fullJitter spreads waits evenly, so that many waiting rows and machines do
// not come back together.
func fullJitter(most time.Duration) time.Duration { return rand.N(most) + 1 }

// doubled is first doubled so many times, at most limit.
func doubled(first, limit time.Duration, times int) time.Duration {
	for ; times > 0 && first < limit; times-- {
		first *= 2
	}
	return min(first, limit)
}

// earliest is the earlier one of two instants; the zero time is none.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// later is the later one of two instants.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// backoff is when to try again, after tries that failed in a row.
type backoff struct {
	limit    time.Duration
	jitter   jitter
	failures int
	failedAt time.Time // the last one
	at       time.Time // the next try
}

// failed records a failed try at that time.
func (b *backoff) recordFailure(now time.Time) {
	b.failedAt, b.at = now, now.Add(b.jitter(doubled(backoffBase, b.limit, b.failures)))
	b.failures++
}

// hurry brings the next try forward, but leaves the base of the back-off between two.
func (b *backoff) retrySoon(now time.Time) {
	if soon := later(b.failedAt.Add(backoffBase), now); soon.Before(b.at) {
		b.at = soon
	}
}

// maxTroubled is how many different entries must meet trouble in a row, with no good
// answer between them, before all others wait for a probe. One or two entries that the
// service stumbles over must not stop the rest.
const maxFailedEntries = 3

// outage is the trouble with the service. While it is on, because the service cannot be
// reached or entry after entry meets trouble, only a probe may pass.
type outage struct {
	active        bool
	retry         backoff        // of probes
	waitUntil     time.Time      // the service's own wait: nothing passes before it
	failedEntries map[int64]bool // entries that met trouble since the last good answer
	lastVerdict   tracker.Verdict
}

// pace spreads requests over time, as the user wishes. It allows no bursts.
type pace struct {
	interval, importInterval time.Duration // between two requests; 0 is no limit
	next, nextImport         time.Time     // not before
}

func newPace(rate, importRate float64) pace {
	between := func(perSecond float64) time.Duration {
		if perSecond == 0 {
			return 0
		}
		return time.Duration(min(float64(time.Second)/perSecond, math.MaxInt64/2))
	}
	return pace{interval: between(rate), importInterval: between(importRate)}
}

// ready is when an entry of the lane may be sent.
func (p *pace) readyAt(lane viewing.Lane) time.Time {
	if lane == viewing.LaneBackfill {
		return later(p.next, p.nextImport)
	}
	return p.next
}

// take counts an entry that is sent now.
func (p *pace) recordSend(lane viewing.Lane, now time.Time) {
	p.next = now.Add(p.interval)
	if lane == viewing.LaneBackfill {
		p.nextImport = now.Add(p.importInterval)
	}
}
