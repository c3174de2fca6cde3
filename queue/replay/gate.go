package replay

import "time"

// strikesToClose is how many different entries must meet trouble in a row,
// with no good answer between them, before all others wait for a probe. One
// or two entries that the service stumbles over must not stop the rest.
const strikesToClose = 3

// gate says how many requests may be under way at once. It keeps no clock of
// its own.
//
// A good answer widens it: up to rise by one for each answer, which makes
// rounds of 1, 2, 4, …; above rise by one for each whole round. A 429, a 5xx
// or a doubt halves it. When the service cannot be reached, or entry after
// entry meets trouble at width 1, it closes: then only a probe may pass.
type gate struct {
	most   int // the widest it gets
	width  int // requests at once
	rise   int // where widening slows down
	earned int // good answers in this round

	closed   bool
	failures int       // tries in a row that failed, for the back-off
	failedAt time.Time // when the last one did
	retryAt  time.Time // when closed: the next probe
	regular  time.Time // the next probe, had new work not brought it forward
	hold     time.Time // the service's own wait: nothing passes before it

	strikers map[int64]bool // entries that met trouble since the last good answer
	jitter   jitter
}

// newGate begins narrow: nothing is known of the service yet.
func newGate(most int, j jitter) gate {
	return gate{most: most, width: 1, rise: most, strikers: map[int64]bool{}, jitter: j}
}

// room is how many more requests may start.
func (g *gate) room(now time.Time, flying int) int {
	if g.closed || now.Before(g.hold) {
		return 0
	}
	return max(0, g.width-flying)
}

// good takes note of an answer by which the service showed that it works.
func (g *gate) good() {
	clear(g.strikers)
	g.failures = 0
	g.earned++
	if g.width < g.rise || g.earned >= g.width {
		g.width = min(g.width+1, g.most)
		g.earned = 0
	}
}

// strike takes note of an entry that met a 429, a 5xx or a doubt.
func (g *gate) strike(entry int64, now time.Time) {
	known, narrow := g.strikers[entry], g.width == 1
	g.strikers[entry] = true
	g.width = max(1, g.width/2)
	g.rise, g.earned = g.width, 0
	if narrow && !known && len(g.strikers) >= strikesToClose {
		g.shut(now)
	}
}

// shut closes the gate until a probe is answered. Requests that were under
// way when it closed do not lengthen the wait.
func (g *gate) shut(now time.Time) {
	if g.closed {
		return
	}
	g.closed = true
	g.failed(now)
}

// failed takes note of a failed try and puts off the next probe. A try that
// new work had brought forward leaves the back-off as it was.
func (g *gate) failed(now time.Time) {
	regular := g.regular
	g.failedAt, g.regular = now, time.Time{}
	if regular.After(now) {
		g.retryAt = regular
		return
	}
	g.retryAt = now.Add(g.jitter(longest(g.failures)))
	g.failures++
}

// open lets one request pass after a probe was answered. The back-off begins
// anew, unless entries had met trouble: that a probe passes says little then.
func (g *gate) open() {
	g.closed = false
	g.width, g.rise, g.earned = 1, g.most, 0
	if len(g.strikers) == 0 {
		g.failures = 0
	}
}

// ask closes the gate, if it is not, for a probe at once and with a back-off
// that begins anew.
func (g *gate) ask(now time.Time) {
	g.closed = true
	g.failures, g.retryAt, g.regular = 0, now, time.Time{}
}

// hurry brings the next probe forward because there is new work, but leaves
// the base of the back-off between two tries.
func (g *gate) hurry(now time.Time) {
	soon := g.failedAt.Add(backoffBase)
	if soon.Before(now) {
		soon = now
	}
	if !soon.Before(g.retryAt) {
		return
	}
	if g.regular.IsZero() {
		g.regular = g.retryAt
	}
	g.retryAt = soon
}

// wait keeps everything back until then, because the service asked for it.
// The trouble lasts until the next good answer.
func (g *gate) wait(until time.Time) {
	g.hold = later(g.hold, until)
	g.failures = max(g.failures, 1)
}

// troubled reports whether the service is not known to take requests.
func (g *gate) troubled() bool { return g.closed || g.failures > 0 }

// probeAt is when the next probe may pass the closed gate.
func (g *gate) probeAt() time.Time {
	return later(g.hold, g.retryAt)
}

// later is the later one of two instants.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
