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

// History is what a service showed of its history at one time, to be asked
// about many viewings before they are queued.
type History struct {
	precision doubt.Precision
	byNumber  map[int64][]tracker.HistoryItem // by every number that a record names
}

// ReadHistory reads all of a service's history; keeps is how it keeps times,
// as far as that is known. Where it shows none the error wraps
// [tracker.ErrNoEndpoint]; one that is of no use is a [viewing.Message].
func ReadHistory(ctx context.Context, service *tracker.Client, keeps string) (*History, error) {
	if doubt.Precision(keeps) == doubt.Arrival {
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
	return newHistory(all, doubt.Precision(keeps)), nil
}

func newHistory(items []tracker.HistoryItem, keeps doubt.Precision) *History {
	h := &History{precision: keeps, byNumber: map[int64][]tracker.HistoryItem{}}
	for _, item := range items {
		for _, n := range []int64{item.ID, item.TMDBID, item.ShowID} {
			if n > 0 {
				h.byNumber[n] = append(h.byNumber[n], item)
			}
		}
	}
	return h
}

// Has reports whether the service showed this viewing, of something that runs
// so long (0 when that is unknown): a record of the item that checkHistory would take
// for the same playback.
func (h *History) Has(m viewing.Media, at viewing.Instant, runtime time.Duration) bool {
	near := h.byNumber[m.IDs.TMDB]
	if m.Show != nil {
		near = append(near[:len(near):len(near)], h.byNumber[m.Show.IDs.TMDB]...)
	}
	shown, _ := doubt.RecordTimes(near, m, at.Time())
	return len(samePlayback(shown, h.precision, playback.End{At: at, Type: m.Type, Runtime: runtime})) > 0
}

// same are those of the times that a service shows which are of the same playback.
func samePlayback(shown []time.Time, keeps doubt.Precision, end playback.End) (all []time.Time) {
	for _, t := range shown {
		if playback.MatchesRecord(t, keeps == doubt.Day, end) {
			all = append(all, t)
		}
	}
	return all
}

// historyLasts is how long one reading of the history serves for looking up what is
// about to be sent.
const historyMaxAge = 5 * time.Minute

// history is one reading of one type; without items it says that none could be had.
type cachedHistory struct {
	until   time.Time
	reading tracker.Reading
}

// checkHistory merges an entry that was not seen live with a record of the service
// that is the same playback. It is done with the entry then, and when the service
// cannot be asked now. Where there is no history the entry is sent as any other.
func (r *run) checkHistory(e queue.Entry) (done bool, err error) {
	h, err := r.readHistory(e.Media.Type)
	if v, _ := tracker.VerdictOf(err); err != nil {
		r.recordVerdict(e.ID, v, time.Now())
		return true, nil
	}
	if !h.Complete {
		return false, nil
	}
	kin, err := r.o.Outbox.Related(r.ctx, e.ID)
	if err != nil {
		return false, err
	}
	keeps := doubt.Precision(r.row.Keeps)
	end := playback.End{At: e.WatchedAt.Instant, Type: e.Media.Type, Runtime: kin.Runtime}
	shown, _ := doubt.RecordTimes(h.Items, *e.Media, e.WatchedAt.Time())
	found := samePlayback(shown, keeps, end)
	if len(found) <= len(samePlayback(kin.Delivered, keeps, end)) { // viewings of the same event, each in its own right
		return false, nil
	}
	return true, r.finishEntry(queue.Settlement{
		Entry: e.ID, State: viewing.StateMerged,
		Why: viewing.Say("life.servicesOwn", "at", found[len(found)-1].UTC().Format(time.RFC3339)),
	})
}

// history reads the service's history of one type, or gives the last reading while
// it lasts. The error carries the verdict where the service could not be reached.
func (r *run) readHistory(t viewing.MediaType) (tracker.Reading, error) {
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
