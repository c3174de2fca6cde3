package replay

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// truth is a service that knows what it has recorded, whatever it answers.
type truth struct {
	mu      sync.Mutex
	records []tracker.HistoryItem
	script  []string // what becomes of each request, over and over
	turn    int
	torn    bool // its history comes incomplete
}

func (s *truth) Send(_ context.Context, r tracker.Request) tracker.Verdict {
	s.mu.Lock()
	defer s.mu.Unlock()
	record := tracker.HistoryItem{Type: "movie", ID: r.Media.IDs.TMDB, WatchedAt: r.WatchedAt.Time()}
	s.turn++
	switch s.script[s.turn%len(s.script)] {
	case "answered":
		s.records = append(s.records, record)
		return tracker.Verdict{Fate: tracker.Delivered, Sent: true, Status: 200}
	case "recorded":
		s.records = append(s.records, record)
	case "late":
		time.AfterFunc(4*time.Minute, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.records = append(s.records, record)
		})
	case "later":
		return early()
	}
	return broken()
}

func (s *truth) Probe(context.Context) tracker.Verdict {
	return tracker.Verdict{Fate: tracker.Delivered}
}
func (s *truth) Proven() bool                             { return true }
func (s *truth) Me(context.Context) (tracker.User, error) { return tracker.User{ID: "usr_1"}, nil }
func (s *truth) Lists(context.Context) ([]tracker.RemoteList, bool, error) {
	return nil, true, nil
}

func (s *truth) MediaStatus(_ context.Context, items []viewing.Media) (map[string]tracker.ItemStatus, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]tracker.ItemStatus{}
	for _, m := range items {
		watched, latest := false, time.Time{}
		for _, r := range s.records {
			if r.ID == m.IDs.TMDB {
				watched, latest = true, later(latest, r.WatchedAt)
			}
		}
		all[m.Key()] = tracker.ItemStatus{Watched: &watched, WatchedAt: latest}
	}
	return all, nil
}

func (s *truth) AllHistory(context.Context, viewing.MediaType) (tracker.Reading, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Clone(s.records)
	slices.SortFunc(all, func(a, b tracker.HistoryItem) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), a.WatchedAt.Compare(b.WatchedAt))
	})
	var print strings.Builder
	for _, r := range all {
		fmt.Fprintln(&print, r.ID, r.WatchedAt)
	}
	return tracker.Reading{Items: all, Complete: !s.torn, Print: print.String()}, nil
}

// doubtWorld is the loop between an outbox that keeps doubts and a service
// that records what it likes.
type doubtWorld struct {
	k     *keeper
	s     *truth
	o     Options
	end   context.CancelFunc
	ended chan struct{}
}

func (w *doubtWorld) start() {
	l, err := New(w.o)
	if err != nil {
		broke("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.end, w.ended = cancel, make(chan struct{})
	go func() {
		defer close(w.ended)
		_ = l.Run(ctx)
	}()
}

func (w *doubtWorld) stop() {
	w.end()
	<-w.ended
}

// TestDoubtsAreNeverLostNorDoubled drives loop, doubts and reading back
// through whatever a service may do.
func TestDoubtsAreNeverLostNorDoubled(t *testing.T) {
	keepsPromises(t, doubtfulLife)
}

func doubtfulLife(t *rapid.T) (failure any) {
	w := &doubtWorld{k: newKeeper(), s: &truth{script: []string{"answered"}}}
	w.o = Options{Account: "default", Outbox: w.k, Doubts: w.k, Service: w.s, InstallationID: "i"}
	w.start()
	defer func() {
		failure = recover()
		w.stop()
		time.Sleep(time.Hour) // what is late comes now
	}()
	t.Repeat(map[string]func(*rapid.T){
		"add": func(t *rapid.T) {
			for _, film := range rapid.SliceOfN(rapid.Int64Range(1, 4), 1, 4).Draw(t, "films") {
				time.Sleep(time.Duration(rapid.SampledFrom([]int{0, 1, 90_011}).Draw(t, "ms later")) * time.Millisecond)
				w.k.add(film)
			}
		},
		"faults": func(t *rapid.T) {
			script := rapid.SliceOfN(rapid.SampledFrom([]string{"answered", "answered", "recorded", "not", "late", "later"}), 1, 6).Draw(t, "script")
			torn := rapid.Bool().Draw(t, "torn")
			w.s.mu.Lock()
			defer w.s.mu.Unlock()
			w.s.script, w.s.torn = script, torn
		},
		"another device": func(t *rapid.T) {
			film, hours := rapid.Int64Range(1, 4).Draw(t, "film"), rapid.IntRange(1, 50).Draw(t, "hours ago")
			w.s.mu.Lock()
			defer w.s.mu.Unlock()
			// Never at a time of ours: that would be the same playback.
			at := time.Now().Add(-time.Duration(hours)*time.Hour - 17_500*time.Millisecond)
			w.s.records = append(w.s.records, tracker.HistoryItem{Type: "movie", ID: film, WatchedAt: at})
		},
		"advance": func(t *rapid.T) {
			time.Sleep(rapid.SampledFrom([]time.Duration{7 * time.Millisecond, 30 * time.Second, 5 * time.Minute, 7 * time.Hour, 25 * time.Hour}).Draw(t, "by"))
		},
		"restart": func(*rapid.T) { w.stop(); w.start() },
		"":        func(*rapid.T) { w.check() },
	})
	w.s.mu.Lock()
	w.s.script, w.s.torn = []string{"answered"}, false
	w.s.mu.Unlock()
	time.Sleep(24 * time.Hour)
	w.k.add(5) // one that teaches, whatever came before
	time.Sleep(3 * 24 * time.Hour)
	w.check()
	return nil
}

// check holds entries against records. Entries of one film and time are alike.
func (w *doubtWorld) check() {
	synctest.Wait()
	w.k.mu.Lock()
	defer w.k.mu.Unlock()
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	type same struct {
		film int64
		at   time.Time
	}
	entries, delivered, records := map[same]int{}, map[same]int{}, map[same]int{}
	for _, e := range w.k.rows {
		key := same{e.Media.IDs.TMDB, e.WatchedAt.Time()}
		entries[key]++
		if e.State == viewing.StateDelivered {
			delivered[key]++
		}
	}
	for _, r := range w.s.records {
		records[same{r.ID, r.WatchedAt.UTC()}]++
	}
	for key, n := range entries {
		if records[key] > n {
			broke("%d records of %d viewings of film %d at %s", records[key], n, key.film, key.at)
		}
		if delivered[key] > records[key] {
			broke("%d of %d delivered, but only %d recorded of film %d at %s", delivered[key], n, records[key], key.film, key.at)
		}
	}
}
