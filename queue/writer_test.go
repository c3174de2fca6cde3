package queue

import (
	"fmt"
	"sync"
	"testing"

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
	ready := s.due(t)
	quiet("a reading")
	attempt := s.send(t, ready[0])
	<-nudged
	s.settle(t, Settlement{Entry: ready[0].ID, Attempt: attempt, State: viewing.StateDelivered})
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
		ready := s.due(t)
		for _, e := range ready {
			s.settle(t, Settlement{Entry: e.ID, Attempt: s.send(t, e), State: viewing.StateDelivered})
			delivered++
		}
	}
	all.Wait()
	if counts := s.checkCounters(t); counts != (entry.Counts{Delivered: callers * each}) {
		t.Errorf("counts %+v", counts)
	}
}
