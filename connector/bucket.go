package connector

import (
	"sync"
	"time"
)

// bucket is a token bucket: it fills at a steady rate up to its size, and
// every message takes one token.
type bucket struct {
	perSecond float64
	size      float64

	mu     sync.Mutex
	tokens float64
	at     time.Time // when tokens was right
}

// newBucket is a full bucket of n tokens that gets perSecond back.
func newBucket(perSecond float64, n int) *bucket {
	return &bucket{perSecond: perSecond, size: float64(n), tokens: float64(n), at: time.Now()}
}

// take takes a token and returns 0, or returns how long it will be until
// there is one.
func (b *bucket) take() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.tokens = min(b.size, b.tokens+now.Sub(b.at).Seconds()*b.perSecond)
	b.at = now
	if b.tokens >= 1 {
		b.tokens--
		return 0
	}
	return time.Duration((1 - b.tokens) / b.perSecond * float64(time.Second))
}
