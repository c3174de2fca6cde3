package replay

import (
	"context"
	"errors"
	"time"

	"github.com/filmspool/filmspool/queue/playback"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// History is what a service showed of its history at one time, to be asked
// about many viewings before they are queued.
type History struct {
	keeps doubt.Precision
	named map[int64][]tracker.HistoryItem // by every number that a record names
}

// The reasons for which a history is of no use, for a person.
var (
	ErrHistoryCut     = errors.New("its history changed while it was read, or is too long to be read")
	ErrHistoryArrival = errors.New("it does not keep the times it is told, so that nothing can be compared")
)

// ReadHistory reads all of a service's history; keeps is how it keeps times,
// as far as that is known. Where it shows none the error wraps
// [tracker.ErrNoEndpoint].
func ReadHistory(ctx context.Context, service interface {
	AllHistory(ctx context.Context, t viewing.MediaType) (tracker.Reading, error)
}, keeps string,
) (*History, error) {
	h := &History{keeps: doubt.Precision(keeps), named: map[int64][]tracker.HistoryItem{}}
	if h.keeps == doubt.Arrival {
		return nil, ErrHistoryArrival
	}
	for _, t := range []viewing.MediaType{viewing.Movie, viewing.Episode} {
		reading, err := service.AllHistory(ctx, t)
		if err != nil {
			return nil, err
		}
		if !reading.Complete {
			return nil, ErrHistoryCut
		}
		for _, item := range reading.Items {
			h.add(item)
		}
	}
	return h, nil
}

func (h *History) add(item tracker.HistoryItem) {
	seen := map[int64]bool{0: true}
	for _, n := range []int64{item.ID, item.TMDBID, item.ShowID} {
		if !seen[n] {
			h.named[n] = append(h.named[n], item)
		}
		seen[n] = true
	}
}

// Has reports whether the service showed this viewing, of something that runs
// so long (0 when that is unknown): a record of the item that checkHistory would take
// for the same playback.
func (h *History) Has(m viewing.Media, at viewing.Instant, runtime time.Duration) bool {
	near := h.named[m.IDs.TMDB]
	if m.Show != nil {
		near = append(near[:len(near):len(near)], h.named[m.Show.IDs.TMDB]...)
	}
	shown, _ := doubt.Times(near, m, at.Time())
	for _, t := range shown {
		if playback.Shown(t, h.keeps == doubt.Day, playback.End{At: at, Type: m.Type, Runtime: runtime}) {
			return true
		}
	}
	return false
}
