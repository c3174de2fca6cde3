package replay

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// far is a service 20 ms away, that takes everything.
type far struct {
	script
	answered atomic.Int64
	all      chan struct{} // one token when as many as wanted were answered
	want     int64
}

func (f *far) Send(context.Context, tracker.Request) tracker.Verdict {
	time.Sleep(20 * time.Millisecond)
	if f.answered.Add(1) == f.want {
		f.all <- struct{}{}
	}
	return delivered
}

// BenchmarkReplay compares the loop with bare requests one after the other, each a
// round trip of 20 ms: "of-round-trips" is 1 where the loop costs nothing.
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
			v := ago(film+1, time.Hour)
			v.EventID = fmt.Sprint("event-", film)
			batch.Events = append(batch.Events, v)
		}
		if _, err := store.Commit(ctx, batch); err != nil {
			b.Fatal(err)
		}
		service := &far{all: make(chan struct{}, 1), want: entries}
		loop, err := New(Options{Account: "default", Outbox: store, Service: service, InstallationID: "bench"})
		if err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		loopEnded := make(chan error, 1)
		go func() { loopEnded <- loop.Run(ctx) }()
		<-service.all
		took := time.Since(began)
		bare := &far{all: make(chan struct{}, 1), want: entries}
		began = time.Now()
		for range entries {
			bare.Send(ctx, tracker.Request{})
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
