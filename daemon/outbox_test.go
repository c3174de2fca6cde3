package daemon

import (
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/viewing"
)

// addFilm adds a viewing as a person would.
func addFilm(t *testing.T, d *Daemon, id string) queue.Entry {
	t.Helper()
	e, err := d.Control().Add(t.Context(), viewing.Event{
		Kind: viewing.KindViewing, EventID: id, Count: 1, WatchedAt: viewing.At(time.Now().Add(-time.Hour)),
		Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}},
	})
	must(t, err)
	return e
}
