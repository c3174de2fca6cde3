package queue

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// copyHistory copies the history and returns what was copied and what was skipped.
func (o *opened) copyHistory(t testing.TB, from, to string, dry bool) (text string) {
	t.Helper()
	counts := map[string]int{}
	err := o.CopyHistory(t.Context(), from, to, dry, func(e Entry, known bool) {
		counts[fmt.Sprint(e.Kind, " ", known)]++
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(counts)
}

// watchlistEntry returns an event for the watchlist.
func watchlistEntry(id string, tmdb int64) viewing.Event {
	return viewing.Event{Kind: viewing.KindWatchlist, EventID: id, Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: tmdb}}}}
}

// TestCopyHistory: delivered entries are copied once, however often it is called, to be sent
// after live entries and the oldest first. Entries that the other account has from another
// source, list or watchlist are skipped.
func TestCopyHistory(t *testing.T) {
	s := openTwoAccounts(t)
	double := film("double", 2, -50)
	double.Count = 2
	noir := aList("noir")
	empty := aList("empty")
	empty.List = &viewing.List{Name: "Empty"}
	s.commitBatch(t, viewing.Batch{Source: living, Events: []viewing.Event{
		film("one", 1, -60), double, watchlistEntry("true", 3), watchlistEntry("wish", 4), watchlistEntry("both", 5), noir, anItem("item", "noir", 7), empty,
		film("seen by both", 6, -40), film("joint", 11, -30),
	}})
	s.commit(t, film("joint too", 11, -28))
	s.deliver(t, "anna")
	s.clock.advance(time.Minute)
	s.commitBatch(t, viewing.Batch{Source: living, Events: []viewing.Event{film("came true", 3, 1)}})
	s.deliver(t, "anna")
	s.commitBatch(t, viewing.Batch{Source: living, Events: []viewing.Event{film("waits", 8, 1)}})
	s.commitBatch(t, viewing.Batch{Source: player, Events: []viewing.Event{film("same", 6, -35), watchlistEntry("both too", 5), film("live", 9, 1)}})
	s.commit(t, film("routed to both", 10, 1))

	before := s.stateRows(t)
	const want = "map[list false:2 list_item false:1 viewing false:4 viewing true:2 watchlist false:1 watchlist true:1]"
	if got := s.copyHistory(t, "anna", "ben", true); got != want {
		t.Errorf("a dry run: %s", got)
	}
	s.wantStateRows(t, before...)
	if got := s.copyHistory(t, "anna", "ben", false); got != want {
		t.Errorf("copied %s, want %s", got, want)
	}
	after := s.stateRows(t)
	if got := s.copyHistory(t, "anna", "ben", false); got != "map[list true:2 list_item true:1 viewing true:6 watchlist true:2]" {
		t.Errorf("again: %s", got)
	}
	s.wantStateRows(t, after...)
	added := after[len(before):]
	if len(added) != 8 {
		t.Errorf("%d copies: %q", len(added), added)
	}

	var order []string
	for _, e := range s.deliver(t, "ben") {
		order = append(order, fmt.Sprint(e.EventID, ".", e.Part))
	}
	if got := fmt.Sprint(order); got != "[same.0 joint too.0 both too.0 live.0 routed to both.0 one.0 double.0 wish.0 noir.0 empty.0 came true.0 double.1 item.0]" {
		t.Errorf("sent to ben: %s", got)
	}

	// Everything is shown and counted once.
	year, err := s.Year(t.Context(), 2026, time.UTC)
	if err != nil || year.Sum.Films != 10 {
		t.Errorf("%d viewings count, %v", year.Sum.Films, err)
	}
	for account, want := range map[string]int{"": 10, "anna": 8, "ben": 8} {
		all, err := s.Entries(t.Context(), entry.Filter{Kind: viewing.KindViewing, Kept: true, Account: account})
		if err != nil || len(all) != want {
			t.Errorf("%d viewings of %q are shown, want %d, %v", len(all), account, want, err)
		}
	}
	if x := s.explained(t, int64(len(before)+1)); x.Steps[0].Code != "user.copied" {
		t.Errorf("the first copy says %+v", x.Steps)
	}
}

// TestInterruptedCopyHistoryContinues: a second copy adds the rest, and no entry twice.
func TestInterruptedCopyHistoryContinues(t *testing.T) {
	s := openTwoAccounts(t)
	const n = 3*operationPage - 100
	past := viewing.Batch{Source: living}
	for i := range n {
		past.Events = append(past.Events, film(fmt.Sprint(i), int64(i+1), -i))
	}
	s.commitBatch(t, past)
	s.change(t, "UPDATE entries SET state = 'delivered'")
	ctx, cut := context.WithCancel(t.Context())
	copied := 0
	err := s.CopyHistory(ctx, "anna", "ben", false, func(Entry, bool) {
		if copied++; copied == operationPage+1 {
			cut()
		}
	})
	if !errors.Is(err, context.Canceled) || copied < operationPage || copied >= n {
		t.Errorf("cut after %d: %v", copied, err)
	}
	if got, want := s.copyHistory(t, "anna", "ben", false), fmt.Sprintf("map[viewing false:%d viewing true:%d]", n-copied, copied); got != want {
		t.Errorf("then %s, want %s", got, want)
	}
	if counts, err := s.CountsOf(t.Context()); err != nil || counts["ben"].Pending != n {
		t.Errorf("%+v, %v", counts["ben"], err)
	}
}
