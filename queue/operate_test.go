package queue

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// oneInEachState commits one entry for each state that a verb may apply to, and returns their ids
// by state.
func (o *opened) oneInEachState(t testing.TB) map[viewing.State]int64 {
	t.Helper()
	found := map[viewing.State]int64{}
	ends := []viewing.State{viewing.StateDelivered, viewing.StateRejected, viewing.StateInDoubt}
	for i, end := range ends {
		found[end] = o.commit(t, film(string(end), int64(1000+i), -60+i))[0].Entries[0]
	}
	for _, e := range o.due(t) {
		end := viewing.State(e.EventID)
		o.settle(t, Settlement{Entry: e.ID, Attempt: o.send(t, e), State: end, Reason: "so it went", RaiseRevision: end == viewing.StateRejected})
	}
	found[viewing.StateSending] = o.commit(t, film("sending", 2000, -30))[0].Entries[0]
	o.send(t, o.due(t)[0])
	found[viewing.StatePending] = o.commit(t, film("pending", 2001, -20))[0].Entries[0]
	found[viewing.StateHeld] = o.commit(t, unidentified("held"))[0].Entries[0]
	found[viewing.StateDropped] = o.commit(t, film("dropped", 2002, -10))[0].Entries[0]
	o.amend(t, viewing.Amendment{EventID: "dropped", Drop: true, Reason: viewing.Say("unmarked")})
	for state, id := range found {
		if got := o.entry(t, id).State; got != state {
			t.Fatalf("entry %d is %s, want %s", id, got, state)
		}
	}
	return found
}

// verbFunc applies a verb to a selection.
type verbFunc func(sel entry.Selection, dry bool) (entry.Changed, error)

func (o *opened) verbs(t testing.TB) map[string]verbFunc {
	verbs := map[string]verbFunc{}
	for _, verb := range []entry.Verb{entry.VerbRetry, entry.VerbHold, entry.VerbRelease, entry.VerbSend, entry.VerbRecheck, entry.VerbDrop} {
		verbs[string(verb)] = func(s entry.Selection, dry bool) (entry.Changed, error) { return o.order(t.Context(), verb, s, dry) }
	}
	return verbs
}

// TestVerbsApplyExactlyToTheirActions: a verb changes an entry if and only if it is among its
// actions, and otherwise the error has the state.
func TestVerbsApplyExactlyToTheirActions(t *testing.T) {
	do := map[entry.Verb]func(s *opened, id int64) error{
		entry.VerbMove: func(s *opened, id int64) error {
			did, err := s.Move(t.Context(), []int64{id}, "another", false)
			if err == nil && did.Changed == 0 {
				err = errors.New("it had gone with its list")
			}
			return err
		},
		entry.VerbUndo: func(s *opened, id int64) error {
			_, err := s.RecordUndo(t.Context(), id)
			return err
		},
		entry.VerbSettle: func(s *opened, id int64) error {
			_, err := s.settleByHand(t.Context(), entry.Selection{IDs: []int64{id}}, viewing.StateDelivered, false)
			return err
		},
		entry.VerbFix: func(s *opened, id int64) error {
			_, err := s.Correct(t.Context(), CorrectionRequest{Entry: id, Is: theFilm(603)})
			return err
		},
	}
	for _, verb := range entry.Verbs() {
		if verb == entry.VerbEdit {
			continue // what may be edited depends on the edit
		}
		s := openNew(t)
		wish := viewing.Event{Kind: viewing.KindWatchlist, EventID: "wish", Media: film("", 3000, 0).Media}
		found := s.oneInEachState(t)
		for _, id := range s.commitIDs(t, wish, aList("list"), anItem("item", "list", 7), film("refused", 3001, -5)) {
			found[viewing.State(fmt.Sprint("entry ", id))] = id
			if e := s.entry(t, id); e.EventID == "wish" || e.EventID == "refused" {
				state := map[string]viewing.State{"wish": viewing.StateDelivered, "refused": viewing.StatePending}[e.EventID]
				s.settle(t, Settlement{Entry: id, Attempt: s.send(t, e), State: state})
			}
		}
		for what, id := range found {
			s.clock.advance(time.Minute)
			e := s.entry(t, id)
			if (verb == entry.VerbRetry || verb == entry.VerbSend) && e.State == viewing.StatePending {
				continue // one that is due already stays as it is
			}
			act := do[verb]
			if act == nil {
				act = func(s *opened, id int64) error {
					_, err := s.verbs(t)[string(verb)](entry.Selection{IDs: []int64{id}}, false)
					return err
				}
			}
			var refusal *StateError
			fits, err := slices.Contains(e.Actions(s.clock.now()), verb), act(s, id)
			after := s.entry(t, id)
			switch ends := map[entry.Verb]viewing.State{entry.VerbHold: viewing.StateHeld, entry.VerbDrop: viewing.StateDropped, entry.VerbRetry: viewing.StatePending}; {
			case fits != (err == nil):
				t.Errorf("%s of %s, which is %s: %v, and among its actions: %v", verb, what, e.State, err, fits)
			case fits && ends[verb] != "" && after.State != ends[verb]:
				t.Errorf("%s of what is %s: it is %s", verb, e.State, after.State)
			case !fits && verb != entry.VerbMove && (!errors.As(err, &refusal) || !errors.Is(err, entry.ErrState) || refusal.State != e.State || refusal.ID != id || !cmp.Equal(e, after)):
				t.Errorf("%s of what is %s: %v, want a refusal that changes nothing: %s", verb, e.State, err, cmp.Diff(e, after))
			}
			if verb == entry.VerbUndo && e.Kind == viewing.KindWatchlist && fits {
				t.Error("the service can take back viewings only")
			}
		}
	}
}

// TestSendAllLeavesHeldEntries: a held entry is sent only if its id, state or reason is selected.
func TestSendAllLeavesHeldEntries(t *testing.T) {
	for name, c := range map[string]struct {
		sel  entry.Selection
		want viewing.State
	}{
		"all":         {entry.Selection{All: true}, viewing.StateHeld},
		"its account": {entry.Selection{Filter: entry.Filter{Account: "default"}}, viewing.StateHeld},
		"its id":      {entry.Selection{IDs: []int64{1}}, viewing.StatePending},
		"its state":   {entry.Selection{Filter: entry.Filter{State: viewing.StateHeld}}, viewing.StatePending},
		"its reason":  {entry.Selection{Filter: entry.Filter{Reason: viewing.ReasonUser}}, viewing.StatePending},
	} {
		s := openNew(t)
		id := s.commit(t, film("a", 603, -20))[0].Entries[0]
		_, err := s.order(t.Context(), entry.VerbHold, entry.Selection{IDs: []int64{id}}, false)
		if err == nil {
			_, err = s.order(t.Context(), entry.VerbSend, c.sel, false)
		}
		if err != nil {
			t.Fatal(err)
		}
		if e := s.entry(t, id); e.State != c.want {
			t.Errorf("%s: it is %s, want %s", name, e.State, c.want)
		}
	}
}

func TestVerbOnIDsIsAtomic(t *testing.T) {
	s := openNew(t)
	found := s.oneInEachState(t)
	for _, other := range []int64{found[viewing.StateDelivered], 999} {
		if _, err := s.order(t.Context(), entry.VerbDrop, entry.Selection{IDs: []int64{found[viewing.StatePending], other}}, false); err == nil {
			t.Fatalf("dropped %d", other)
		}
		if e := s.entry(t, found[viewing.StatePending]); e.State != viewing.StatePending {
			t.Errorf("entry is %s although the command failed", e.State)
		}
	}
	if _, err := s.order(t.Context(), entry.VerbDrop, entry.Selection{IDs: []int64{999}}, false); !errors.Is(err, entry.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestEmptySelectionIsRejected(t *testing.T) {
	s := openNew(t)
	s.oneInEachState(t)
	before := s.checkCounters(t)
	for name, verb := range s.verbs(t) {
		for _, sel := range []entry.Selection{
			{},
			{MayDouble: true},
			{IDs: []int64{}},
			{IDs: []int64{1}, All: true},
			{IDs: []int64{1}, Filter: entry.Filter{Account: "default"}},
			{Filter: entry.Filter{Limit: 5}},
		} {
			if _, err := verb(sel, false); !errors.Is(err, entry.ErrSelection) {
				t.Errorf("%s %+v: %v", name, sel, err)
			}
		}
		if _, err := verb(entry.Selection{Filter: entry.Filter{State: viewing.StateDelivered}}, false); !errors.Is(err, entry.ErrState) {
			t.Errorf("%s of what is delivered: %v", name, err)
		}
		if _, err := verb(entry.Selection{Filter: entry.Filter{State: "lost"}}, false); !errors.Is(err, entry.ErrState) {
			t.Errorf("%s with an unknown state: %v", name, err)
		}
	}
	if after := s.checkCounters(t); after != before {
		t.Errorf("counts %+v, before %+v", after, before)
	}
}

func TestDryRunReportsAndChangesNothing(t *testing.T) {
	for _, sel := range []entry.Selection{{All: true}, {Filter: entry.Filter{Account: "default"}}, {Filter: entry.Filter{Source: "browser", Before: noon().Add(time.Hour)}}} {
		s := openNew(t)
		// Nothing is under way: opening the copy would put that in doubt.
		s.settle(t, Settlement{Entry: s.oneInEachState(t)[viewing.StateSending], Attempt: 1, State: viewing.StateDelivered})
		nudges, stop := s.Subscribe()
		defer stop()
		for name, verb := range s.verbs(t) {
			before, err := s.Entries(t.Context(), entry.Filter{})
			if err != nil {
				t.Fatal(err)
			}
			would, err := verb(sel, true)
			if err != nil {
				t.Fatal(err)
			}
			after, err := s.Entries(t.Context(), entry.Filter{})
			if diff := cmp.Diff(before, after); err != nil || diff != "" {
				t.Errorf("dry %s: %v\n%s", name, err, diff)
			}
			select {
			case <-nudges:
				t.Errorf("dry %s nudged", name)
			default:
			}
			copied := s.copied(t)
			did, err := copied.verbs(t)[name](sel, false)
			if !would.DryRun || did.DryRun || string(did.Verb) != name {
				t.Errorf("dry %s: %+v, then %+v", name, would, did)
			}
			would.DryRun = false
			if diff := cmp.Diff(would, did); err != nil || diff != "" {
				t.Errorf("%s differs from its dry run: %v\n%s", name, err, diff)
			}
			copied.checkCounters(t)
		}
	}
}

// copied opens a second store with the same content.
func (o *opened) copied(t testing.TB) *opened {
	t.Helper()
	path := t.TempDir() + "/queue.db"
	if _, err := o.reader.Exec("VACUUM INTO ?", path); err != nil {
		t.Fatal(err)
	}
	return open(t, path, o.clock)
}

// TestEachFilterSelectsMatchingEntries tests every filter with one entry that matches and one
// that does not.
func TestEachFilterSelectsMatchingEntries(t *testing.T) {
	for name, sel := range map[string]entry.Filter{
		"state": {State: viewing.StateRejected}, "reason": {Reason: "too old"}, "account": {Account: "second"},
		"source": {Source: "browser:b2"}, "kind": {Kind: viewing.KindWatchlist}, "before": {Before: noon().Add(-time.Hour)},
		"two": {State: viewing.StateRejected, Account: "second"},
	} {
		t.Run(name, func(t *testing.T) {
			s := openNew(t)
			s.commit(t, film("other", 1, -1))
			v := film("mine", 2, -120)
			if name == "kind" {
				v.Kind, v.WatchedAt, v.Count = viewing.KindWatchlist, viewing.Instant{}, 0
			}
			mine := s.commitBatch(t, viewing.Batch{Source: "browser:b2", Events: []viewing.Event{v}})[0].Entries[0]
			if sel.State != "" || sel.Reason != "" {
				e := s.dueOf(t, "second")[0]
				s.settle(t, Settlement{Entry: mine, Attempt: s.send(t, e), State: viewing.StateRejected, Reason: "too old"})
			}
			did, err := s.order(t.Context(), entry.VerbDrop, entry.Selection{Filter: sel}, false)
			if err != nil || !slices.Equal(did.IDs, []int64{mine}) || did.Changed != 1 {
				t.Errorf("dropped %+v (%v), want only %d", did, err, mine)
			}
			if counts := s.checkCounters(t); counts != (entry.Counts{Pending: 1, Dropped: 1}) {
				t.Errorf("counts %+v", counts)
			}
		})
	}
}

func TestVerbsProcessAllPages(t *testing.T) {
	s := openNew(t)
	const n = 2*operationPage + 7
	batch := viewing.Batch{Source: "browser:b1"}
	for i := range n {
		v := film(fmt.Sprint("e", i), int64(i+1), -i-1)
		v.Class = viewing.ClassBulk
		batch.Events = append(batch.Events, v)
	}
	s.commitBatch(t, batch)
	for _, dry := range []bool{true, false} {
		did, err := s.order(t.Context(), entry.VerbRelease, entry.Selection{Filter: entry.Filter{Reason: "bulk"}}, dry)
		if err != nil || did.Changed != n || did.From[viewing.StateHeld] != n || len(did.IDs) != maxNamed {
			t.Fatalf("released %d of %d, %d named (%v)", did.Changed, n, len(did.IDs), err)
		}
	}
	if counts := s.checkCounters(t); counts != (entry.Counts{Pending: n}) {
		t.Errorf("counts %+v", counts)
	}
}

// TestBeginFailsAfterAnEdit: also if the entry is pending again.
func TestBeginFailsAfterAnEdit(t *testing.T) {
	for name, change := range map[string]func(*opened, entry.Selection) error{
		"hold": func(s *opened, sel entry.Selection) error {
			_, err := s.order(t.Context(), entry.VerbHold, sel, false)
			return err
		},
		"edit": func(s *opened, sel entry.Selection) error {
			_, err := s.Edit(t.Context(), sel.IDs[0], entry.Edit{Media: movie(5)})
			return err
		},
		"drop": func(s *opened, sel entry.Selection) error {
			_, err := s.order(t.Context(), entry.VerbDrop, sel, false)
			return err
		},
	} {
		s := openNew(t)
		s.commit(t, film("e1", 603, -10))
		e := s.due(t)[0]
		if err := change(s, entry.Selection{IDs: []int64{e.ID}}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Begin(t.Context(), e); !errors.Is(err, ErrChanged) {
			t.Errorf("sent after %s: %v", name, err)
		}
	}
}

func TestRetryRaisesTheRevisionOfRejectedEntriesOnly(t *testing.T) {
	s := openNew(t)
	found := s.oneInEachState(t)
	for state, raised := range map[viewing.State]int{viewing.StateRejected: 1, viewing.StateInDoubt: 0} {
		before := s.entry(t, found[state])
		if _, err := s.order(t.Context(), entry.VerbRetry, entry.Selection{IDs: []int64{before.ID}, MayDouble: true}, false); err != nil {
			t.Fatal(err)
		}
		after := s.entry(t, before.ID)
		if after.State != viewing.StatePending || after.Reason != "" || !after.SettledAt.IsZero() || after.Revision != before.Revision+raised {
			t.Errorf("%s became %+v", state, after)
		}
	}
}

func TestSettleByHandOnlyInDoubt(t *testing.T) {
	for _, as := range []viewing.State{viewing.StateDelivered, viewing.StateRejected, viewing.StateDropped} {
		s := openNew(t)
		id := s.oneInEachState(t)[viewing.StateInDoubt]
		_, err := s.settleByHand(t.Context(), entry.Selection{IDs: []int64{id}}, as, false)
		if got := s.entry(t, id); err != nil || got.State != as || got.Reason != "user" || got.SettledAt.IsZero() {
			t.Errorf("settled as %s: %+v (%v)", as, got, err)
		}
		s.checkCounters(t)
	}
	s := openNew(t)
	doubt := s.oneInEachState(t)[viewing.StateInDoubt]
	if _, err := s.settleByHand(t.Context(), entry.Selection{IDs: []int64{doubt}}, viewing.StatePending, false); !errors.Is(err, entry.ErrState) {
		t.Errorf("settled as pending: %v", err)
	}
	for _, dry := range []bool{true, false} {
		did, err := s.settleByHand(t.Context(), entry.Selection{Filter: entry.Filter{State: viewing.StateInDoubt}}, viewing.StateDelivered, dry)
		if got := s.entry(t, doubt); err != nil || did.Changed != 1 || (got.State == viewing.StateInDoubt) != dry {
			t.Errorf("settled all (dry %v): %+v, %v; it is %s", dry, did, err, got.State)
		}
	}
}

// TestFutureEntryCannotBeReleased: neither by id nor by filter, until its time has come or is
// corrected.
func TestFutureEntryCannotBeReleased(t *testing.T) {
	s := openNew(t)
	ids := s.commitIDs(t, film("e1", 1, 600), film("e2", 2, 600), film("e3", 3, 600))
	var state *StateError
	if _, err := s.order(t.Context(), entry.VerbRelease, entry.Selection{IDs: ids[:1]}, false); !errors.As(err, &state) || state.Reason != viewing.ReasonFuture {
		t.Errorf("by its id: %v", err)
	}
	did, err := s.order(t.Context(), entry.VerbRelease, entry.Selection{All: true}, false)
	if err != nil || did.Changed != 0 || did.Left["future"] != 3 {
		t.Errorf("all: %+v, %v", did, err)
	}
	// Held by the user's hand it is no nearer.
	s.edit(t, ids[0], entry.Edit{WatchedAt: viewing.At(noon())})
	s.clock.advance(700 * time.Minute)
	did, err = s.order(t.Context(), entry.VerbRelease, entry.Selection{All: true}, false)
	if err != nil || did.Changed != 2 {
		t.Errorf("when its time has come: %+v, %v", did, err)
	}
}

// TestEditToAnIMDbNumber: the entry is held until a lookup has identified it, whatever its state
// was.
func TestEditToAnIMDbNumber(t *testing.T) {
	s := openNew(t)
	ids := s.commitIDs(t, film("e1", 1, -50))
	m := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{IMDB: "tt0133093"}}
	e, err := s.Edit(t.Context(), ids[0], entry.Edit{Media: &m})
	if err != nil || e.State != viewing.StateHeld || e.Reason != viewing.ReasonUnresolved {
		t.Fatalf("%+v, %v", e, err)
	}
	asked, err := s.Lookups(t.Context(), "default", 10)
	if err != nil || len(asked) != 1 || asked[0].Entry.ID != ids[0] {
		t.Fatalf("asked about %+v, %v", asked, err)
	}
	known := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603, IMDB: "tt0133093"}}
	if err := s.RecordLookups(t.Context(), []LookupResult{{Lookup: asked[0], Media: &known, Why: viewing.Say("text", "text", "It is 603.")}}); err != nil {
		t.Fatal(err)
	}
	if e := s.entry(t, ids[0]); e.State != viewing.StatePending || e.Media.IDs.TMDB != 603 {
		t.Errorf("resolved: %+v", e)
	}
	bare := viewing.Media{Type: viewing.Movie}
	if _, err := s.Edit(t.Context(), ids[0], entry.Edit{Media: &bare}); !errors.Is(err, viewing.ErrInvalid) {
		t.Errorf("without any identifier: %v", err)
	}
}

// TestDroppedEntryCanBeRestored: by its id only. An entry that was never sent is pending again,
// one that may have arrived is in doubt again, and none becomes two requests.
func TestDroppedEntryCanBeRestored(t *testing.T) {
	s := openNew(t)
	ids := s.commitIDs(t, film("e1", 1, -50), film("e2", 2, -40), film("e3", 3, -30), film("e4", 4, -20), film("e5", 5, 600))
	s.settle(t, Settlement{Entry: ids[1], Attempt: s.sendOne(t, ids[1]), State: viewing.StateInDoubt})
	s.settle(t, Settlement{Entry: ids[2], Attempt: s.sendOne(t, ids[2]), State: viewing.StateRejected, Answer: Answer{Status: 422}})
	s.settle(t, Settlement{Entry: ids[3], Attempt: s.sendOne(t, ids[3]), State: viewing.StateDelivered, Answer: Answer{Status: 200}})
	s.do(t, entry.VerbDrop, ids[0], ids[1], ids[2], ids[4])
	if _, err := s.RecordUndo(t.Context(), ids[3]); err != nil {
		t.Fatal(err)
	}
	revision := s.entry(t, ids[2]).Revision
	did, err := s.order(t.Context(), entry.VerbRelease, entry.Selection{Filter: entry.Filter{State: viewing.StateDropped}}, false)
	if err != nil || did.Changed != 0 || did.Left["withdrawn"] != 5 {
		t.Errorf("by a filter: %+v, %v", did, err)
	}
	did, err = s.order(t.Context(), entry.VerbRelease, entry.Selection{IDs: ids}, false)
	if err != nil || did.Changed != 5 || did.From[viewing.StateDropped] != 5 {
		t.Fatalf("by their ids: %+v, %v", did, err)
	}
	for i, want := range []viewing.State{viewing.StatePending, viewing.StateInDoubt, viewing.StatePending, viewing.StatePending, viewing.StateHeld} {
		if e := s.entry(t, ids[i]); e.State != want {
			t.Errorf("entry %d is %s (%s), want %s", i, e.State, e.Reason, want)
		}
	}
	if e := s.entry(t, ids[2]); e.Revision != revision+1 {
		t.Error("what was refused before goes as the same act")
	}
	doubts, err := s.Doubts(t.Context(), "default")
	if err != nil || len(doubts) != 1 || doubts[0].Entry.ID != ids[1] {
		t.Errorf("looked for: %+v, %v", doubts, err)
	}
}
