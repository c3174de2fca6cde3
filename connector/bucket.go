package connector

import (
	"time"

	"golang.org/x/time/rate"
)

// take takes a token from a limiter and returns 0, or leaves it as it was and
// returns how long it will be until there is one.
func take(l *rate.Limiter) time.Duration { return takeN(l, 1) }

// peek is take that takes nothing.
func peek(l *rate.Limiter) time.Duration {
	if missing := 1 - l.Tokens(); missing > 0 {
		return time.Duration(missing / float64(l.Limit()) * float64(time.Second))
	}
	return 0
}

// takeN takes n tokens at once, or as many as the limiter ever holds.
func takeN(l *rate.Limiter, n int) time.Duration {
	r := l.ReserveN(time.Now(), min(n, l.Burst()))
	wait := r.Delay()
	if wait > 0 {
		r.Cancel()
	}
	return wait
}
