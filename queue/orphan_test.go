package queue

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// told has the notices tell exactly one thing, with all of words in it.
func (o *opened) noticed(t testing.TB, words ...string) {
	t.Helper()
	notices, err := o.Notices(t.Context())
	if err != nil || len(notices) != 1 || notices[0].Hint == "" {
		t.Errorf("notices %+v, %v, want one with a hint", notices, err)
		return
	}
	for _, word := range words {
		if !strings.Contains(notices[0].Text, word) {
			t.Errorf("the notice says %q, want %q", notices[0].Text, word)
		}
	}
}

// all commits n films, one after the other, and returns their events.
func (o *opened) all(t testing.TB, prefix string, n int) []string {
	t.Helper()
	var events []string
	for i := range n {
		v := film(fmt.Sprint(prefix, i), int64(i+1), -i)
		v.Origin.Note = strings.Repeat("a note that makes the row long. ", i%7*40) // some need pages of their own
		o.commit(t, v)
		events = append(events, v.EventID)
	}
	return events
}

// SQLite discards a log whose database is missing or empty. Here it is read
// first, and what it has all of comes back as it was.
func TestALogWithoutItsDatabaseIsSaved(t *testing.T) {
	for name, empty := range map[string]func(path string) error{
		"missing": os.Remove,
		"empty":   func(path string) error { return os.Truncate(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			s := fresh(t)
			var batch []viewing.Event
			for i := range 200 {
				batch = append(batch, film(fmt.Sprint("e", i), int64(i+1), -i))
			}
			s.commit(t, batch[:50]...)
			s.commit(t, batch[50:]...)
			path, id := crashed(t, s), s.InstallationID()
			if err := empty(path); err != nil {
				t.Fatal(err)
			}
			log, err := os.ReadFile(path + "-wal")
			if err != nil {
				t.Fatal(err)
			}
			again := open(t, path, s.clock)
			states := again.states(t)
			for _, v := range batch {
				if states[v.EventID] != viewing.StatePending {
					t.Errorf("event %s was acknowledged and is %q", v.EventID, states[v.EventID])
				}
			}
			again.noticed(t, "missing or empty", "nothing is lost")
			if again.InstallationID() != id {
				t.Error("it became another installation")
			}
			again.checkCounters(t)
			again.quickCheck(t)
			kept, _ := filepath.Glob(path + ".damaged-*-wal")
			if len(kept) != 1 {
				t.Fatalf("set aside: %v", kept)
			}
			if same, err := os.ReadFile(kept[0]); err != nil || string(same) != string(log) {
				t.Errorf("the log that was set aside was changed, %v", err)
			}
		})
	}
}

// A log that was begun anew has only the pages that changed since. Everything
// that was taken since is among them.
func TestALogWithAPartOfTheDatabaseIsSalvaged(t *testing.T) {
	s := peopled(t, 300)
	change(t, s.path, "PRAGMA wal_checkpoint(RESTART)")
	events := s.all(t, "late", 60)
	path := crashed(t, s)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	again := open(t, path, s.clock)
	states := again.states(t)
	for _, event := range events {
		if states[event] != viewing.StatePending {
			t.Errorf("event %s was acknowledged and is %q", event, states[event])
		}
	}
	again.noticed(t, "missing or empty", "saved from that")
	again.checkCounters(t)
	again.quickCheck(t)
	t.Logf("%d of %d events", len(states), 360)
	for _, event := range events { // they are known by their names
		o, err := again.Commit(t.Context(), viewing.Batch{Source: "browser:b1", Events: []viewing.Event{film(event, 1, -1)}})
		if err != nil || o[0].Status == viewing.StatusQueued {
			t.Fatalf("event %s was taken for news: %+v, %v", event, o, err)
		}
	}
}

// A log that has begun anew often still has pages of its earlier rounds behind
// its end. They are of use, and nothing of them is sent by itself.
func TestEarlierRoundsOfALogAreSalvaged(t *testing.T) {
	s := fresh(t)
	events := s.all(t, "e", 400)
	path := crashed(t, s)
	copyAs(t, s.path+"-run", path+"-run")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	again := open(t, path, s.clock)
	states := again.states(t)
	found := map[viewing.State]int{}
	for _, event := range events {
		found[states[event]]++
	}
	t.Logf("found %v of %d", found, len(events))
	if found[viewing.StateHeld] == 0 || found[viewing.StatePending] == 0 {
		t.Errorf("found %v, want some of the newest round and some of earlier ones", found)
	}
	if again.InstallationID() != s.InstallationID() {
		t.Error("it became another installation")
	}
	again.checkCounters(t)
	again.quickCheck(t)
}

// What was sent in the meantime is not sent again, however little is left.
func TestASalvagedLogSendsNothingTwice(t *testing.T) {
	s := peopled(t, 60)
	change(t, s.path, "PRAGMA wal_checkpoint(RESTART)")
	s.all(t, "late", 40)
	s.finishAll(t)
	was := s.states(t)
	path := crashed(t, s)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	again := open(t, path, s.clock)
	for event, state := range again.states(t) {
		if was[event] != viewing.StatePending && state == viewing.StatePending {
			t.Errorf("event %s was %s and is due again", event, was[event])
		}
	}
}

// A copy that was put in place of a crashed database must not be overwritten
// by the log of that.
func TestTheLogOfAnotherDatabaseIsSetAside(t *testing.T) {
	s := fresh(t)
	s.all(t, "early", 10)
	copied := filepath.Join(t.TempDir(), "copy.db")
	if err := s.Backup(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	s.all(t, "late", 10)
	path := crashed(t, s)
	content, err := os.ReadFile(copied)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	again := open(t, path, s.clock)
	states := again.states(t)
	if len(states) != 10 || states["early3"] != viewing.StateHeld {
		t.Errorf("states %v", states)
	}
	notices, err := again.Notices(t.Context())
	if err != nil || len(notices) != 2 || !strings.Contains(notices[0].Text+notices[1].Text, "-wal") {
		t.Errorf("notices %+v, %v", notices, err)
	}
	again.quickCheck(t)
}

// A database that is gone with its log, or is older than the last run, is told
// of. What is pending in an older one may have been sent.
func TestAMissingDatabaseOrLogIsTold(t *testing.T) {
	tests := map[string]struct {
		harm func(t *testing.T, path string, early []byte)
		want string
		held int64
	}{
		"database and log missing": {func(t *testing.T, path string, _ []byte) {
			for _, part := range []string{"", "-wal", "-shm"} {
				if err := os.RemoveAll(path + part); err != nil {
					t.Fatal(err)
				}
			}
		}, "was missing, so a new one was begun", 0},
		"log missing": {func(t *testing.T, path string, _ []byte) {
			if err := os.Remove(path + "-wal"); err != nil {
				t.Fatal(err)
			}
		}, "may be lost", 5},
		"log missing, with its begin in the database": {func(t *testing.T, path string, _ []byte) {
			if err := os.Remove(path + "-wal"); err != nil {
				t.Fatal(err)
			}
		}, "may be lost", 5},
		"log empty": {func(t *testing.T, path string, _ []byte) {
			if err := os.Truncate(path+"-wal", 0); err != nil {
				t.Fatal(err)
			}
		}, "may be lost", 5},
		"older file": {func(t *testing.T, path string, early []byte) {
			for _, part := range []string{"", "-wal", "-shm"} {
				if err := os.RemoveAll(path + part); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(path, early, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "may be lost", 5},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := fresh(t)
			s.all(t, "early", 5)
			s.stop()
			early, err := os.ReadFile(s.path)
			if err != nil {
				t.Fatal(err)
			}
			s = open(t, s.path, s.clock)
			id := s.InstallationID()
			if name == "log missing, with its begin in the database" {
				change(t, s.path, "PRAGMA wal_checkpoint(TRUNCATE)")
			}
			s.all(t, "late", 5)
			path := crashed(t, s)
			copyAs(t, s.path+"-run", path+"-run")
			tt.harm(t, path, early)
			again := open(t, path, s.clock)
			again.noticed(t, tt.want)
			if counts := again.checkCounters(t); counts.Held != tt.held || counts.Pending != 0 {
				t.Errorf("counts %+v", counts)
			}
			if held, err := again.Entries(context.Background(), entry.Filter{Reason: viewing.ReasonRestored}); err != nil || int64(len(held)) != tt.held {
				t.Errorf("held %d, %v", len(held), err)
			}
			if again.InstallationID() != id {
				t.Error("it became another installation")
			}
			if again = again.reopen(t); again.now != nil {
				again.noticed(t, tt.want) // once
			}
		})
	}
}

// A queue whose end could not be marked, as on a full disk, may have no log
// afterwards. The next start must not think that somebody took it away.
func TestAnEndWithoutItsMarkIsNoLoss(t *testing.T) {
	s := fresh(t)
	s.all(t, "e", 5)
	s.awaitLog(t)
	s.change(t, "CREATE TRIGGER stuck BEFORE UPDATE ON meta WHEN new.key = 'clean' BEGIN SELECT RAISE(ABORT, 'stuck'); END")
	s.stop()
	if _, err := os.Stat(s.path + "-wal"); err == nil {
		t.Fatal("the log is there")
	}
	change(t, s.path, "DROP TRIGGER stuck")
	s = open(t, s.path, s.clock)
	if counts := s.checkCounters(t); counts.Pending != 5 {
		t.Errorf("counts %+v", counts)
	}
	if notices, err := s.Notices(t.Context()); err != nil || len(notices) > 0 {
		t.Errorf("notices %+v, %v", notices, err)
	}
}

// A copy that is put back after an end that could not be marked is older than
// what was sent, like any other copy.
func TestACopyPutBackAfterAnEndWithoutItsMarkIsHeld(t *testing.T) {
	s := fresh(t)
	s.all(t, "e", 1)
	s.stop()
	early, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	s = open(t, s.path, s.clock)
	e := s.lease(t)[0]
	s.settle(t, Settlement{Entry: e.ID, Attempt: s.send(t, e), State: viewing.StateDelivered})
	s.awaitLog(t)
	s.change(t, "CREATE TRIGGER stuck BEFORE UPDATE ON meta WHEN new.key = 'clean' BEGIN SELECT RAISE(ABORT, 'stuck'); END")
	s.stop()
	if left := files(t, s.path+"-wal"); len(left) > 0 {
		t.Fatalf("left %v", left)
	}
	if err := os.WriteFile(s.path, early, 0o600); err != nil {
		t.Fatal(err)
	}
	s = open(t, s.path, s.clock)
	if leased := s.lease(t); len(leased) > 0 {
		t.Errorf("leased again: %+v", leased)
	}
	if after := s.entry(t, e.ID); after.State != viewing.StateHeld || after.Reason != viewing.ReasonRestored {
		t.Errorf("the entry is %s, %q", after.State, after.Reason)
	}
	s.noticed(t, "newest part", "held")
}

func copyAs(t testing.TB, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
