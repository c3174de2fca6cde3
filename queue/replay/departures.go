package replay

import (
	"sync"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// maxDepartures bounds what is remembered of a long run.
const maxDepartures = 5000

// departure is a viewing that has begun to leave.
type departure struct {
	media *viewing.Media
	at    time.Time // when it was watched
}

// departures are the viewings that have begun to leave while something is in
// doubt, the oldest first. Two readings of the history are compared without
// them: what we deliver between the two is no sign that records moved.
type departures struct {
	mu    sync.Mutex
	all   []departure
	first int // the number of the oldest that is remembered
}

// count is how many there were.
func (d *departures) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.first + len(d.all)
}

// add notes an entry that is about to leave. Without the oldest two readings
// may differ, and the next look comes later.
func (d *departures) add(e queue.Entry) {
	if e.Kind != viewing.KindViewing {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.all) == maxDepartures {
		d.all = append([]departure(nil), d.all[maxDepartures/2:]...)
		d.first += maxDepartures / 2
	}
	d.all = append(d.all, departure{e.Media, e.WatchedAt.Time()})
}

// clear forgets all: nothing is in doubt.
func (d *departures) clear() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all, d.first = nil, 0
}

// since are the departures from number n on.
func (d *departures) since(n int) []departure {
	d.mu.Lock()
	defer d.mu.Unlock()
	n = min(max(0, n-d.first), len(d.all))
	return d.all[n:len(d.all):len(d.all)]
}

// printWithout is the print of a history without the records of those entries.
func printWithout(history tracker.Reading, left []departure, keeps doubt.Precision) string {
	named := map[int64][]departure{} // by every number that a record may name
	for _, e := range left {
		named[e.media.IDs.TMDB] = append(named[e.media.IDs.TMDB], e)
		if e.media.Show != nil {
			named[e.media.Show.IDs.TMDB] = append(named[e.media.Show.IDs.TMDB], e)
		}
	}
	ours := func(h tracker.HistoryItem) bool {
		for _, n := range []int64{h.ID, h.TMDBID, h.ShowID} {
			for _, e := range named[n] {
				if n != 0 && h.Of(*e.media) == tracker.Alike && keeps.Same(h.WatchedAt, e.at) {
					return true
				}
			}
		}
		return false
	}
	var rest []tracker.HistoryItem
	for _, h := range history.Items {
		if !ours(h) {
			rest = append(rest, h)
		}
	}
	if len(rest) == len(history.Items) {
		return history.Print
	}
	return tracker.Fingerprint(rest)
}
