package doubt

import (
	"maps"
	"time"
)

// The early read-back.
const (
	glanceAfter = 2 * time.Second  // after the doubt, so that what came into doubt together is read back at once
	glanceRest  = 10               // how many times longer than one the pause before the next is
	glanceLast  = 25 * time.Second // the longest such pause
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
}

// Due is when an entry is to be read back; zero for never. Each is read back
// within seconds, where the service shows such entries: early says that this
// read-back can only prove arrival. Then a new one waits its time within this run,
// whatever the machine's clock does meanwhile.
func (w *Watch) Due(p Policy, id int64, c Case, shows bool, now time.Time) (due time.Time, early bool) {
	if c.ReadAt.IsZero() {
		return time.Time{}, false
	}
	if w.seen == nil {
		w.seen = map[int64]sighting{}
	}
	if first := w.seen[id]; !first.lastByte.Equal(c.LastByte) {
		w.seen[id] = sighting{lastByte: c.LastByte, at: now}
	}
	first, wait := w.seen[id], min(c.ReadAt.Sub(now), seldom)
	if c.Taken > 0 || p.Resends(c.Since, now) {
		return now.Add(wait), false
	}
	wait = max(wait, first.at.Add(p.Waits.first()).Sub(now))
	if soon := max(first.at.Add(glanceAfter).Sub(now), w.rests.Sub(now)); !first.glanced && shows && soon < wait {
		return now.Add(soon), true
	}
	return now.Add(wait), false
}

// Keep forgets all entries but the open ones.
func (w *Watch) Keep(open map[int64]bool) {
	maps.DeleteFunc(w.seen, func(id int64, _ sighting) bool { return !open[id] })
}

// Looked records a read-back of these entries, true for early ones, that took so long
// and has ended now.
func (w *Watch) Looked(due map[int64]bool, took time.Duration, now time.Time) {
	w.rests = now.Add(min(glanceRest*took, glanceLast))
	for id, early := range due {
		if first, known := w.seen[id]; known && early {
			first.glanced = true
			w.seen[id] = first
		}
	}
}
