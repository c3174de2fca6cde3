package queue

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// rot changes bytes of a file as a failing disk does: every place of was
// becomes is, of the same length.
func rot(t testing.TB, path, was, is string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(was) != len(is) || !bytes.Contains(content, []byte(was)) {
		t.Fatalf("%s does not hold %q", path, was)
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(content, []byte(was), []byte(is)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A flipped byte inside a row is what SQLite does not find.
func TestARowThatRottedIsNeverSent(t *testing.T) {
	tests := map[string]struct{ was, is string }{
		"item":             {`"tmdb":1001}`, `"tmdb":1009}`},
		"text":             {`"title":"Rotten"`, `"title":"Rotted"`},
		"broken JSON":      {`"tmdb":1001}`, `"tmdb":100}}`},
		"event":            {"rotting-id", "rotten-idx"},
		"time as it stood": {"2026-03-01T11:59:00", "2026-03-01T11:58:00"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := fresh(t)
			bad := film("rotting-id", 1001, -1)
			bad.Media[0].Title = "Rotten"
			bad.WatchedAt.Text = "2026-03-01T11:59:00Z"
			good := film("e2", 1002, -2)
			id := s.commitIDs(t, bad, good)
			s.stop()
			rot(t, s.path, tt.was, tt.is)
			s = open(t, s.path, s.clock)
			leased := append(s.lease(t), s.lease(t)...)
			if !slices.Equal(ids(leased), id[1:]) {
				t.Fatalf("leased %v, want only %v", ids(leased), id[1:])
			}
			x := s.explained(t, id[0])
			if !x.Entry.Damaged {
				t.Errorf("explained as whole: %+v", x.Entry)
			}
			if x.Entry.State != viewing.StateHeld || x.Entry.Reason != viewing.ReasonDamaged || !strings.Contains(x.Steps[len(x.Steps)-1].Detail, "not what was written") {
				t.Errorf("held as %+v, steps %+v", x.Entry, x.Steps)
			}
			s.checkCounters(t)
			if _, err := s.ReleaseHeld(t.Context(), entry.Selection{IDs: id[:1]}, false); err == nil && len(s.lease(t)) != 0 {
				t.Error("leased after a release: a person's word does not mend a row")
			}
		})
	}
}

// Whatever changes an entry by right keeps it whole; what was damaged before
// does not become whole by a change.
func TestTheSumFollowsWhatIsWrittenByRight(t *testing.T) {
	s := fresh(t)
	id := s.commitIDs(t, film("e1", 1001, -1), film("e2", 2, -2))
	s.commitBatch(t, viewing.Batch{Source: "browser:b1", Amendments: []viewing.Amendment{
		{EventID: "e2", Media: film("", 3, 0).Media, Reason: "mistaken"},
	}})
	if _, err := s.Edit(t.Context(), id[0], entry.Edit{Media: &viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 1003}}}); err != nil {
		t.Fatal(err)
	}
	for _, id := range id {
		if x := s.explained(t, id); x.Entry.Damaged || x.Entry.Revision != 1 {
			t.Errorf("entry %+v", x.Entry)
		}
	}
	s.stop()
	rot(t, s.path, `"tmdb":1003}`, `"tmdb":1009}`)
	s = open(t, s.path, s.clock)
	s.change(t, "UPDATE entries SET revision = revision + 1")
	if !s.explained(t, id[0]).Entry.Damaged || s.explained(t, id[1]).Entry.Damaged {
		t.Error("a change made a damaged row whole, or a whole one damaged")
	}
}

// Of many entries of one item all but the first wait for their turn: they must
// cost a lease nothing.
func TestABacklogOfOneItemDoesNotSlowLeases(t *testing.T) {
	many := 20_000
	if testing.Short() {
		many = 2_000
	}
	s := fresh(t)
	for n := 0; n < many; n += 1_000 {
		var batch []viewing.Event
		for i := n; i < n+1_000; i++ {
			batch = append(batch, film(fmt.Sprint("same", i), 7, i-30_000))
		}
		s.commit(t, batch...)
	}
	others := s.commitIDs(t, film("other1", 8, -1), film("other2", 9, -1))
	begun := time.Now()
	if leased := append(s.lease(t), s.lease(t)...); len(leased) != 3 || !slices.Equal(ids(leased)[1:], others) {
		t.Fatalf("leased %v", ids(leased))
	}
	first := time.Since(begun)
	looked := func() (n int) {
		t.Helper()
		err := s.reader.QueryRow("SELECT count(*) FROM entries WHERE state = 'pending' AND behind = 0").Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := looked(); n != 3 {
		t.Errorf("the next lease would look at %d entries", n)
	}
	s = s.reopen(t)
	for turn := range 5 {
		begun = time.Now()
		leased := s.lease(t)
		took := time.Since(begun)
		if len(leased) == 0 || leased[0].EventID != fmt.Sprint("same", turn) {
			t.Fatalf("turn %d: leased %+v", turn, leased)
		}
		s.settle(t, Settlement{Entry: leased[0].ID, Attempt: s.send(t, leased[0]), State: viewing.StateDelivered})
		if n := looked(); n > 3 {
			t.Errorf("turn %d: %d entries to look at", turn, n)
		}
		t.Logf("first lease %v, turn %d %v", first, turn, took)
	}
	s.checkCounters(t)
}
