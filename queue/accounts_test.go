package queue

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// openTwoAccounts opens a store of two accounts. The browser feeds both, Kodi feeds Anna's, the
// program Ben's, and the command line both in the other order.
func openTwoAccounts(t testing.TB) *opened {
	return openTwoAccountsAt(t, filepath.Join(t.TempDir(), "q.db"))
}

func openTwoAccountsAt(t testing.TB, path string) *opened {
	c := newClock()
	s, err := openAt(t.Context(), Options{Path: path, Settings: rules.Settings{Routes: map[string][]string{
		chrome: {"anna", "ben"}, living: {"anna"}, player: {"ben"}, viewing.SourceCLI: {"ben", "anna"},
	}}}, c.now)
	if err != nil {
		t.Fatal(err)
	}
	return runStore(t, s, c)
}

// stateRows returns the item, account and state of each entry, the oldest first.
func (o *opened) stateRows(t testing.TB) (rows []string) {
	t.Helper()
	list, err := o.Entries(t.Context(), entry.Filter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range slices.Backward(list) {
		rows = append(rows, fmt.Sprintf("%d %s.%d %s %s", e.ID, e.EventID, e.Part, e.Account, strings.TrimSpace(string(e.State)+" "+e.Reason)))
	}
	return rows
}

func (o *opened) wantStateRows(t testing.TB, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, o.stateRows(t)); diff != "" {
		t.Error(diff)
	}
}

// moveEntries moves entries to an account without an error.
func (o *opened) moveEntries(t testing.TB, account string, ids ...int64) entry.Changed {
	t.Helper()
	did, err := o.Move(t.Context(), ids, account, false)
	if err != nil {
		t.Fatal(err)
	}
	return did
}

// wantMoveRefused checks that a move fails with an error that contains words.
func (o *opened) wantMoveRefused(t testing.TB, account string, id int64, words string) {
	t.Helper()
	before := o.stateRows(t)
	var state *StateError
	_, err := o.Move(t.Context(), []int64{id}, account, false)
	if !errors.As(err, &state) || !strings.Contains(err.Error(), words) {
		t.Errorf("entry %d to %s: %v, want %q", id, account, err, words)
	}
	o.wantStateRows(t, before...)
}

// deliver sends all due entries of an account.
func (o *opened) deliver(t testing.TB, account string) (sent []Entry) {
	t.Helper()
	for {
		ready := o.dueOf(t, account)
		if len(ready) == 0 {
			return sent
		}
		for _, e := range ready {
			o.settle(t, Settlement{Entry: e.ID, Attempt: o.send(t, e), State: viewing.StateDelivered})
			sent = append(sent, e)
		}
	}
}

// TestAnEventBecomesAnEntryInEachAccount: the entries of the accounts are sent, merged, corrected
// and dropped independently.
func TestAnEventBecomesAnEntryInEachAccount(t *testing.T) {
	s := openTwoAccounts(t)
	double := film("b", 603, -60)
	double.Media = append(double.Media, viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 604}})
	if o := s.commitFrom(t, chrome, double); !slices.Equal(o.Entries, []int64{1, 2, 3, 4}) || o.Status != viewing.StatusQueued {
		t.Errorf("%+v", o)
	}
	if o := s.commitFrom(t, chrome, double); !slices.Equal(o.Entries, []int64{1, 2, 3, 4}) || o.Status != viewing.StatusDuplicate {
		t.Errorf("committed again: %+v", o)
	}
	s.wantStateRows(t, "1 b.0 anna pending", "2 b.1 anna pending", "3 b.0 ben pending", "4 b.1 ben pending")
	if steps := s.explained(t, 3).Steps; steps[0].Code != "rule.route" || steps[0].Args["accounts"] != "anna, ben" {
		t.Errorf("%+v", steps)
	}
	if sent := s.deliver(t, "ben"); len(sent) != 2 {
		t.Errorf("sent %v", ids(sent))
	}
	// Kodi is Anna's: what it saw joins hers, whose word does not touch Ben's.
	if o := s.commitFrom(t, living, film("k", 603, -58)); !slices.Equal(o.Entries, []int64{1}) {
		t.Errorf("%+v", o)
	}
	s.do(t, entry.VerbDrop, 2)
	s.wantStateRows(t, "1 b.0 anna pending", "2 b.1 anna dropped user", "3 b.0 ben delivered", "4 b.1 ben delivered")
	// The program's is Ben's: another event of two accounts is divided.
	s.commitFrom(t, player, film("p", 605, -60))
	if o := s.commitFrom(t, viewing.SourceCLI, film("c", 605, -60)); o.Status != viewing.StatusQueued {
		t.Errorf("%+v", o)
	}
	s.wantStateRows(t, "1 b.0 anna pending", "2 b.1 anna dropped user", "3 b.0 ben delivered", "4 b.1 ben delivered",
		"5 p.0 ben pending", "6 c.0 anna pending")
	s.checkCounters(t)
}

// TestAListExistsInEachAccount: an item is added to the list in both accounts, even if its source
// has another route by now.
func TestAListExistsInEachAccount(t *testing.T) {
	s := openTwoAccounts(t)
	s.commit(t, aList("l"), anItem("i", "l", 603))
	s.wantStateRows(t, "1 l.0 anna pending", "2 l.0 ben pending", "3 i.0 anna pending", "4 i.0 ben pending")
	if a, b := s.entry(t, 3).After, s.entry(t, 4).After; a != 1 || b != 2 {
		t.Errorf("they wait for %d and %d", a, b)
	}
	s.wantMoveRefused(t, "ben", 3, "fault.withList id=1")
	s.wantMoveRefused(t, "ben", 1, "fault.otherHas id=2 name=ben")
	s.do(t, entry.VerbDrop, 2)
	s.commit(t, anItem("j", "l", 604))
	s.wantStateRows(t, "1 l.0 anna pending", "2 l.0 ben dropped user", "3 i.0 anna pending", "4 i.0 ben dropped list_dropped",
		"5 j.0 anna pending", "6 j.0 ben dropped list_dropped")
	// A list that is one person's takes its items along.
	s.commitBatch(t, viewing.Batch{Source: living, Events: []viewing.Event{aList("k"), anItem("n", "k", 0)}})
	if did := s.moveEntries(t, "ben", 7); did.Changed != 1 {
		t.Errorf("%+v", did)
	}
	if e := s.entry(t, 8); e.Account != "ben" || e.After != 7 {
		t.Errorf("%+v", e)
	}
	waiting, err := s.Lookups(t.Context(), "ben", 10)
	if err != nil || len(waiting) != 1 || waiting[0].Entry.ID != 8 {
		t.Errorf("Ben's service is asked about %+v, %v", waiting, err)
	}
	s.commitBatch(t, viewing.Batch{Source: living, Events: []viewing.Event{anItem("m", "k", 605)}})
	if e := s.entry(t, 9); e.Account != "ben" || e.After != 7 {
		t.Errorf("an item that comes later: %+v", e)
	}
	s.checkCounters(t)
	s.checkLookups(t)
}

// TestMovedEntryIsSentByTheNewAccountOnly: it keeps its events and steps.
func TestMovedEntryIsSentByTheNewAccountOnly(t *testing.T) {
	s := openTwoAccounts(t)
	s.commitFrom(t, living, film("k", 603, -60))
	ready := s.dueOf(t, "anna")
	if would, err := s.Move(t.Context(), []int64{1}, "ben", true); err != nil || would.Changed != 1 {
		t.Errorf("%+v, %v", would, err)
	}
	s.wantStateRows(t, "1 k.0 anna pending")
	if did := s.moveEntries(t, "ben", 1); did.Changed != 1 || did.From[viewing.StatePending] != 1 {
		t.Errorf("%+v", did)
	}
	if did := s.moveEntries(t, "ben", 1); did.Changed != 0 {
		t.Errorf("it is there already: %+v", did)
	}
	if _, err := s.Begin(t.Context(), ready[0]); !errors.Is(err, ErrChanged) {
		t.Errorf("what Anna's loop had in hand leaves: %v", err)
	}
	x := s.explained(t, 1)
	if last := x.Steps[len(x.Steps)-1]; x.EventID != "k" || last.Code != "user.moved" || last.Args["before"] != "anna" {
		t.Errorf("%+v", x)
	}
	// Its source still corrects it, for a move says nothing about what it is.
	s.commitBatch(t, viewing.Batch{Source: living, Amendments: []viewing.Amendment{{
		EventID: "k", Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 604}}}, Reason: viewing.Say("It was another film."),
	}}})
	if sent := s.deliver(t, "anna"); len(sent) != 0 {
		t.Errorf("Anna got %v", ids(sent))
	}
	if sent := s.deliver(t, "ben"); len(sent) != 1 || sent[0].Media.IDs.TMDB != 604 {
		t.Errorf("Ben got %v", sent)
	}
	s.wantMoveRefused(t, "anna", 1, "it is delivered")
	s.commitFrom(t, chrome, film("b", 605, -60))
	s.wantMoveRefused(t, "ben", 2, "fault.otherHas id=3 name=ben")
	e := s.dueOf(t, "anna")[0]
	s.settle(t, Settlement{Entry: 2, Attempt: s.send(t, e), State: viewing.StatePending})
	s.wantMoveRefused(t, "kim", 2, "fault.mayHaveLeft")
	if _, err := s.Move(t.Context(), nil, "ben", false); !errors.Is(err, entry.ErrSelection) {
		t.Errorf("without ids: %v", err)
	}
}

// TestMovedEntryIsMergedWithTheSamePlayback: an entry joins the one of its new account that tells
// of the same playback.
func TestMovedEntryIsMergedWithTheSamePlayback(t *testing.T) {
	for _, tt := range []struct {
		name      string
		hers, his viewing.Event
		want      string // of his entry
		merged    bool
	}{
		{"both wait", film("k", 603, -60), film("p", 603, -50), "pending", true},
		{"his is held", film("k", 603, -60), withClass(viewing.ClassBulk, film("p", 603, -50)), "pending", true},
		{"hers is held", withClass(viewing.ClassReview, film("k", 603, -60)), film("p", 603, -50), "pending", true},
		{"another time", film("k", 603, -60), film("p", 603, -400), "pending", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := openTwoAccounts(t)
			s.commitFrom(t, living, tt.hers)
			s.commitFrom(t, player, tt.his)
			s.moveEntries(t, "ben", 1)
			rows := s.stateRows(t)
			if strings.HasSuffix(rows[0], "ben merged seen_twice") != tt.merged || rows[1] != "2 p.0 ben "+tt.want {
				t.Errorf("moved: %v", rows)
			}
			if events := s.explained(t, 2).Events; (len(events) == 2) != tt.merged {
				t.Errorf("his was seen so: %+v", events)
			}
			s.checkCounters(t)
		})
	}
}

// TestAPlaybackCountsOnceInTheStatistics: as long as any account keeps an entry of it.
func TestAPlaybackCountsOnceInTheStatistics(t *testing.T) {
	s := openTwoAccounts(t)
	s.commit(t, film("one", 1, -60))
	counts := func(want int, when string) {
		t.Helper()
		if year, err := s.Year(t.Context(), 2026, time.UTC); err != nil || year.Sum.Films != want {
			t.Errorf("%s: %d viewings count, want %d, %v", when, year.Sum.Films, want, err)
		}
	}
	counts(1, "in both")
	s.do(t, entry.VerbDrop, 1)
	counts(1, "dropped in one")
	s.do(t, entry.VerbDrop, 2)
	counts(0, "dropped in both")
	s.do(t, entry.VerbSend, 2)
	counts(1, "sent again in one")
	s.do(t, entry.VerbSend, 1)
	counts(1, "sent again in both")
}
