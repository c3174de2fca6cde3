package replay

import (
	"errors"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/entry"
)

// storageCap bounds the wait while the outbox cannot be written: nothing far
// away has to be spared.
const storageCap = time.Minute

// storage is the trouble with the outbox itself, a full disk most of all.
// While it lasts nothing new is claimed but one entry for each try.
type storage struct {
	failures  int
	retryAt   time.Time
	problem   string
	unsettled int // answers that could not be written down yet
	jitter    jitter
}

// failed takes note of err and reports whether there was one.
func (s *storage) failed(err error, now time.Time) bool {
	if err == nil {
		return false
	}
	s.retryAt = now.Add(s.jitter(min(longest(s.failures), storageCap)))
	s.failures++
	s.explain(err)
	return true
}

func (s *storage) explain(err error) { s.problem = "the outbox cannot be written: " + err.Error() }

// unsettle takes note of an answer that could not be written down.
func (s *storage) unsettle(err error) {
	s.unsettled++
	s.explain(err)
}

// settled takes note that the writer of such an answer no longer tries.
func (s *storage) settled() {
	s.unsettled--
	s.fine()
}

// fine ends the trouble after something was written.
func (s *storage) fine() {
	if s.unsettled == 0 {
		s.failures, s.problem = 0, ""
	}
}

// failing reports whether the last write failed.
func (s *storage) failing() bool { return s.failures > 0 || s.unsettled > 0 }

// rests reports whether it is too early for the next try.
func (s *storage) rests(now time.Time) bool { return s.failures > 0 && now.Before(s.retryAt) }

// hurry brings the next try forward: somebody else could write.
func (s *storage) hurry(now time.Time) {
	if s.retryAt.After(now) {
		s.retryAt = now
	}
}

// gone reports whether the entry is no longer ours to change. Trying again
// would not help.
func gone(err error) bool {
	return errors.Is(err, queue.ErrLeaseLost) || errors.Is(err, entry.ErrState) || errors.Is(err, entry.ErrNotFound)
}
