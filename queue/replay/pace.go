package replay

import (
	"math"
	"time"

	"golang.org/x/time/rate"

	"github.com/filmspool/filmspool/queue/viewing"
)

// pace spreads requests over time, as the user wishes: all of them, and those
// of imports in particular. It keeps no clock of its own and allows no bursts.
type pace struct{ all, backfill *rate.Limiter }

// limiter takes requests a second; 0 is no limit.
func limiter(perSecond float64) *rate.Limiter {
	if perSecond == 0 {
		perSecond = math.Inf(1)
	}
	return rate.NewLimiter(rate.Limit(perSecond), 1)
}

// unlimited reports whether l lets everything pass.
func unlimited(l *rate.Limiter) bool { return math.IsInf(float64(l.Limit()), 1) }

// free is when l lets the next request pass: now, or later.
func free(l *rate.Limiter, now time.Time) time.Time {
	if unlimited(l) {
		return now
	}
	r := l.ReserveN(now, 1)
	defer r.CancelAt(now) // it was only asked
	return now.Add(r.DelayFrom(now))
}

// ready is when a request may begin at all.
func (p pace) ready(now time.Time) time.Time { return free(p.all, now) }

// backfillReady is when one of an import may.
func (p pace) backfillReady(now time.Time) time.Time {
	return later(free(p.all, now), free(p.backfill, now))
}

// take counts a request that begins now.
func (p pace) take(lane viewing.Lane, now time.Time) {
	p.all.ReserveN(now, 1)
	if lane == viewing.LaneBackfill {
		p.backfill.ReserveN(now, 1)
	}
}
