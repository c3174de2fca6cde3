package daemon

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/internal/kodisim"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/kodi/watch"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/viewing"
)

// timed is a store that tells when a viewing is on disk.
type timed struct {
	*queue.Store
	ready chan struct{} // the first reading is done
	disk  chan time.Time
}

func (s timed) Commit(ctx context.Context, b viewing.Batch) ([]viewing.Outcome, error) {
	out, err := s.Store.Commit(ctx, b)
	if len(b.Events) > 0 {
		s.disk <- time.Now()
	} else if s.ready != nil {
		select {
		case s.ready <- struct{}{}:
		default:
		}
	}
	return out, err
}

// BenchmarkKodiToDisk is the way of a playback from the end of Kodi's commit to
// the end of ours, in a library of 1,000 films. The quiet time of the watch is
// part of it, and what comes on top is given.
func BenchmarkKodiToDisk(b *testing.B) {
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	userdata := b.TempDir()
	sim, err := kodisim.Create(userdata, 131)
	must(err)
	defer sim.Close()
	films := make([]kodisim.Ref, 1000)
	for n := range films {
		films[n], err = sim.AddFilm(kodisim.Film{Title: fmt.Sprint("Film ", n), IDs: viewing.IDs{TMDB: int64(n + 1)}, Duration: time.Hour}, time.Now().Add(-time.Hour))
		must(err)
	}
	store, err := queue.Open(ctx, queue.Options{Path: filepath.Join(b.TempDir(), "queue.db")})
	must(err)
	running := make(chan error, 2)
	go func() { running <- store.Run(ctx) }()
	sink := timed{store, make(chan struct{}, 1), make(chan time.Time, 10)}
	keys := config.Keys{Dir: b.TempDir(), Getenv: func(string) string { return "" }} // it has none
	importer, err := kodi.New(kodi.Options{
		Library: kodi.Folder(userdata, newLibrarian(keys), nil), Zone: time.UTC, Sink: sink,
		Account: kodiAccount{d: &Daemon{keys: keys}},
	})
	must(err)
	go func() { running <- importer.Run(ctx) }()
	<-sink.ready
	var took []time.Duration
	for n := 0; b.Loop(); n++ {
		must(sim.Play(films[n%len(films)], time.Now().UTC()))
		done := time.Now()
		took = append(took, (<-sink.disk).Sub(done)-watch.DefaultQuiet)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "p50-over-quiet-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Milliseconds()), "p95-over-quiet-ms")
	stop()
	must(<-running)
	must(<-running)
	must(store.Close())
}
