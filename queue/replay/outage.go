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
	diskCap     = time.Minute     // longest wait after an error of the local disk
)

// jitter picks a positive wait of at most most.
type jitter func(most time.Duration) time.Duration

// fullJitter picks waits evenly, so that many entries and machines do not retry at the
// same time.
func fullJitter(most time.Duration) time.Duration { return rand.N(most) + 1 }

// doubled returns first doubled the given number of times, at most limit.
func doubled(first, limit time.Duration, times int) time.Duration {
	for ; times > 0 && first < limit; times-- {
		first *= 2
	}
	return min(first, limit)
}

// earliest returns the earlier of two instants, ignoring a zero time.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// later returns the later of two instants.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// backoff computes the time of the next retry after consecutive failures.
type backoff struct {
	limit    time.Duration
	jitter   jitter
	failures int
	failedAt time.Time // the last failure
	at       time.Time // the next retry
}

// recordFailure counts a failure at now and schedules the next retry.
func (b *backoff) recordFailure(now time.Time) {
	b.failedAt, b.at = now, now.Add(b.jitter(doubled(backoffBase, b.limit, b.failures)))
	b.failures++
}

// retrySoon moves the next retry to now, or to backoffBase after the last failure.
func (b *backoff) retrySoon(now time.Time) {
	if soon := later(b.failedAt.Add(backoffBase), now); soon.Before(b.at) {
		b.at = soon
	}
}

// maxFailedEntries is how many different entries must fail in a row, without a success
// between them, before all others wait for a probe. One or two entries that the service
// cannot process must not stop the rest.
const maxFailedEntries = 3

// outage is the state of a failing service. While it is active, because the service is not
// reached or entry after entry fails, only probes are sent.
type outage struct {
	active        bool
	retry         backoff        // for probes
	waitUntil     time.Time      // end of a Retry-After: no requests before it
	failedEntries map[int64]bool // entries that failed since the last success
	lastVerdict   tracker.Verdict
}

// pace limits the rate of requests as configured. It allows no bursts.
type pace struct {
	interval, importInterval time.Duration // between two requests; 0 means no limit
	next, nextImport         time.Time     // earliest time of the next request
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

// readyAt returns when an entry of the lane may be sent.
func (p *pace) readyAt(lane viewing.Lane) time.Time {
	if lane == viewing.LaneBackfill {
		return later(p.next, p.nextImport)
	}
	return p.next
}

// recordSend counts an entry that is sent now.
func (p *pace) recordSend(lane viewing.Lane, now time.Time) {
	p.next = now.Add(p.interval)
	if lane == viewing.LaneBackfill {
		p.nextImport = now.Add(p.importInterval)
	}
}
