package queue

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/viewing"
)

// TestChangesAreTold in their order, once each, with the state that was come into.
func TestChangesAreTold(t *testing.T) {
	s := fresh(t)
	sent := s.commit(t, film("e1", 603, -10))[0].Entries[0]
	held := s.commit(t, unidentified("e2"))[0].Entries[0]
	_, seen := s.ChangesSince(0)
	s.settle(t, Settlement{Entry: sent, Attempt: s.sendOne(t, sent), State: viewing.StateDelivered})
	for after, want := range map[int64][]Change{
		0: {
			{sent, viewing.StatePending}, {held, viewing.StateHeld}, {sent, viewing.StateSending}, {sent, viewing.StateDelivered},
		},
		seen: {{sent, viewing.StateSending}, {sent, viewing.StateDelivered}},
		4:    {}, 5: {}, // there is none of that number
	} {
		changes, last := s.ChangesSince(after)
		if diff := cmp.Diff(want, changes); diff != "" || last != 4 {
			t.Errorf("after %d of %d (-want +got):\n%s", after, last, diff)
		}
	}
	no := errors.New("no")
	err := s.write(t.Context(), func(tx *tx) error {
		tx.pass(held, viewing.StateHeld, viewing.StateDropped)
		return no
	})
	if _, last := s.ChangesSince(0); !errors.Is(err, no) || last != 4 {
		t.Errorf("%v, and what was taken back is told: %d", err, last)
	}
}

// TestChangesAreTakenBackToAMark: what stood before it is told.
func TestChangesAreTakenBackToAMark(t *testing.T) {
	var l ledger
	l.made(1, viewing.StatePending)
	mark := l.Mark()
	l.made(2, viewing.StateHeld)
	l.Back(mark)
	if diff := cmp.Diff([]Change{{1, viewing.StatePending}}, l.each); diff != "" {
		t.Error(diff)
	}
}

// TestOnlyTheNewestChangesAreRemembered, and how many there were.
func TestOnlyTheNewestChangesAreRemembered(t *testing.T) {
	var s Store
	many := make([]Change, maxRecent-1)
	for range 3 {
		s.recent.add(many)
	}
	s.recent.add([]Change{{Entry: 7}})
	changes, last := s.ChangesSince(1)
	if len(changes) != maxRecent || last != 3*int64(len(many))+1 || changes[maxRecent-1].Entry != 7 {
		t.Errorf("%d changes of %d", len(changes), last)
	}
	if changes, _ = s.ChangesSince(last - 1); len(changes) != 1 {
		t.Errorf("%d changes, want the newest", len(changes))
	}
	if s.recent.add(make([]Change, 5*maxRecent)); len(s.recent.all) != maxRecent || s.recent.last != last+5*maxRecent {
		t.Errorf("%d changes of %d", len(s.recent.all), s.recent.last)
	}
}
