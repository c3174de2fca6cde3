package connector

import (
	"time"

	"golang.org/x/time/rate"
)

// take takes a token from a limiter and returns 0, or leaves it as it was and
// returns how long it will be until there is one.
func take(l *rate.Limiter) time.Duration {
	r := l.Reserve()
	wait := r.Delay()
	if wait > 0 {
		r.Cancel()
	}
	return wait
}
