package doubt

import "time"

// The early read-back.
const (
	glanceAfter = 2 * time.Second // after the doubt, so that what came into doubt together is read back at once
	glanceRest  = 10              // how many times longer than one the pause before the next is
)

// Watch is one run's watch over its entries in doubt, by a clock that cannot be
// set. The zero value has seen none.
type Watch struct {
	seen  map[int64]sighting
	rests time.Time // no early one before: it must not load the service
}

// sighting is when a run first saw an entry in doubt after its last request.
type sighting struct {
	lastByte, at time.Time
	glanced      bool // the early read-back is over
	departed     int
}

// Due is when an entry is to be read back; zero for never. Each is read back
// within seconds, where the service shows such entries: early says that this
// read-back can only prove arrival. Then a new one waits its time within this run,
// whatever the machine's clock does meanwhile. departed is how many entries
// have begun to leave so far.
func (w *Watch) Due(p Policy, entry int64, c Case, shows bool, departed int, now time.Time) (due time.Time, early bool) {
	if c.ReadAt.IsZero() {
		return time.Time{}, false
	}
	if w.seen == nil {
		w.seen = map[int64]sighting{}
	}
	if first := w.seen[entry]; !first.lastByte.Equal(c.LastByte) {
		w.seen[entry] = sighting{lastByte: c.LastByte, at: now, departed: departed}
	}
	first, wait := w.seen[entry], min(c.ReadAt.Sub(now), seldom)
	if c.Taken > 0 || p.Resends(c.Since, now) {
		return now.Add(wait), false
	}
	wait = max(wait, first.at.Add(p.Waits.first()).Sub(now))
	if soon := max(first.at.Add(glanceAfter).Sub(now), w.rests.Sub(now)); !first.glanced && shows && soon < wait {
		return now.Add(soon), true
	}
	return now.Add(wait), false
}

// Departed is how many entries had begun to leave when this one was first seen.
func (w *Watch) Departed(entry int64) int { return w.seen[entry].departed }

// Empty reports whether nothing was seen in doubt since all was settled.
func (w *Watch) Empty() bool { return len(w.seen) == 0 }

// Forget takes note that nothing is in doubt.
func (w *Watch) Forget() { clear(w.seen) }

// Looked takes note of a read-back that took from one instant to the other.
func (w *Watch) Looked(from, to time.Time) { w.rests = to.Add(glanceRest * to.Sub(from)) }

// Glanced takes note that an entry was read back early.
func (w *Watch) Glanced(entry int64) {
	if first, known := w.seen[entry]; known {
		first.glanced = true
		w.seen[entry] = first
	}
}
