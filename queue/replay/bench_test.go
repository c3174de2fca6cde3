package replay

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// newDistantService returns a client for a service with a round trip of 20 ms that accepts
// everything. all receives a value when the given number of entries has arrived.
func newDistantService(b *testing.B, entries int64) (client *tracker.Client, all chan struct{}) {
	var came atomic.Int64
	all = make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.NotFound(w, r)
			return
		}
		time.Sleep(20 * time.Millisecond)
		io.WriteString(w, delivered.body)
		if came.Add(1) == entries {
			all <- struct{}{}
		}
	}))
	client, err := tracker.New(tracker.Options{BaseURL: server.URL + "/api/v1", Key: "sk_test", Proven: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { client.Close(); server.Close() })
	return client, all
}

// BenchmarkReplay compares the loop with plain sequential requests, each with a round trip
// of 20 ms: "of-round-trips" is 1 if the loop costs nothing.
func BenchmarkReplay(b *testing.B) {
	const entries = 100
	for b.Loop() {
		store, err := queue.Open(b.Context(), queue.Options{Path: filepath.Join(b.TempDir(), "queue.db")})
		if err != nil {
			b.Fatal(err)
		}
		ctx, cancel := context.WithCancel(b.Context())
		ended := make(chan error, 2)
		go func() { ended <- store.Run(ctx) }()
		batch := viewing.Batch{Source: "browser:1"}
		for film := range int64(entries) {
			v := filmAgo(film+1, time.Hour)
			v.EventID = fmt.Sprint("event-", film)
			batch.Events = append(batch.Events, v)
		}
		if _, err := store.Commit(ctx, batch); err != nil {
			b.Fatal(err)
		}
		service, all := newDistantService(b, entries)
		loop := New(Options{Account: "default", Outbox: store, Service: service, InstallationID: "bench"})
		began := time.Now()
		loopEnded := make(chan error, 1)
		go func() { loopEnded <- loop.Run(ctx) }()
		<-all
		took := time.Since(began)
		began = time.Now()
		for film := range int64(entries) {
			request := tracker.Request{Kind: viewing.KindViewing, Media: viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: film + 1}}, WatchedAt: batch.Events[film].WatchedAt}
			if v := service.Send(ctx, request); v.Outcome != tracker.Delivered {
				b.Fatal(v)
			}
		}
		b.ReportMetric(float64(time.Since(began))/float64(took), "of-round-trips")
		cancel()
		if err := <-loopEnded; err != nil {
			b.Error(err)
		}
		<-ended
		store.Close()
	}
}
