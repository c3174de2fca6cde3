package queue

import (
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// filtered opens a store whose settings drop films, hold the tag "look" and drop bulk marks.
func filtered(t *testing.T) *opened {
	s := openNew(t)
	s.settings = rules.Settings{
		Filters: []rules.Filter{
			rules.NewFilter(rules.Match{Tag: "look"}, rules.Hold),
			rules.NewFilter(rules.Match{Kind: viewing.Movie}, rules.Ignore),
		},
		Classes: map[viewing.Class]rules.Action{viewing.ClassBulk: rules.Ignore},
	}
	return s
}

func TestFiltersDecideItemByItem(t *testing.T) {
	s := filtered(t)
	both := episodes("both", 1, 1)
	both.Media = append(both.Media, film("", 603, 0).Media...)
	held := film("held", 604, -10)
	held.Origin.Tags = []string{"look"}
	bulk := episodes("bulk", 1, 2, 3)
	bulk.Class = viewing.ClassBulk
	outcomes := s.commit(t, both, held, bulk)
	if got := statuses(outcomes); got[0] != viewing.StatusQueued || got[1] != viewing.StatusQueued || got[2] != viewing.StatusDropped {
		t.Errorf("statuses %v", got)
	}
	for i, want := range [][]string{{"pending ", "dropped filter"}, {"held filter"}, {"dropped bulk", "dropped bulk"}} {
		for part, id := range outcomes[i].Entries {
			if e := s.entry(t, id); string(e.State)+" "+e.Reason != want[part] {
				t.Errorf("%s, part %d: %s %s, want %s", e.EventID, part, e.State, e.Reason, want[part])
			}
		}
	}
	if counts := s.checkCounters(t); counts != (entry.Counts{Pending: 1, Held: 1, Dropped: 3}) {
		t.Errorf("counts %+v", counts)
	}
}

// TestFiltersApplyToLaterOriginData: an amendment with more data applies the filters again.
func TestFiltersApplyToLaterOriginData(t *testing.T) {
	s := openNew(t)
	s.settings.Filters = []rules.Filter{
		rules.NewFilter(rules.Match{Genre: "Family"}, rules.Ignore), rules.NewFilter(rules.Match{ShorterThan: time.Hour}, rules.Hold),
	}
	var outcomes []viewing.Outcome
	for _, name := range []string{"ignored", "held", "sent"} {
		outcomes = append(outcomes, s.commit(t, unidentified(name))...)
	}
	for name, origin := range map[string]viewing.Origin{
		"ignored": {Genres: []string{"Family"}}, "held": {Runtime: 60}, "sent": {Genres: []string{"Drama"}, Runtime: 7200},
	} {
		s.amend(t, viewing.Amendment{EventID: name, Media: identified(603), Origin: origin, Reason: viewing.Say("the library knows it now")})
	}
	for i, want := range []viewing.State{viewing.StateDropped, viewing.StateHeld, viewing.StatePending} {
		e := s.entry(t, outcomes[i].Entries[0])
		if e.State != want || e.SettledAt.IsZero() == (want == viewing.StateDropped) || e.Media.IDs.TMDB != 603 {
			t.Errorf("%s: %+v", e.EventID, e)
		}
	}
	s.checkCounters(t)
}

func TestReleaseRestoresDroppedEntries(t *testing.T) {
	s := filtered(t)
	bulk := film("bulk", 2, -20)
	bulk.Class = viewing.ClassBulk
	unsure := film("unsure", 3, -20)
	unsure.Class, unsure.Unsure = viewing.ClassLive, true
	var entries []int64
	for _, o := range s.commit(t, film("film", 1, -10), bulk, unsure, unidentified("nameless"), episodes("mine", 1, 1)) {
		entries = append(entries, o.Entries...)
	}
	s.do(t, entry.VerbDrop, entries[4:]...)
	for _, sel := range []entry.Selection{{All: true}, {Filter: entry.Filter{Reason: viewing.ReasonFiltered}}} {
		if did, err := s.order(t.Context(), entry.VerbRelease, sel, false); err != nil || did.Changed != 0 {
			t.Errorf("%+v released %+v, %v", sel, did, err)
		}
	}
	did, err := s.order(t.Context(), entry.VerbRelease, entry.Selection{Filter: entry.Filter{State: viewing.StateDropped}}, false)
	if err != nil || did.Changed != 4 || did.From[viewing.StateDropped] != 4 || did.Left["withdrawn"] != 1 {
		t.Fatalf("did %+v, %v", did, err)
	}
	for i, want := range []string{"pending ", "held bulk", "held review", "held unresolved", "dropped user"} {
		if e := s.entry(t, entries[i]); string(e.State)+" "+e.Reason != want || e.SettledAt.IsZero() == (e.State == viewing.StateDropped) {
			t.Errorf("%s is %s (%s), want %s", e.EventID, e.State, e.Reason, want)
		}
	}
	s.checkCounters(t)
	s.amend(t, viewing.Amendment{EventID: "nameless", Media: identified(5), Reason: viewing.Say("found")}) // filters no longer apply
	if e := s.entry(t, entries[3]); e.State != viewing.StatePending {
		t.Errorf("what the user took in is %s (%s)", e.State, e.Reason)
	}
	if ready := s.due(t); len(ready) != 2 {
		t.Errorf("ready %v", ids(ready))
	}
}
