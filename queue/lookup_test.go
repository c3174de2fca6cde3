package queue

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// lookups returns the due lookups.
func (o *opened) lookups(t testing.TB) []Lookup {
	t.Helper()
	all, err := o.Lookups(t.Context(), "default", 100)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// wantLookups checks which lookups are due, and how many entries have no identifier.
func (o *opened) wantLookups(t testing.TB, unresolved int64, want ...int64) []Lookup {
	t.Helper()
	all := o.lookups(t)
	var got []int64
	for _, l := range all {
		got = append(got, l.Entry.ID)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("to be asked about: %v, want %v", got, want)
	}
	if n, err := o.Unresolved(t.Context(), "default"); err != nil || n != unresolved {
		t.Fatalf("%d without identifier, %v; want %d", n, err, unresolved)
	}
	return all
}

func (o *opened) recordLookups(t testing.TB, findings ...LookupResult) {
	t.Helper()
	if err := o.RecordLookups(t.Context(), findings); err != nil {
		t.Fatal(err)
	}
}

func (o *opened) candidates(t testing.TB, id int64) []resolve.Candidate {
	t.Helper()
	all, err := o.Candidates(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// identifiedAs returns the lookup result of a film.
func identifiedAs(l Lookup, tmdb int64) LookupResult {
	m := *l.Entry.Media
	m.IDs.TMDB = tmdb
	return LookupResult{Lookup: l, Media: &m, Why: viewing.Say("known")}
}

func TestLookupsListUnidentifiedEntries(t *testing.T) {
	s := openNew(t)
	bulk, user, ahead, other := unidentified("bulk"), unidentified("user"), unidentified("ahead"), unidentified("other")
	bulk.Class = viewing.ClassBulk
	ahead.WatchedAt = viewing.At(noon().Add(time.Hour))
	known := film("known", 603, -10)
	known.Class = viewing.ClassBulk
	all := s.commitIDs(t, unidentified("plain"), bulk, user, ahead, known, film("sent", 604, -5))
	s.commitBatch(t, viewing.Batch{Source: "browser:b2", Events: []viewing.Event{other}}) // of another account
	s.wantLookups(t, 4, all[:4]...)
	if at, ok, err := s.NextLookup(t.Context(), "default"); err != nil || !ok || at.After(noon()) {
		t.Errorf("next at %v, %v, %v", at, ok, err)
	}
	s.do(t, entry.VerbDrop, all[2:3]...)
	s.wantLookups(t, 3, all[0], all[1], all[3])
	s = s.reopen(t)
	s.wantLookups(t, 3, all[0], all[1], all[3])
}

func TestIdentifiedEntryIsReleased(t *testing.T) {
	s := openNew(t)
	id := s.commitIDs(t, unidentified("e1"))[0]
	l := s.wantLookups(t, 1, id)[0]
	s.recordLookups(t, identifiedAs(l, 603))
	x := s.explained(t, id)
	if e := x.Entry; e.State != viewing.StatePending || e.Reason != "" || e.Media.Key() != "movie:603" || e.Revision != 1 {
		t.Fatalf("entry %+v", e)
	}
	if !slices.ContainsFunc(x.Steps, func(s entry.Step) bool { return s.Code == "resolved" && s.Cause.Code == "known" }) {
		t.Errorf("steps %+v", x.Steps)
	}
	s.wantLookups(t, 0)
	if ready := s.due(t); len(ready) != 1 || ready[0].ID != id {
		t.Errorf("ready %v", ids(ready))
	}
	s.checkCounters(t)
}

func TestFailedLookupIsRepeated(t *testing.T) {
	s := openNew(t)
	id := s.commitIDs(t, unidentified("e1"))[0]
	for asked, wait := range []time.Duration{24 * time.Hour, time.Hour, 0} {
		l := s.wantLookups(t, 1, id)[0]
		if l.Asked != asked {
			t.Errorf("asked %d times, want %d", l.Asked, asked)
		}
		f := LookupResult{Lookup: l, Why: viewing.Say("text", "text", "The service knows nothing of it.")}
		if wait > 0 {
			f.AskAt = s.clock.now().Add(wait)
		}
		s.recordLookups(t, f)
		s.wantLookups(t, 1)
		s.clock.advance(wait)
	}
	if _, ok, err := s.NextLookup(t.Context(), "default"); ok || err != nil {
		t.Errorf("the lookup is due again: %v", err)
	}
	x := s.explained(t, id)
	asked := slices.DeleteFunc(x.Steps, func(s entry.Step) bool { return s.Code != "asked" })
	if len(asked) != 1 || x.Entry.State != viewing.StateHeld || x.Entry.Reason != viewing.ReasonUnresolved || x.Entry.Revision != 0 {
		t.Errorf("steps %+v, entry %+v", asked, x.Entry)
	}
}

// TestCandidatesAreStored: and deleted when the item changes.
func TestCandidatesAreStored(t *testing.T) {
	s := openNew(t)
	id := s.commitIDs(t, unidentified("e1"))[0]
	some := []resolve.Candidate{{Type: viewing.Movie, TMDB: 603, Title: "Alpha", Year: 1999}}
	for n := range int64(9) {
		some = append(some, resolve.Candidate{Type: viewing.Movie, TMDB: 700 + n, Title: "Alpha"})
	}
	ask := func(f LookupResult) []resolve.Candidate {
		f.Lookup, f.AskAt = s.wantLookups(t, 1, id)[0], s.clock.now()
		s.recordLookups(t, f)
		return s.candidates(t, id)
	}
	if got := ask(LookupResult{Candidates: some}); len(got) != maxCandidates || !slices.Equal(got, some[:maxCandidates]) {
		t.Errorf("candidates %+v", got)
	}
	if got := ask(LookupResult{}); got != nil {
		t.Errorf("after an answer without any: %+v", got)
	}
	ask(LookupResult{Candidates: some[:1]})
	m := unidentified("e1").Media
	m[0].Year = 1999
	s.amend(t, viewing.Amendment{EventID: "e1", Media: m, Reason: viewing.Say("the library has changed")})
	if got := s.candidates(t, id); got != nil {
		t.Errorf("after other words: %+v", got)
	}
}

// TestLookupIsRepeatedForNewDataOrService: a changed item or another service makes a lookup due
// again.
func TestLookupIsRepeatedForNewDataOrService(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, s *opened){
		"evidence": func(t *testing.T, s *opened) {
			m := unidentified("e1").Media
			m[0].Year = 1999
			s.amend(t, viewing.Amendment{EventID: "e1", Media: m, Reason: viewing.Say("the library has changed")})
		},
		"address": func(t *testing.T, s *opened) {
			err := s.UpdateAccount(t.Context(), "default", func(a *account.Row) { a.MoveTo("https://other.example/api/v1", noon()) })
			if err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := openNew(t)
			id := s.commitIDs(t, unidentified("e1"))[0]
			s.recordLookups(t, LookupResult{Lookup: s.wantLookups(t, 1, id)[0]})
			s.wantLookups(t, 1)
			change(t, s)
			if l := s.wantLookups(t, 1, id)[0]; l.Asked != 0 {
				t.Errorf("asked %d times", l.Asked)
			}
		})
	}
}

// An answer that comes late changes nothing.
func TestLookupResultOfAChangedEntryIsIgnored(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, s *opened, id int64){
		"edited": func(t *testing.T, s *opened, id int64) {
			s.edit(t, id, entry.Edit{Media: &identified(9)[0]})
		},
		"amended": func(t *testing.T, s *opened, id int64) {
			s.amend(t, viewing.Amendment{EventID: "e1", Media: []viewing.Media{{Type: viewing.Movie, Title: "Beta"}}, Reason: viewing.Say("x")})
		},
		"dropped": func(t *testing.T, s *opened, id int64) {
			s.amend(t, viewing.Amendment{EventID: "e1", Drop: true, Reason: viewing.Say("x")})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := openNew(t)
			id := s.commitIDs(t, unidentified("e1"))[0]
			l := s.wantLookups(t, 1, id)[0]
			change(t, s, id)
			before := s.explained(t, id)
			s.recordLookups(t, identifiedAs(l, 603), LookupResult{Lookup: l, Why: viewing.Say("text", "text", "nothing")})
			if diff := cmp.Diff(before, s.explained(t, id)); diff != "" {
				t.Errorf("(-before +after)\n%s", diff)
			}
			s.checkCounters(t)
		})
	}
}

// TestLookupsIncludeTheRuntime: as the player or library reported it, but not for a file with
// several episodes.
func TestLookupsIncludeTheRuntime(t *testing.T) {
	s := openNew(t)
	played, stored, several := titledFilm("a", "Alpha", 0, -30), titledFilm("b", "Beta", 0, -20), titledFilm("c", "Gamma", 0, -10)
	played.Progress, stored.Origin.Runtime = &viewing.Progress{Position: 90, Duration: 5400.5, Played: 90}, 60
	several.Media = append(several.Media, titledFilm("d", "Delta", 0, 0).Media...)
	several.Origin.Runtime = 3000
	ids := s.commitIDs(t, played, stored, several, titledFilm("e", "Epsilon", 0, -5))
	want := map[int64]time.Duration{ids[0]: 5400500 * time.Millisecond, ids[1]: time.Minute}
	for _, l := range s.lookups(t) {
		if l.Runtime != want[l.Entry.ID] {
			t.Errorf("entry %d: %s", l.Entry.ID, l.Runtime)
		}
	}
}
