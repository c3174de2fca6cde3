package replay

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// These tests put the loop together with the real queue on a real disk.

// openStore opens a queue on path with its writer running.
func openStore(t testing.TB, path string) (s *queue.Store, shut func()) {
	t.Helper()
	s, err := queue.Open(context.Background(), queue.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	shut = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(shut)
	return s, shut
}

func storePath(t testing.TB) string { return filepath.Join(t.TempDir(), "queue.db") }

// watch commits viewings of films, a minute apart.
func watch(t testing.TB, s *queue.Store, batch string, films ...int64) {
	t.Helper()
	b := viewing.Batch{Source: "browser:1"}
	for i, film := range films {
		b.Events = append(b.Events, viewing.Event{
			Kind: viewing.KindViewing, EventID: fmt.Sprintf("%s-%d", batch, i), Count: 1,
			Media:     []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: film}}},
			WatchedAt: viewing.At(time.Now().Add(time.Duration(i-len(films)) * time.Minute)),
		})
	}
	if _, err := s.Commit(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

// until waits for the queue's news until ok.
func until(t testing.TB, s *queue.Store, what string, ok func(entry.Counts) bool) {
	t.Helper()
	changed, stop := s.Subscribe()
	defer stop()
	deadline := time.After(20 * time.Second)
	for {
		counts, err := s.Counts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if ok(counts) {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("%s: still %+v", what, counts)
		}
	}
}

// healthy waits until the loop is in the state.
func healthy(t testing.TB, l *Loop, want account.State) {
	t.Helper()
	changed, stop := l.Subscribe()
	defer stop()
	deadline := time.After(20 * time.Second)
	for l.Health().State != want {
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("health is %+v, want %s", l.Health(), want)
		}
	}
}

// quick makes a loop over a real queue whose waits are as short as can be.
func quick(t testing.TB, s *queue.Store, service Service) (l *Loop, stop func()) {
	t.Helper()
	l, err := New(Options{Account: "default", Outbox: s, Service: service, InstallationID: s.InstallationID()})
	if err != nil {
		t.Fatal(err)
	}
	l.jitter = func(time.Duration) time.Duration { return time.Millisecond }
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return l, stop
}

func TestStoreDeliversEachOnceAndInOrder(t *testing.T) {
	s, _ := openStore(t, storePath(t))
	service := &remote{}
	quick(t, s, service)
	var films []int64
	for i := range int64(60) {
		films = append(films, i%20+1)
	}
	watch(t, s, "a", films...)
	until(t, s, "deliveries", func(c entry.Counts) bool { return c.Delivered == 60 && c.Pending+c.Sending == 0 })
	keys, last := map[string]bool{}, map[int64]int64{}
	for _, sent := range service.sends {
		keys[sent.req.IdempotencyKey] = true
		film, at := sent.req.Media.IDs.TMDB, sent.req.WatchedAt.Millis
		if at < last[film] {
			t.Errorf("%+v left after a younger viewing of the same film", sent.req)
		}
		last[film] = at
	}
	if len(service.sends) != 60 || len(keys) != 60 {
		t.Errorf("%d requests with %d keys, want 60", len(service.sends), len(keys))
	}
}

func TestStoreKeepsTheTimeOfTheLastDelivery(t *testing.T) {
	s, _ := openStore(t, storePath(t))
	_, stop := quick(t, s, &remote{})
	watch(t, s, "a", 1)
	until(t, s, "delivery", func(c entry.Counts) bool { return c.Delivered == 1 })
	stop()
	a, err := s.Account(t.Context(), "default")
	if err != nil || time.Since(a.LastDelivered) > time.Minute {
		t.Errorf("last delivered %v, %v", a.LastDelivered, err)
	}
}

func TestStoreKeepsARejectedEntryWithItsAnswer(t *testing.T) {
	s, _ := openStore(t, storePath(t))
	quick(t, s, &remote{answer: always(tracker.Verdict{
		Fate: tracker.Rejected, Sent: true, Status: 422, Code: "VALIDATION_ERROR", Message: "no such film", Problem: "the service refuses it",
	})})
	watch(t, s, "a", 1)
	until(t, s, "rejection", func(c entry.Counts) bool { return c.Rejected == 1 })
	entries, err := s.Entries(t.Context(), entry.Filter{State: viewing.StateRejected})
	if err != nil || len(entries) != 1 || entries[0].Revision != 1 || entries[0].Reason != "the service refuses it" {
		t.Fatalf("%+v, %v", entries, err)
	}
	told, err := s.Explain(t.Context(), entries[0].ID)
	if err != nil || len(told.Requests) != 1 || told.Requests[0].Status != 422 {
		t.Errorf("requests are %+v, %v", told.Requests, err)
	}
}

func TestStoreRestartWhilePaused(t *testing.T) {
	path := storePath(t)
	s, shut := openStore(t, path)
	l, stop := quick(t, s, &remote{answer: always(refused()), probed: refused()})
	watch(t, s, "a", 1, 2, 3)
	healthy(t, l, account.Attention)
	stop()
	shut()

	s, _ = openStore(t, path)
	service := &remote{probed: refused()}
	l, stop = quick(t, s, service)
	healthy(t, l, account.Attention)
	if h := l.Health(); h.Pause != account.PausedKey || h.Reason != refused().Problem || time.Until(h.NextTry) < 4*time.Minute {
		t.Errorf("health after the restart is %+v", h)
	}
	if n, p := service.seen(); n+p != 0 {
		t.Errorf("%d sends and %d probes right after the restart", n, p)
	}
	l.Use(&remote{})
	until(t, s, "deliveries", func(c entry.Counts) bool { return c.Delivered == 3 })
	stop()
	if a, err := s.Account(t.Context(), "default"); err != nil || a.Pause.Reason != "" {
		t.Errorf("account is %+v, %v", a, err)
	}
}

func TestStoreOfflineAndBack(t *testing.T) {
	s, _ := openStore(t, storePath(t))
	service := &remote{answer: always(offline()), probed: offline()}
	l, _ := quick(t, s, service)
	watch(t, s, "a", 1, 2, 3, 4, 5)
	healthy(t, l, account.Offline)
	entries, err := s.Entries(t.Context(), entry.Filter{State: viewing.StatePending})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Attempts != 0 {
			t.Errorf("entry %d has %d attempts after being offline", e.ID, e.Attempts)
		}
	}
	service.set(func(s *remote) { s.answer, s.probed = nil, tracker.Verdict{} })
	l.Wake()
	until(t, s, "deliveries", func(c entry.Counts) bool { return c.Delivered == 5 })
	healthy(t, l, account.OK)
}

func TestStoreDoubtsWhatACrashLeftUnderWay(t *testing.T) {
	path := storePath(t)
	s, shut := openStore(t, path)
	service := &remote{}
	l, stop := quick(t, s, service)
	arrived := make(chan struct{})
	service.answer = func(int64) tracker.Verdict {
		close(arrived)
		shut() // the queue is gone before the answer can be written down
		return tracker.Verdict{Fate: tracker.Delivered, Sent: true, Status: 200}
	}
	watch(t, s, "a", 1)
	<-arrived
	healthy(t, l, account.Attention)
	stop()
	s, _ = openStore(t, path)
	again := &remote{}
	quick(t, s, again)
	watch(t, s, "b", 2)
	until(t, s, "doubt", func(c entry.Counts) bool { return c.InDoubt == 1 && c.Delivered == 1 })
	if n, _ := again.seen(); n != 1 {
		t.Errorf("%d sends after the restart, want only the new one", n)
	}
}

// BenchmarkReplay is the rate over a service that answers after 20 ms.
func BenchmarkReplay(b *testing.B) {
	for _, width := range []int{4, 16} {
		b.Run(fmt.Sprint(width), func(b *testing.B) {
			s, _ := openStore(b, storePath(b))
			films := make([]int64, b.N)
			for i := range films {
				films[i] = int64(i + 1)
			}
			watch(b, s, "a", films...)
			var left atomic.Int64
			left.Store(int64(b.N))
			all := make(chan struct{})
			service := &remote{delay: 20 * time.Millisecond, answer: func(int64) tracker.Verdict {
				if left.Add(-1) == 0 {
					close(all)
				}
				return tracker.Verdict{Fate: tracker.Delivered, Sent: true, Status: 200}
			}}
			l, err := New(Options{Account: "default", Outbox: s, InstallationID: "i", MaxInFlight: width, Service: service})
			if err != nil {
				b.Fatal(err)
			}
			ctx, cancel := context.WithCancel(b.Context())
			ended := make(chan error, 1)
			b.ResetTimer()
			go func() { ended <- l.Run(ctx) }()
			<-all
			until(b, s, "deliveries", func(c entry.Counts) bool { return c.Delivered == int64(b.N) })
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "entries/s")
			b.StopTimer()
			cancel()
			<-ended
		})
	}
}
