package queue

import (
	"testing"

	"github.com/filmspool/filmspool/queue/viewing"
)

func TestSubscribersReceiveAfterACommit(t *testing.T) {
	s := openNew(t)
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
