package queue

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestSubscribersAreNudged(t *testing.T) {
	s := fresh(t)
	nudged, stop := s.Subscribe()
	quiet := func(what string) {
		t.Helper()
		select {
		case <-nudged:
			t.Errorf("%s nudged", what)
		default:
		}
	}
	s.commit(t, film("e1", 1, -1))
	s.commit(t, film("e2", 2, -1)) // melts into the first
	<-nudged
	quiet("nothing")
	s.commit(t, film("e1", 1, -1))
	quiet("a duplicate")
	s.commitBatch(t, viewing.Batch{Source: "kodi:/a", State: map[string][]byte{"k": {}}})
	quiet("a source's state")
	leased := s.lease(t)
	if err := s.Release(t.Context(), leased); err != nil {
		t.Fatal(err)
	}
	quiet("a lease")
	attempt := s.send(t, s.lease(t)[0])
	<-nudged
	s.settle(t, Settlement{Entry: leased[0].ID, Attempt: attempt, State: viewing.StateDelivered})
	<-nudged
	stop()
	s.commit(t, film("e3", 3, -1))
	quiet("a commit after stop")
}

func TestManyCallersAtOnce(t *testing.T) {
	const callers, each = 32, 20
	s := fresh(t)
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			for i := range each {
				v := film(fmt.Sprintf("%d-%d", caller, i), int64(caller*each+i+1), -i)
				for _, want := range []viewing.Status{viewing.StatusQueued, viewing.StatusDuplicate} {
					o, err := s.Commit(t.Context(), viewing.Batch{Source: "browser:b1", Events: []viewing.Event{v}})
					if err != nil || o[0].Status != want {
						t.Errorf("commit: %+v, %v", o, err)
						return
					}
				}
			}
		})
	}
	delivered := 0
	for delivered < callers*each && !t.Failed() {
		leased, err := s.Lease(t.Context(), "default", 50, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range leased {
			s.settle(t, Settlement{Entry: e.ID, Attempt: s.send(t, e), State: viewing.StateDelivered})
			delivered++
		}
	}
	all.Wait()
	if counts := s.checkCounters(t); counts != (entry.Counts{Delivered: callers * each}) {
		t.Errorf("counts %+v", counts)
	}
}

// A transaction that is begun again for a bad job's sake counts each good one
// once, and answers it once.
func TestARepeatedJobCountsOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue.db")
	synctest.Test(t, func(t *testing.T) {
		s, err := openAt(t.Context(), Options{Path: path}, newClock().now)
		if err != nil {
			t.Fatal(err)
		}
		nudged, stop := s.Subscribe()
		defer stop()
		answers := make(chan []viewing.Outcome, 2)
		var all sync.WaitGroup
		for i := range 2 { // they wait in this order until the writer runs
			all.Go(func() {
				v := film(fmt.Sprint(i), int64(i+1), -1)
				o, err := s.Commit(context.Background(), viewing.Batch{Source: "browser:b1", Events: []viewing.Event{v}})
				if err != nil {
					t.Error(err)
				}
				answers <- o
			})
			synctest.Wait()
			all.Go(func() {
				if err := s.Settle(context.Background(), Settlement{Entry: 99, State: viewing.StateDropped}); err == nil {
					t.Error("settled what is not there")
				}
			})
			synctest.Wait()
		}
		ended, end := context.WithCancel(context.Background())
		end()
		if err := s.Run(ended); err != nil {
			t.Error(err)
		}
		all.Wait()
		ids := map[int64]bool{}
		for range 2 {
			o := <-answers
			if len(o) != 1 || o[0].Status != viewing.StatusQueued || len(o[0].Entries) != 1 {
				t.Fatalf("answered %+v", o)
			}
			ids[o[0].Entries[0]] = true
		}
		<-nudged
		if counts, err := s.Counts(t.Context()); err != nil || counts != (entry.Counts{Pending: 2}) || !ids[1] || !ids[2] {
			t.Errorf("counts %+v, %v, entries %v", counts, err, ids)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// What a change that failed has counted is taken back with it, and told to
// nobody.
func TestABadChangeCountsNothing(t *testing.T) {
	s := fresh(t)
	nudged, stop := s.Subscribe()
	defer stop()
	own := errors.New("own trouble")
	err := s.write(t.Context(), func(t *tx) error {
		t.pass(0, viewing.StateHeld, viewing.StatePending)
		return own
	})
	if !errors.Is(err, own) {
		t.Errorf("write: %v", err)
	}
	if counts, err := s.Counts(t.Context()); err != nil || counts != (entry.Counts{}) {
		t.Errorf("it counted: %+v, %v", counts, err)
	}
	select {
	case <-nudged:
		t.Error("nudged for nothing")
	default:
	}
	s.commit(t, film("e1", 1, -1))
	if counts := s.checkCounters(t); counts != (entry.Counts{Pending: 1}) {
		t.Errorf("counts after it: %+v", counts)
	}
}
