package queue

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

const (
	chrome = "browser:b1"
	living = "kodi:/living"
	player = "program:p1"
)

// commitFrom commits one viewing of a source and returns its outcome.
func (o *opened) commitFrom(t testing.TB, source string, v viewing.Event) viewing.Outcome {
	t.Helper()
	return o.commitBatch(t, viewing.Batch{Source: source, Events: []viewing.Event{v}})[0]
}

// filmWithRuntime returns a film with a running time in minutes.
func filmWithRuntime(id string, minute, runtime int) viewing.Event {
	v := film(id, 603, minute)
	v.Origin.Runtime = runtime * 60
	return v
}

// withClass sets the class of a viewing.
func withClass(class viewing.Class, v viewing.Event) viewing.Event {
	v.Class = class
	return v
}

// withDayOnly reduces the time of a viewing to its day.
func withDayOnly(v viewing.Event) viewing.Event {
	v.WatchedAt = viewing.Instant{Millis: noon().UnixMilli(), Text: "2026-03-01", Precision: viewing.Day}
	return v
}

func TestOnePlaybackOfTwoSourcesIsOneRequest(t *testing.T) {
	for _, tt := range []struct {
		name          string
		first, second viewing.Event
		one           bool
	}{
		{"the same end", film("a", 603, -60), film("b", 603, -60), true},
		{"unknown length of a film, 40 minutes", film("a", 603, -60), film("b", 603, -20), true},
		{"unknown length of a film, 41 minutes", film("a", 603, -60), film("b", 603, -19), false},
		{"the later reported first", film("a", 603, -20), film("b", 603, -60), true},
		{"another film", film("a", 603, -60), film("b", 604, -60), false},
		{"its length by one source", filmWithRuntime("a", -130, 120), film("b", 603, -10), true},
		{"its length by the other", film("a", 603, -130), filmWithRuntime("b", -10, 120), true},
		{"beyond its length", filmWithRuntime("a", -131, 120), film("b", 603, -10), false},
		{"a trailer's length", filmWithRuntime("a", -60, 1), filmWithRuntime("b", -55, 1), true},
		{"beyond five minutes", filmWithRuntime("a", -60, 1), filmWithRuntime("b", -54, 1), false},
		{"an impossible length", filmWithRuntime("a", -500, 1e6), film("b", 603, -139), false},
		{"episode, 20 minutes", episodes("a", 1, 1), later(episodes("b", 1, 1), 20), true},
		{"episode, 21 minutes", episodes("a", 1, 1), later(episodes("b", 1, 1), 21), false},
		{"an episode's number, and its place with that", numberedEpisode("a", 72, 0, 1, 2), numberedEpisode("b", 72, 7, 2, 1), true},
		{"its place first", numberedEpisode("a", 72, 7, 2, 1), numberedEpisode("b", 72, 0, 1, 2), true},
		{"its place with another number", numberedEpisode("a", 72, 7, 1, 2), numberedEpisode("b", 73, 0, 1, 2), false},
		{"its place in a series of that name", numberedEpisode("a", 0, 7, 1, 2), numberedEpisode("b", 72, 0, 1, 2), true},
		{"another place", numberedEpisode("a", 0, 7, 1, 3), numberedEpisode("b", 72, 0, 1, 2), false},
		{"another number", numberedEpisode("a", 72, 0, 1, 2), numberedEpisode("b", 73, 0, 1, 2), false},
		{"its place in another series", numberedEpisode("a", 0, 7, 1, 2), withSeriesTitle(numberedEpisode("b", 72, 0, 1, 2), "Show Blue"), false},
		{"an import keeps its own rules", film("a", 603, -60), withClass(viewing.ClassImport, film("b", 603, -60)), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := openNew(t)
			first, second := s.commitFrom(t, chrome, tt.first), s.commitFrom(t, living, tt.second)
			if second.Status != viewing.StatusQueued || slices.Equal(first.Entries, second.Entries) != tt.one {
				t.Fatalf("%+v, then %+v; want one: %v", first, second, tt.one)
			}
			if counts := s.checkCounters(t); counts.Pending+counts.Held != map[bool]int64{true: 1, false: 2}[tt.one] {
				t.Errorf("counts %+v", counts)
			}
			if !tt.one {
				return
			}
			x := s.explained(t, first.Entries[0])
			if last := x.Steps[len(x.Steps)-1]; last.Code != "sighting" || last.Args["source"] != living {
				t.Errorf("step %+v", last)
			}
			if len(x.Events) != 2 || x.Events[0].EventID != "a" || !x.Entry.WatchedAt.Time().Equal(tt.first.WatchedAt.Time()) {
				t.Errorf("events %+v, watched at %v", x.Events, x.Entry.WatchedAt)
			}
			if again := s.commitFrom(t, living, tt.second); again.Status != viewing.StatusDuplicate || !slices.Equal(again.Entries, first.Entries) {
				t.Errorf("committed again: %+v", again)
			}
		})
	}
}

// numberedEpisode returns an episode of Show Red with its own TMDB id, its series' id, or both.
func numberedEpisode(id string, own, show int64, season, number int) viewing.Event {
	v := film(id, own, -60)
	v.Media = []viewing.Media{{
		Type: viewing.Episode, IDs: viewing.IDs{TMDB: own}, Season: &season, Episode: &number, Show: &viewing.Show{Title: "Show Red", IDs: viewing.IDs{TMDB: show}},
	}}
	return v
}

// withSeriesTitle sets the title of the series.
func withSeriesTitle(v viewing.Event, name string) viewing.Event {
	v.Media[0].Show.Title = name
	return v
}

// later moves a viewing by some minutes.
func later(v viewing.Event, minutes int) viewing.Event {
	v.WatchedAt = viewing.At(v.WatchedAt.Time().Add(time.Duration(minutes) * time.Minute))
	return v
}

// bringTo brings a pending entry into a state.
func (o *opened) bringTo(t testing.TB, id int64, to viewing.State) {
	t.Helper()
	switch to {
	case viewing.StatePending:
		return
	case viewing.StateHeld:
		o.do(t, entry.VerbHold, id)
		return
	case viewing.StateDropped:
		o.do(t, entry.VerbDrop, id)
		return
	}
	attempt := o.send(t, o.due(t)[0])
	if to != viewing.StateSending {
		o.settle(t, Settlement{Entry: id, Attempt: attempt, State: to, Reason: "as it is", Answer: Answer{Status: 200}})
	}
}

// TestSightingOfAnEntryInEachState tests the table of the package comment: the effect of a later
// sighting by the state of the entry, and whether the sighting may be sent.
func TestSightingOfAnEntryInEachState(t *testing.T) {
	type after struct{ first, second viewing.State } // "" where it has no entry of its own
	for _, tt := range []struct {
		name   string
		first  viewing.Event
		then   viewing.State
		good   after // the later one may leave
		held   after // the later one is held
		status viewing.Status
	}{
		{"pending", film("a", 603, -60), viewing.StatePending, after{viewing.StatePending, ""}, after{viewing.StatePending, ""}, viewing.StatusQueued},
		{"sending", film("a", 603, -60), viewing.StateSending, after{viewing.StateSending, ""}, after{viewing.StateSending, ""}, viewing.StatusQueued},
		{"delivered", film("a", 603, -60), viewing.StateDelivered, after{viewing.StateDelivered, ""}, after{viewing.StateDelivered, ""}, viewing.StatusQueued},
		{"in doubt", film("a", 603, -60), viewing.StateInDoubt, after{viewing.StateInDoubt, ""}, after{viewing.StateInDoubt, ""}, viewing.StatusQueued},
		{"the service has it", film("a", 603, -60), viewing.StateMerged, after{viewing.StateMerged, ""}, after{viewing.StateMerged, ""}, viewing.StatusQueued},
		{"rejected", film("a", 603, -60), viewing.StateRejected, after{viewing.StatePending, ""}, after{viewing.StateRejected, ""}, viewing.StatusQueued},
		{"held by the user", film("a", 603, -60), viewing.StateHeld, after{viewing.StateHeld, ""}, after{viewing.StateHeld, ""}, viewing.StatusQueued},
		{"dropped by the user", film("a", 603, -60), viewing.StateDropped, after{viewing.StateDropped, ""}, after{viewing.StateDropped, ""}, viewing.StatusDropped},
		{"bulk", withClass(viewing.ClassBulk, film("a", 603, -60)), viewing.StatePending, after{viewing.StatePending, ""}, after{viewing.StateHeld, ""}, viewing.StatusQueued},
		{"backdated", withClass(viewing.ClassBackdated, film("a", 603, -60)), viewing.StatePending, after{viewing.StatePending, ""}, after{viewing.StateHeld, ""}, viewing.StatusQueued},
		{"review", withClass(viewing.ClassReview, film("a", 603, -60)), viewing.StatePending, after{viewing.StatePending, ""}, after{viewing.StateHeld, ""}, viewing.StatusQueued},
		{"a day", withDayOnly(film("a", 603, 0)), viewing.StatePending, after{viewing.StatePending, ""}, after{viewing.StatePending, ""}, viewing.StatusQueued},
		{"a day, held", withClass(viewing.ClassBackdated, withDayOnly(film("a", 603, 0))), viewing.StatePending, after{viewing.StatePending, ""}, after{viewing.StateHeld, ""}, viewing.StatusQueued},
	} {
		for _, second := range []viewing.Event{film("b", 603, -58), withClass(viewing.ClassReview, film("b", 603, -58))} {
			t.Run(fmt.Sprint(tt.name, second.Class), func(t *testing.T) {
				s := openNew(t)
				first := s.commitFrom(t, living, tt.first).Entries[0]
				s.bringTo(t, first, tt.then)
				o := s.commitFrom(t, chrome, second)
				want := tt.good
				if second.Class != "" {
					want = tt.held
				}
				got := after{first: s.entry(t, first).State}
				if !slices.Contains(o.Entries, first) {
					got.second = s.entry(t, o.Entries[0]).State
				}
				if got != want || o.Status != tt.status || (o.Reason != "") != (tt.status == viewing.StatusDropped) {
					t.Errorf("%+v, want %+v; outcome %+v", got, want, o)
				}
				x := s.explained(t, first)
				better := slices.Contains([]string{"a day, held", "a day, heldreview", "a day", "bulk", "backdated", "review", "rejected"}, tt.name+string(second.Class))
				if now := x.Entry.WatchedAt.Millis == second.WatchedAt.Millis; now != better || better && x.Entry.Class != second.Class {
					t.Errorf("better: %v; entry %+v", better, x.Entry)
				}
				s.checkCounters(t)
			})
		}
	}
}

// checkMerged checks that the steps of both entries describe the merge.
func (o *opened) checkMerged(t *testing.T, lesser, into int64) {
	t.Helper()
	x, y := o.explained(t, lesser), o.explained(t, into)
	last, other := x.Steps[len(x.Steps)-1], y.Steps[len(y.Steps)-1]
	if x.Entry.State != viewing.StateMerged || x.Entry.Reason != viewing.ReasonSeenTwice || x.Entry.SettledAt.IsZero() {
		t.Errorf("merged: %+v", x.Entry)
	}
	if last.Code != "merged" || last.Args["entry"] != fmt.Sprint(into) {
		t.Errorf("step of the merged %+v", last)
	}
	if !strings.HasPrefix(other.Code, "sighting.merged") || other.Args["entry"] != fmt.Sprint(lesser) {
		t.Errorf("step of the other %+v", other)
	}
	if len(y.Events) < 2 || y.Events[0].EventID != y.Entry.EventID {
		t.Errorf("events %+v", y.Events)
	}
}

// TestUnknownTimesAreNeverCompared: a library gives earlier plays the day of the last one if it
// has no other.
func TestUnknownTimesAreNeverCompared(t *testing.T) {
	s := openNew(t)
	v := withClass(viewing.ClassBackdated, withDayOnly(film("a", 603, 0)))
	v.Unsure, v.Count = true, 2
	s.commitFrom(t, chrome, film("b", 603, -60))
	earlier := s.commitFrom(t, living, v).Entries
	s.commitFrom(t, player, film("c", 603, -61))
	if counts := s.checkCounters(t); counts != (entry.Counts{Pending: 1, Held: 2}) {
		t.Errorf("counts %+v", counts)
	}
	s.do(t, entry.VerbRelease, earlier...)
	if counts := s.checkCounters(t); counts != (entry.Counts{Pending: 3}) {
		t.Errorf("released: counts %+v", counts)
	}
}

func TestMergeMovesTheSightings(t *testing.T) {
	s := openNew(t)
	s.commitFrom(t, living, withClass(viewing.ClassBulk, filmWithRuntime("a", -60, 10)))
	s.commitFrom(t, player, withClass(viewing.ClassReview, filmWithRuntime("b", -58, 10)))
	good := s.commitFrom(t, chrome, filmWithRuntime("c", -59, 10)).Entries
	if o := s.commitFrom(t, player, filmWithRuntime("d", -62, 10)); slices.Equal(o.Entries, good) {
		t.Errorf("two viewings of one source are one: %+v", o)
	}
	if x := s.explained(t, good[0]); len(x.Events) != 3 {
		t.Errorf("events %+v", x.Events)
	}
}

func TestPartsAreMergedSeparately(t *testing.T) {
	s := openNew(t)
	first := s.commitFrom(t, chrome, episodes("one", 1, 1)).Entries
	both := s.commitFrom(t, living, episodes("both", 1, 1, 2))
	if len(both.Entries) != 2 || both.Entries[0] != first[0] {
		t.Fatalf("%+v", both)
	}
	if two := s.entry(t, both.Entries[1]); two.State != viewing.StatePending || *two.Media.Episode != 2 || two.Part != 1 {
		t.Errorf("%+v", two)
	}
	if o := s.commitFrom(t, player, episodes("again", 1, 2, 1)); !slices.Equal(o.Entries, both.Entries) {
		t.Errorf("both again: %+v", o)
	}
	s.checkCounters(t)
}

func TestIdentifiedEntryIsMergedAsDuplicate(t *testing.T) {
	alpha := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}
	for _, way := range []string{"amended", "edited"} {
		t.Run(way, func(t *testing.T) {
			s := openNew(t)
			id := s.commitFrom(t, living, unidentified("who")).Entries[0]
			seen := s.commitFrom(t, chrome, film("b", 603, -21)).Entries[0]
			switch way {
			case "amended":
				s.commitBatch(t, viewing.Batch{Source: living, Amendments: []viewing.Amendment{{EventID: "who", Media: []viewing.Media{alpha}, Reason: viewing.Say("named")}}})
			case "edited":
				if e, err := s.Edit(t.Context(), id, entry.Edit{Media: &alpha}); err != nil || e.State != viewing.StateMerged {
					t.Fatalf("%+v, %v", e, err)
				}
			}
			s.checkMerged(t, id, seen)
			if counts := s.checkCounters(t); counts != (entry.Counts{Pending: 1, Merged: 1}) {
				t.Errorf("counts %+v", counts)
			}
		})
	}
}

func TestEntryOfTwoSourcesIsNotWithdrawn(t *testing.T) {
	s := openNew(t)
	id := s.commitFrom(t, living, film("a", 603, -60)).Entries[0]
	s.commitFrom(t, chrome, film("b", 603, -60))
	beta := []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 604}}}
	for _, a := range []viewing.Amendment{{EventID: "a", Drop: true, Reason: viewing.Say("taken back")}, {EventID: "a", Media: beta, Reason: viewing.Say("renamed")}} {
		s.commitBatch(t, viewing.Batch{Source: living, Amendments: []viewing.Amendment{a}})
		e := s.explained(t, id)
		if last := e.Steps[len(e.Steps)-1]; e.Entry.State != viewing.StatePending || e.Entry.Media.IDs.TMDB != 603 || last.Code != "noted.shared" {
			t.Errorf("%+v, %+v", e.Entry, last)
		}
	}
}

// TestWithdrawnEntryIsNoDuplicate: a source that withdraws its report says nothing about the
// reports of others.
func TestWithdrawnEntryIsNoDuplicate(t *testing.T) {
	s := openNew(t)
	s.commitFrom(t, living, film("a", 603, -60))
	s.commitBatch(t, viewing.Batch{Source: living, Amendments: []viewing.Amendment{{EventID: "a", Drop: true, Reason: viewing.Say("taken back")}}})
	s.commitFrom(t, chrome, film("b", 603, -60))
	if counts := s.checkCounters(t); counts != (entry.Counts{Pending: 1, Dropped: 1}) {
		t.Errorf("counts %+v", counts)
	}
}

// TestRestoredEntryIsComparedAgain: an entry that a filter dropped is not compared with another
// source's sighting until it is restored.
func TestRestoredEntryIsComparedAgain(t *testing.T) {
	s := openNew(t)
	s.settings.Filters = []rules.Filter{rules.NewFilter(rules.Match{Source: "kodi"}, rules.Ignore)}
	o := s.commitFrom(t, living, film("a", 603, -60))
	seen := s.commitFrom(t, chrome, film("b", 603, -60)).Entries[0]
	if again := s.commitFrom(t, "kodi:/attic", film("c", 603, -60)); o.Status != viewing.StatusDropped || again.Status != viewing.StatusDropped {
		t.Errorf("%+v, %+v", o, again)
	}
	if counts := s.checkCounters(t); counts != (entry.Counts{Pending: 1, Dropped: 2}) {
		t.Errorf("counts %+v", counts)
	}
	s.do(t, entry.VerbRelease, o.Entries...)
	s.checkMerged(t, o.Entries[0], seen)
}

func TestLatestDecisionOfTheUserWins(t *testing.T) {
	s := openNew(t)
	id := s.commitFrom(t, living, film("a", 603, -60)).Entries[0]
	s.bringTo(t, id, viewing.StateDropped)
	if o := s.commitFrom(t, "cli", film("b", 603, -60)); o.Status != viewing.StatusQueued || s.entry(t, o.Entries[0]).State != viewing.StatePending {
		t.Errorf("%+v", o)
	}
}

// TestDroppedEntryAbsorbsAutomaticChangesOnly: an entry that the user edits is not merged into
// one that they dropped, but one that a lookup identifies is.
func TestDroppedEntryAbsorbsAutomaticChangesOnly(t *testing.T) {
	alpha := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}
	for way, want := range map[string]viewing.State{"edited": viewing.StatePending, "amended": viewing.StateMerged} {
		t.Run(way, func(t *testing.T) {
			s := openNew(t)
			id := s.commitFrom(t, living, unidentified("who")).Entries[0]
			s.bringTo(t, s.commitFrom(t, chrome, film("b", 603, -21)).Entries[0], viewing.StateDropped)
			if way == "edited" {
				s.edit(t, id, entry.Edit{Media: &alpha})
			} else {
				s.commitBatch(t, viewing.Batch{Source: living, Amendments: []viewing.Amendment{{EventID: "who", Media: []viewing.Media{alpha}, Reason: viewing.Say("named")}}})
			}
			if e := s.entry(t, id); e.State != want {
				t.Errorf("%s: it is %s (%s), want %s", way, e.State, e.Reason, want)
			}
		})
	}
}

func TestWatchlistEntryIsNoDuplicateOfAViewing(t *testing.T) {
	s := openNew(t)
	wish := viewing.Event{Kind: viewing.KindWatchlist, EventID: "w", Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}}}
	s.commitFrom(t, living, wish)
	wish.EventID = "v"
	s.commitFrom(t, chrome, wish)
	s.commitFrom(t, player, film("b", 603, 0))
	if counts := s.checkCounters(t); counts.Pending != 3 {
		t.Errorf("counts %+v", counts)
	}
}

func TestMergeKeepsTheEntryWithARequest(t *testing.T) {
	s := openNew(t)
	sent := s.commitFrom(t, living, film("a", 603, -600)).Entries[0]
	s.bringTo(t, sent, viewing.StateRejected)
	other := s.commitFrom(t, chrome, film("b", 603, -60)).Entries[0]
	s.edit(t, sent, entry.Edit{WatchedAt: viewing.At(noon().Add(-61 * time.Minute))})
	s.checkMerged(t, other, sent)
}
