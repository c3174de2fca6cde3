package replay

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

const (
	backoffBase = time.Second     // longest wait before the first retry
	backoffCap  = 5 * time.Minute // longest wait before any retry
	retryCap    = 24 * time.Hour  // a longer Retry-After is cut to this
	storageCap  = time.Minute     // longest wait for our own disk
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
	for ; times > 0 && first < limit; times-- {
		first *= 2
	}
	return min(first, limit)
}

// asked is the wait the service asked for, as far as it is honoured.
func asked(retryAfter time.Duration) time.Duration { return min(retryAfter, retryCap) }

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

// strikesToClose is how many different entries must meet trouble in a row,
// with no good answer between them, before all others wait for a probe. One
// or two entries that the service stumbles over must not stop the rest.
const strikesToClose = 3

// line is the way to the service. It is closed when the service cannot be reached,
// or entry after entry meets trouble: then only a probe may pass.
type line struct {
	closed   bool
	failures int       // tries in a row that failed, for the back-off
	failedAt time.Time // when the last one did
	retryAt  time.Time // when closed: the next probe
	regular  time.Time // the next probe, had new work not brought it forward
	hold     time.Time // the service's own wait: nothing passes before it

	troubled map[int64]bool  // entries that met trouble since the last good answer
	problem  viewing.Message // why it is closed or holds, for a person
	hint     viewing.Message
	waits    bool // the service asked to wait
	jitter   jitter
}

func newLine(j jitter) line { return line{troubled: map[int64]bool{}, jitter: j} }

// good records an answer by which the service showed that it works.
func (l *line) good() {
	clear(l.troubled)
	l.failures = 0
}

// strike records that an entry met a 429, a 5xx or a doubt, and reports whether
// that closes the line.
func (l *line) strike(entry int64, now time.Time) (closes bool) {
	known := l.troubled[entry]
	l.troubled[entry] = true
	if known || len(l.troubled) < strikesToClose {
		return false
	}
	return l.shut(now)
}

// shut closes the line until a probe is answered, and reports whether it was open.
func (l *line) shut(now time.Time) (closes bool) {
	if l.closed {
		return false
	}
	l.closed = true
	l.failed(now)
	return true
}

// failed records a failed try and puts off the next probe. A try that new work had
// brought forward leaves the back-off as it was.
func (l *line) failed(now time.Time) {
	regular := l.regular
	l.failedAt, l.regular = now, time.Time{}
	if regular.After(now) {
		l.retryAt = regular
		return
	}
	l.retryAt = now.Add(l.jitter(longest(l.failures)))
	l.failures++
}

// open lets entries pass after a probe was answered. The back-off begins again,
// unless entries had met trouble: that a probe passes says little then.
func (l *line) open() {
	l.closed = false
	if len(l.troubled) == 0 {
		l.failures = 0
	}
}

// ask closes the line, if it is not, for a probe at once and with a back-off that
// begins again.
func (l *line) ask(now time.Time) {
	l.closed = true
	l.failures, l.retryAt, l.regular = 0, now, time.Time{}
}

// hurry brings the next probe forward because there is new work, but leaves the
// base of the back-off between two tries.
func (l *line) hurry(now time.Time) {
	soon := later(l.failedAt.Add(backoffBase), now)
	if !soon.Before(l.retryAt) {
		return
	}
	if l.regular.IsZero() {
		l.regular = l.retryAt
	}
	l.retryAt = soon
}

// down reports whether the service is not known to take requests.
func (l *line) down() bool { return l.closed || l.failures > 0 }

// pace spreads requests over time, as the user wishes. It allows no bursts.
type pace struct {
	all, imports     time.Duration // between two requests; 0 is no limit
	next, nextImport time.Time     // not before
}

func newPace(rate, importRate float64) pace {
	between := func(perSecond float64) time.Duration {
		if perSecond == 0 {
			return 0
		}
		return time.Duration(min(float64(time.Second)/perSecond, math.MaxInt64/2))
	}
	return pace{all: between(rate), imports: between(importRate)}
}

// ready is when an entry of the lane may be sent.
func (p *pace) ready(lane viewing.Lane, now time.Time) time.Time {
	if lane == viewing.LaneBackfill {
		return later(now, later(p.next, p.nextImport))
	}
	return later(now, p.next)
}

// take counts an entry that is sent now.
func (p *pace) take(lane viewing.Lane, now time.Time) {
	p.next = now.Add(p.all)
	if lane == viewing.LaneBackfill {
		p.nextImport = now.Add(p.imports)
	}
}

// storage is the trouble with the queue's own disk, a full one most of all.
type storage struct {
	failures int
	retryAt  time.Time
	problem  viewing.Message
	jitter   jitter
}

// failed records an error and says when to try again.
func (s *storage) failed(err error, now time.Time) time.Time {
	s.retryAt = now.Add(s.jitter(doubled(backoffBase, storageCap, s.failures)))
	s.failures++
	s.problem = viewing.Say("disk.trouble", "reason", err.Error())
	return s.retryAt
}

// fine ends the trouble after something was written, or all was read.
func (s *storage) fine() { s.failures, s.problem = 0, viewing.Message{} }

// rests reports whether it is too early for the next try.
func (s *storage) rests(now time.Time) bool { return s.failures > 0 && now.Before(s.retryAt) }

// hurry brings the next try forward: somebody else could write.
func (s *storage) hurry(now time.Time) {
	if s.retryAt.After(now) {
		s.retryAt = now
	}
}
