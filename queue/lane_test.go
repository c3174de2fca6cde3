package queue

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// importFilms commits viewings that an import brought, and returns their entries.
func (o *opened) importFilms(t testing.TB, viewings ...viewing.Event) (entries []int64) {
	t.Helper()
	for i := range viewings {
		viewings[i].Class = viewing.ClassImport
	}
	for _, outcome := range o.commitBatch(t, viewing.Batch{Source: "kodi:/k", Events: viewings}) {
		entries = append(entries, outcome.Entries...)
	}
	return entries
}

// leaseFrom leases up to ten entries of the lanes.
func (o *opened) leaseFrom(t testing.TB, lanes ...viewing.Lane) []int64 {
	t.Helper()
	leased, err := o.Lease(t.Context(), "default", 10, time.Minute, lanes...)
	if err != nil {
		t.Fatal(err)
	}
	return ids(leased)
}

func TestLiveLeavesBeforeBackfill(t *testing.T) {
	s := fresh(t)
	old := s.importFilms(t, film("i1", 1, -9000), film("i2", 2, -8000), film("i3", 9, -7000))
	live := s.commitIDs(t, film("l1", 3, -20), film("l2", 4, -10), film("l3", 9, -5))
	for _, step := range []struct {
		lanes []viewing.Lane
		want  []int64
	}{
		{[]viewing.Lane{viewing.LaneLive}, live[:2]}, // of film 9 the older viewing leaves first, whatever its lane
		{[]viewing.Lane{viewing.LaneLive}, nil},
		{nil, old},
		{nil, nil},
	} {
		if got := s.leaseFrom(t, step.lanes...); !slices.Equal(got, step.want) {
			t.Fatalf("from %v leased %v, want %v", step.lanes, got, step.want)
		}
	}
	s.clock.advance(time.Hour) // all leases have run out
	if got := s.leaseFrom(t); !slices.Equal(got, live[:2]) {
		t.Errorf("leased %v, want only what is live", got)
	}
	entry := s.entry(t, old[0])
	if entry.Lane != viewing.LaneBackfill || s.entry(t, live[0]).Lane != viewing.LaneLive {
		t.Errorf("entry is in lane %d", entry.Lane)
	}
}

// openWithGrace opens a store whose entries stay for the grace.
func openWithGrace(t *testing.T, grace time.Duration) *opened {
	t.Helper()
	c := newClock()
	s, err := openAt(t.Context(), Options{
		Path: filepath.Join(t.TempDir(), "queue.db"), Settings: rules.Settings{Grace: grace},
	}, c.now)
	if err != nil {
		t.Fatal(err)
	}
	return running(t, s, c)
}

func TestGraceKeepsAnEntry(t *testing.T) {
	s := openWithGrace(t, 10*time.Minute)
	id := s.commitIDs(t, film("e1", 1, -60), film("e2", 2, -10))
	if at, ok, err := s.NextDue(t.Context(), "default"); err != nil || !ok || at.Sub(noon()) != 10*time.Minute {
		t.Errorf("next due %v, %v, %v", at, ok, err)
	}
	s.clock.advance(10*time.Minute - time.Millisecond)
	s.wantLeased(t)
	x, err := s.Explain(t.Context(), id[0])
	if err != nil || x.Steps[len(x.Steps)-1].Args["at"] != entry.Time(noon().Add(10*time.Minute)) {
		t.Errorf("explained as %+v, %v", x.Steps, err)
	}
	s.commitBatch(t, viewing.Batch{Source: "browser:b1", Amendments: []viewing.Amendment{{EventID: "e2", Drop: true, Reason: "a mistake"}}})
	s.clock.advance(time.Millisecond)
	s.wantLeased(t, id[0])
}

// TestGraceHoldsForWhatWasHeld: what is let go within its grace waits for the
// rest of it only.
func TestGraceHoldsForWhatWasHeld(t *testing.T) {
	s := openWithGrace(t, 10*time.Minute)
	v := film("e1", 1, -60)
	v.Media[0].IDs = viewing.IDs{IMDB: "tt0133093"}
	id := s.commitIDs(t, v)[0]
	s.clock.advance(4 * time.Minute)
	s.commitBatch(t, viewing.Batch{Source: "browser:b1", Amendments: []viewing.Amendment{{
		EventID: "e1", Media: film("", 603, 0).Media, Reason: "found",
	}}})
	s.clock.advance(6*time.Minute - time.Millisecond)
	s.wantLeased(t)
	s.clock.advance(time.Millisecond)
	s.wantLeased(t, id)
}

// TestClockThatWasAheadLosesNothing: what was put off by a clock that was
// years ahead does not wait until that day comes.
func TestClockThatWasAheadLosesNothing(t *testing.T) {
	s := fresh(t)
	s.clock.advance(4 * 365 * 24 * time.Hour)
	wish := viewing.Event{Kind: viewing.KindWatchlist, EventID: "w1", Media: film("", 1, 0).Media}
	id := s.commitIDs(t, wish, film("e2", 2, -10))
	s.settle(t, Settlement{Entry: id[1], State: viewing.StatePending, NextAt: s.clock.now().Add(15 * time.Minute)})
	s.clock.advance(-4 * 365 * 24 * time.Hour)
	for range 2 {
		if at, ok, err := s.NextDue(t.Context(), "default"); err != nil || !ok || !at.Equal(noon()) {
			t.Fatalf("next due %v, %v, %v", at, ok, err)
		}
		if leased := s.leaseFrom(t, viewing.LaneLive); len(leased) != 0 {
			slices.Sort(leased)
			if !slices.Equal(leased, id) {
				t.Errorf("leased %v, want %v", leased, id)
			}
			return
		}
	}
	t.Error("nothing is leased")
}

// TestADayIsNotTooFar: a wait that is meant is kept to the end.
func TestADayIsNotTooFar(t *testing.T) {
	s := fresh(t)
	id := s.commitIDs(t, film("e1", 1, -10))[0]
	s.settle(t, Settlement{Entry: id, State: viewing.StatePending, NextAt: noon().Add(24 * time.Hour)})
	for range 2 {
		s.wantLeased(t)
	}
	s.clock.advance(24*time.Hour - time.Millisecond)
	s.wantLeased(t)
	s.clock.advance(time.Millisecond)
	s.wantLeased(t, id)
}
