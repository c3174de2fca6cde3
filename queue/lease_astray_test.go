package queue

import (
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// What a clock that ran ahead has put off is due as soon as that is seen.
func TestWhatAWrongClockPutOffIsBroughtBack(t *testing.T) {
	s := fresh(t)
	id := s.commitIDs(t, film("e1", 603, -10))[0]
	s.clock.advance(48 * time.Hour)
	s.settle(t, Settlement{Entry: id, State: viewing.StatePending, NextAt: s.clock.now().Add(time.Minute)})
	s.clock.advance(-48 * time.Hour)
	if due, ok, err := s.NextDue(t.Context(), "default"); err != nil || !ok || due.After(s.clock.now()) {
		t.Errorf("due %s, %v, %v; want now", due, ok, err)
	}
	s.wantLeased(t) // this one finds nothing due, and mends
	s.wantLeased(t, id)
}

// What was due when it was put behind an elder is due when its turn comes,
// though it became due by a clock that has been set back since.
func TestWhatWasDueBehindAnElderStaysDue(t *testing.T) {
	s := fresh(t)
	elder := s.doubted(t, "e1", 603)
	s.clock.advance(20 * time.Hour)
	younger := s.commitIDs(t, film("e2", 603, -5))[0]
	s.settle(t, Settlement{Entry: younger, State: viewing.StatePending, NextAt: s.clock.now()})
	s.wantLeased(t)
	s.clock.advance(-20 * time.Hour)
	s.resolve(t, ReadBack{Doubt: elder, State: viewing.StateDelivered, Reason: "it is there"})
	s.wantLeased(t, younger)
}
