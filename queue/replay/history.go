package replay

import (
	"context"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/playback"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// History is a snapshot of a service's history, used to skip viewings that the service
// already has before they are queued.
type History struct {
	precision doubt.Precision
	byNumber  map[int64][]tracker.HistoryItem // by every identifier in a record
}

// ReadHistory reads the whole history of a service; precision is the [doubt.Precision] of its
// times, "" when unknown. If the service has no such endpoint, the error wraps
// [tracker.ErrNoEndpoint]. If the history is incomplete or its times are unusable, the
// error is a [viewing.Message].
func ReadHistory(ctx context.Context, service *tracker.Client, precision string) (*History, error) {
	if doubt.Precision(precision) == doubt.Arrival {
		return nil, viewing.Say("history.arrival")
	}
	var all []tracker.HistoryItem
	for _, t := range []viewing.MediaType{viewing.Movie, viewing.Episode} {
		reading, err := service.AllHistory(ctx, t)
		if err != nil {
			return nil, err
		}
		if !reading.Complete {
			return nil, viewing.Say("history.cut")
		}
		all = append(all, reading.Items...)
	}
	return newHistory(all, doubt.Precision(precision)), nil
}

func newHistory(items []tracker.HistoryItem, precision doubt.Precision) *History {
	h := &History{precision: precision, byNumber: map[int64][]tracker.HistoryItem{}}
	for _, item := range items {
		for _, n := range []int64{item.ID, item.TMDBID, item.ShowID} {
			if n > 0 {
				h.byNumber[n] = append(h.byNumber[n], item)
			}
		}
	}
	return h
}

// Has reports whether the history contains this viewing: a record of the item that belongs to
// the same playback. runtime is the item's runtime, 0 when unknown.
func (h *History) Has(m viewing.Media, at viewing.Instant, runtime time.Duration) bool {
	records := h.byNumber[m.IDs.TMDB]
	if m.Show != nil {
		records = append(records[:len(records):len(records)], h.byNumber[m.Show.IDs.TMDB]...)
	}
	shown, _ := doubt.RecordTimes(records, m, at.Time())
	return len(samePlayback(shown, h.precision, playback.End{At: at, Type: m.Type, Runtime: runtime})) > 0
}

// samePlayback returns the recorded times that belong to the same playback as end.
func samePlayback(shown []time.Time, precision doubt.Precision, end playback.End) (all []time.Time) {
	for _, t := range shown {
		if playback.MatchesRecord(t, precision == doubt.Day, end) {
			all = append(all, t)
		}
	}
	return all
}

// historyMaxAge is how long a cached history is used to check entries before they are sent.
const historyMaxAge = 5 * time.Minute

// cachedHistory is the history of one item type; empty if it could not be read.
type cachedHistory struct {
	until   time.Time
	reading tracker.Reading
}

// checkHistory merges an entry that was not seen live with a record of the same playback
// on the service. done reports that the entry was merged, or that the service was not
// reached. If the service has no readable history, the entry is sent.
func (r *run) checkHistory(e queue.Entry) (done bool, err error) {
	h, err := r.serviceHistory(e.Media.Type)
	if v, _ := tracker.VerdictOf(err); err != nil {
		r.recordVerdict(e.ID, v, time.Now())
		return true, nil
	}
	if !h.Complete {
		return false, nil
	}
	related, err := r.options.Outbox.Related(r.ctx, e.ID)
	if err != nil {
		return false, err
	}
	precision := doubt.Precision(r.row.Keeps)
	end := playback.End{At: e.WatchedAt.Instant, Type: e.Media.Type, Runtime: related.Runtime}
	shown, _ := doubt.RecordTimes(h.Items, *e.Media, e.WatchedAt.Time())
	found := samePlayback(shown, precision, end)
	if len(found) <= len(samePlayback(related.Delivered, precision, end)) { // all records belong to other entries
		return false, nil
	}
	return true, r.finishEntry(queue.Settlement{
		Entry: e.ID, State: viewing.StateMerged,
		Why: viewing.Say("life.servicesOwn", "at", found[len(found)-1].UTC().Format(time.RFC3339)),
	})
}

// serviceHistory returns the service's history of one item type, at most historyMaxAge old. The
// error is a [tracker.Verdict], returned only if the service was not reached.
func (r *run) serviceHistory(t viewing.MediaType) (tracker.Reading, error) {
	if h, ok := r.histories[t]; ok && time.Now().Before(h.until) {
		return h.reading, nil
	}
	if !r.mayUse(supportHistory) {
		return tracker.Reading{}, nil
	}
	reading, err := r.service.AllHistory(r.ctx, t)
	r.recordSupport(supportHistory, err)
	if v, ok := tracker.VerdictOf(err); ok && v.Status == 0 {
		return tracker.Reading{}, err
	}
	if r.histories == nil {
		r.histories = map[viewing.MediaType]cachedHistory{}
	}
	r.histories[t] = cachedHistory{until: time.Now().Add(historyMaxAge), reading: reading}
	return reading, nil
}
