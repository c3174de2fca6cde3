package replay

import (
	"sync"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/viewing"
)

// maxDepartures bounds what is remembered of a long run.
const maxDepartures = 5000

// departures are the viewings that have begun to leave while something is in
// doubt, the oldest first. Two readings of the history are compared without
// them: what we deliver between the two is no sign that records moved.
type departures struct {
	mu    sync.Mutex
	all   []doubt.Departure
	first int // the number of the oldest that is remembered
}

// count is how many there were.
func (d *departures) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.first + len(d.all)
}

// add notes an entry that is about to leave. Without the oldest two readings
// may differ, and the next read-back comes later.
func (d *departures) add(e queue.Entry) {
	if e.Kind != viewing.KindViewing {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.all) == maxDepartures {
		d.all = append([]doubt.Departure(nil), d.all[maxDepartures/2:]...)
		d.first += maxDepartures / 2
	}
	d.all = append(d.all, doubt.Departure{Media: *e.Media, Watched: e.WatchedAt.Time()})
}

// clear forgets all: nothing is in doubt.
func (d *departures) clear() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all, d.first = nil, 0
}

// since are the departures from number n on.
func (d *departures) since(n int) []doubt.Departure {
	d.mu.Lock()
	defer d.mu.Unlock()
	n = min(max(0, n-d.first), len(d.all))
	return d.all[n:len(d.all):len(d.all)]
}
