package replay

import (
	"math/rand/v2"
	"time"
)

const (
	backoffBase = time.Second     // longest wait before the first retry
	backoffCap  = 5 * time.Minute // longest wait before any retry
	retryCap    = 24 * time.Hour  // a longer Retry-After is cut to this
)

// jitter picks a wait of more than nothing and of at most most.
type jitter func(most time.Duration) time.Duration

// fullJitter spreads waits evenly, so that many waiting rows and machines do
// not come back together.
func fullJitter(most time.Duration) time.Duration { return rand.N(most) + 1 }

// longest is the longest wait after so many earlier tries that failed.
func longest(earlier int) time.Duration { return doubled(backoffBase, backoffCap, earlier) }

// doubled is first doubled so many times, at most limit.
func doubled(first, limit time.Duration, times int) time.Duration {
	wait := first
	for range times {
		if wait >= limit {
			return limit
		}
		wait *= 2
	}
	return min(wait, limit)
}

// asked is the wait the service asked for, as far as it is honoured.
func asked(retryAfter time.Duration) time.Duration { return min(retryAfter, retryCap) }
