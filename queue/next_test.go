package queue

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/viewing"
)

// commitIDs commits viewings and returns the first entry of each.
func (o *opened) commitIDs(t testing.TB, viewings ...viewing.Event) []int64 {
	t.Helper()
	var first []int64
	for _, outcome := range o.commit(t, viewings...) {
		first = append(first, outcome.Entries[0])
	}
	return first
}

func (o *opened) wantDue(t testing.TB, want ...int64) []Entry {
	t.Helper()
	ready := o.due(t)
	if !slices.Equal(ids(ready), want) {
		t.Fatalf("ready %v, want %v", ids(ready), want)
	}
	return ready
}

func TestTheOldestIsNext(t *testing.T) {
	s := openNew(t)
	id := s.commitIDs(t, film("late", 1, -1), film("early", 2, -60), film("middle", 3, -30))
	for _, want := range []int64{id[1], id[2], id[0]} {
		e, _, ok, err := s.Next(t.Context(), "default", viewing.LaneLive)
		if err != nil || !ok || e.ID != want {
			t.Fatalf("next %d, %v, %v, want %d", e.ID, ok, err, want)
		}
		s.send(t, e)
		if _, err := s.Begin(t.Context(), e); !errors.Is(err, ErrChanged) {
			t.Errorf("begun twice: %v", err)
		}
	}
	if e, _, ok, err := s.Next(t.Context(), "default", viewing.LaneLive); ok || err != nil {
		t.Errorf("next %d, %v", e.ID, err)
	}
}

func TestEntriesOfOneItemAreSentInOrder(t *testing.T) {
	s := openNew(t)
	v := film("twice", 603, -60)
	v.Count = 2
	twice := s.commit(t, v)[0].Entries
	rest := s.commitIDs(t, film("later", 603, -10), film("other", 604, -5), film("earliest", 603, -90))
	later, other, earliest := rest[0], rest[1], rest[2]
	for _, want := range [][]int64{{earliest, other}, {twice[0]}, {twice[1]}, {later}, {}} {
		ready := s.wantDue(t, want...)
		for _, e := range ready {
			s.settle(t, Settlement{Entry: e.ID, Attempt: s.send(t, e), State: viewing.StateDelivered})
		}
	}
}

// wantAhead checks which entry an entry waits for, according to its explanation.
func (o *opened) wantAhead(t *testing.T, id, ahead int64, keepsBack bool) {
	t.Helper()
	x, err := o.Explain(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if !keepsBack {
		ahead = 0
	}
	if x.Ahead.ID != ahead || keepsBack && x.Ahead.State != o.entry(t, ahead).State {
		t.Errorf("entry %d comes before %d, and is %q; want %d", x.Ahead.ID, id, x.Ahead.State, ahead)
	}
}

func TestWhichOlderEntryBlocks(t *testing.T) {
	tests := []struct {
		state  viewing.State
		blocks bool
	}{
		{viewing.StatePending, true},
		{viewing.StateSending, true},
		{viewing.StateInDoubt, true},
		{viewing.StateHeld, false},
		{viewing.StateDelivered, false},
		{viewing.StateRejected, false},
		{viewing.StateDropped, false},
		{viewing.StateMerged, false},
	}
	for _, tt := range tests {
		t.Run(string(tt.state), func(t *testing.T) {
			s := openNew(t)
			id := s.commitIDs(t, film("elder", 603, -60), film("younger", 603, -10))
			attempt := s.sendOne(t, id[0])
			switch tt.state {
			case viewing.StateSending:
			case viewing.StatePending:
				s.settle(t, Settlement{Entry: id[0], Attempt: attempt, State: viewing.StatePending, NextAt: noon().Add(time.Hour)})
			default:
				s.settle(t, Settlement{Entry: id[0], Attempt: attempt, State: tt.state})
			}
			_, due, ok, err := s.Next(t.Context(), "default", viewing.LaneLive)
			if err != nil {
				t.Fatal(err)
			}
			s.wantAhead(t, id[1], id[0], tt.blocks)
			if tt.blocks {
				s.wantDue(t)
				if inAnHour := tt.state == viewing.StatePending; ok != inAnHour || ok && !due.Equal(noon().Add(time.Hour)) {
					t.Errorf("next due %v, %v: the blocked one counts", due, ok)
				}
				return
			}
			if !ok || due.After(noon()) {
				t.Errorf("next due %v, %v, want now", due, ok)
			}
			s.wantDue(t, id[1])
		})
	}
}

func TestNextDue(t *testing.T) {
	s := openNew(t)
	id := s.commitIDs(t, film("e1", 1, -1), film("e2", 2, -2))
	later := noon().Add(10 * time.Minute)
	for i, at := range []time.Time{later.Add(time.Minute), later} {
		s.settle(t, Settlement{Entry: id[i], State: viewing.StatePending, NextAt: at})
	}
	if _, at, ok, err := s.Next(t.Context(), "default", viewing.LaneLive); err != nil || !ok || !at.Equal(later) {
		t.Fatalf("next due %v, %v, %v", at, ok, err)
	}
	s.wantDue(t)
	s.clock.advance(10*time.Minute - time.Millisecond)
	s.wantDue(t)
	s.clock.advance(time.Millisecond)
	s.send(t, s.wantDue(t, id[1])[0])
	if _, at, ok, _ := s.Next(t.Context(), "default", viewing.LaneLive); !ok || !at.Equal(later.Add(time.Minute)) {
		t.Errorf("next due %v, %v: what is sent does not count", at, ok)
	}
	s.clock.advance(time.Minute)
	s.wantDue(t, id[0])
}

// TestBeginFailsDuringAPause: also for an entry that was read before the pause.
func TestBeginFailsDuringAPause(t *testing.T) {
	s := openNew(t)
	s.commitIDs(t, film("e1", 1, -1))
	next := s.due(t)[0]
	pause := func(p account.Pause) {
		t.Helper()
		if err := s.UpdateAccount(t.Context(), "default", func(a *account.Row) { a.Pause = p }); err != nil {
			t.Fatal(err)
		}
	}
	pause(account.ByUser(noon(), noon().Add(time.Hour), false))
	if _, err := s.Begin(t.Context(), next); !errors.Is(err, ErrChanged) {
		t.Errorf("in a pause: %v", err)
	}
	pause(account.Pause{})
	if _, err := s.Begin(t.Context(), next); err != nil {
		t.Errorf("after it: %v", err)
	}
}
