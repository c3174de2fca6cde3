package replay

import (
	"context"
	"testing"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// doubtful is a service whose second answer misses what its first one shows.
type doubtful struct {
	Reader
	asked int
	miss  int // this answer shows nothing as watched
}

func (s *doubtful) MediaStatus(_ context.Context, items []viewing.Media) (map[string]tracker.ItemStatus, error) {
	s.asked++
	all := map[string]tracker.ItemStatus{}
	for _, m := range items {
		watched := m.IDs.TMDB == 603 && s.asked != s.miss
		all[m.Key()] = tracker.ItemStatus{Watched: &watched}
	}
	return all, nil
}

// An item that is known to be there proves something only beside what the same
// answer shows. One answer that misses it takes its word from all.
func TestAnItemBesideCountsInEveryAnswer(t *testing.T) {
	known := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}
	var of []queue.Doubt
	for n := range int64(60) {
		of = append(of, queue.Doubt{Entry: queue.Entry{ID: n, Media: &viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: n + 1}}}})
	}
	for miss, want := range map[int]bool{0: true, 1: false, 2: false} {
		s := &doubtful{miss: miss}
		l := readBack{Loop: &Loop{}, reader: s, ways: &ways{}}
		all, readable := l.statuses(t.Context(), of, []viewing.Media{known})
		if _, counts := all[known.Key()]; counts != want || !readable || s.asked != 2 || len(all) < len(of) {
			t.Errorf("answer %d misses it: counts %v, %d of %d after %d requests", miss, counts, len(all), len(of), s.asked)
		}
	}
}
