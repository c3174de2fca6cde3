package replay

import (
	"context"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/replay/doubt"
)

// stock are the entries at hand, and when there will be more.
type stock struct {
	leased  []queue.Entry // handed out, not begun
	stirred bool          // there may be something to lease
	due     time.Time     // the next row that is; zero for none
}

// readBacks is the run's watch over its entries in doubt.
type readBacks struct {
	stale  bool               // they may have changed
	due    time.Time          // of the next one; zero for never
	cancel context.CancelFunc // ends the one under way; nil without
	fresh  map[int64]bool     // entries that came into doubt and are being written down
	again  time.Time          // the plan could not be read: not before
	watch  doubt.Watch
}

// newReadBacks reads back at once what an earlier run has left.
func newReadBacks() readBacks { return readBacks{stale: true, fresh: map[int64]bool{}} }

// When the service is asked.
const (
	gather     = 2 * time.Second // after a change of the queue, so that many are asked about at once
	askBack    = time.Minute     // after trouble, doubling
	askBackMax = time.Hour
)

// asker is the run's plan of questions about what has no identifier.
type asker struct {
	at       time.Time // when to look whether there is something to ask; zero for never
	rests    time.Time // not before: after trouble
	asking   context.CancelFunc
	failures int // in a row
}

// stir plans an inquiry: the queue has changed.
func (a *asker) stir(now time.Time) {
	if at := later(now.Add(gather), a.rests); a.at.IsZero() || a.at.After(at) {
		a.at = at
	}
}

// ended plans the next inquiry after one that went well.
func (a *asker) ended(next time.Time) {
	a.failures, a.rests = 0, time.Time{}
	a.at = earliest(a.at, next)
}

// failed plans the next inquiry after trouble, at least so much later.
func (a *asker) failed(wait time.Duration, now time.Time) {
	a.rests = now.Add(max(wait, doubled(askBack, askBackMax, a.failures)))
	a.failures++
	a.at = a.rests
}

// hurry plans an inquiry at once: things may have changed for the better.
func (a *asker) hurry(now time.Time) { a.at, a.rests, a.failures = now, time.Time{}, 0 }

// earliest is the earlier one of two instants; the zero time is none.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
