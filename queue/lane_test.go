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

// importFilms commits viewings as an import and returns their entries.
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

// dueFrom returns the entries of a lane that are due.
func (o *opened) dueFrom(t testing.TB, lane viewing.Lane) []int64 {
	t.Helper()
	return ids(o.ready(t, "default", lane))
}

func TestLiveIsSentBeforeBackfill(t *testing.T) {
	s := openNew(t)
	old := s.importFilms(t, film("i1", 1, -9000), film("i2", 2, -8000), film("i3", 9, -7000))
	live := s.commitIDs(t, film("l1", 3, -20), film("l2", 4, -10), film("l3", 9, -5))
	if got := s.dueFrom(t, viewing.LaneLive); !slices.Equal(got, live[:2]) { // of film 9 the older viewing leaves first, whatever its lane
		t.Errorf("live %v, want %v", got, live[:2])
	}
	if got := s.dueFrom(t, viewing.LaneBackfill); !slices.Equal(got, old) {
		t.Errorf("imports %v, want %v", got, old)
	}
	entry := s.entry(t, old[0])
	if entry.Lane != viewing.LaneBackfill || s.entry(t, live[0]).Lane != viewing.LaneLive {
		t.Errorf("entry is in lane %d", entry.Lane)
	}
}

// openWithGrace opens a store with a grace period.
func openWithGrace(t *testing.T, grace time.Duration) *opened {
	t.Helper()
	c := newClock()
	s, err := openAt(t.Context(), Options{
		Path: filepath.Join(t.TempDir(), "queue.db"), Settings: rules.Settings{Grace: grace},
	}, c.now)
	if err != nil {
		t.Fatal(err)
	}
	return runStore(t, s, c)
}

func TestGraceDelaysAnEntry(t *testing.T) {
	s := openWithGrace(t, 10*time.Minute)
	id := s.commitIDs(t, film("e1", 1, -60), film("e2", 2, -10))
	if _, at, ok, err := s.Next(t.Context(), "default", viewing.LaneLive); err != nil || !ok || at.Sub(noon()) != 10*time.Minute {
		t.Errorf("next due %v, %v, %v", at, ok, err)
	}
	s.clock.advance(10*time.Minute - time.Millisecond)
	s.wantDue(t)
	x, err := s.Explain(t.Context(), id[0])
	if err != nil || x.Steps[len(x.Steps)-1].Args["at"] != entry.Time(noon().Add(10*time.Minute)) {
		t.Errorf("explained as %+v, %v", x.Steps, err)
	}
	s.commitBatch(t, viewing.Batch{Source: "browser:b1", Amendments: []viewing.Amendment{{EventID: "e2", Drop: true, Reason: viewing.Say("a mistake")}}})
	s.clock.advance(time.Millisecond)
	s.wantDue(t, id[0])
}

// TestDelayedEntriesAreDueAfterTheClockIsCorrected: times set while the clock was hours or years
// ahead are due once it is right: of an entry, also after an attempt that sent nothing, of a
// lookup and of a read-back.
func TestDelayedEntriesAreDueAfterTheClockIsCorrected(t *testing.T) {
	for _, ahead := range []time.Duration{2 * time.Hour, 4 * 365 * 24 * time.Hour} {
		s := openNew(t)
		s.clock.advance(ahead)
		wish := viewing.Event{Kind: viewing.KindWatchlist, EventID: "w1", Media: film("", 1, 0).Media}
		id := s.commitIDs(t, wish, film("e2", 2, -10), unidentified("e3"))
		s.settle(t, Settlement{Entry: id[1], State: viewing.StatePending, NextAt: s.clock.now().Add(15 * time.Minute)})
		s.recordLookups(t, LookupResult{Lookup: s.wantLookups(t, 1, id[2])[0], AskAt: s.clock.now().Add(30 * 24 * time.Hour)})
		d := s.doubted(t, "e4", 4)
		s.recordReadBack(t, ReadBack{Doubt: d, State: viewing.StateInDoubt, ReadAt: s.clock.now().Add(6 * time.Hour)})
		s.clock.advance(-ahead)
		if _, at, ok, err := s.Next(t.Context(), "default", viewing.LaneLive); err != nil || !ok || at.After(noon()) {
			t.Errorf("next due %v, %v, %v", at, ok, err)
		}
		for range 2 {
			ready := s.dueFrom(t, viewing.LaneLive)
			slices.Sort(ready)
			if !slices.Equal(ready, id[:2]) {
				t.Fatalf("ready %v, want %v", ready, id[:2])
			}
			e := s.entry(t, id[1])
			s.settle(t, Settlement{Entry: e.ID, Attempt: s.send(t, e), State: viewing.StatePending, NextAt: e.NextAt, NotSent: true})
		}
		s.wantLookups(t, 1, id[2])
		if at, ok, err := s.NextLookup(t.Context(), "default"); err != nil || !ok || at.After(noon()) {
			t.Errorf("next look-up %v, %v, %v", at, ok, err)
		}
		s.wantReadBackAt(t, noon())
	}
}

// TestFutureEntriesCanBeReleasedAfterTheClockIsCorrected: entries that were held while the clock
// was behind.
func TestFutureEntriesCanBeReleasedAfterTheClockIsCorrected(t *testing.T) {
	s := openNew(t)
	s.clock.advance(-24 * time.Hour)
	id := s.commitIDs(t, film("e1", 1, -10))[0]
	acts := func() []entry.Verb { return s.entry(t, id).Actions(s.clock.now()) }
	if e := s.entry(t, id); e.Reason != viewing.ReasonFuture || slices.Contains(acts(), entry.VerbRelease) {
		t.Errorf("%+v: %v", e, acts())
	}
	s.clock.advance(24 * time.Hour)
	if !slices.Contains(acts(), entry.VerbRelease) {
		t.Errorf("%v", acts())
	}
	s.do(t, entry.VerbRelease, id)
	s.wantDue(t, id)
}
