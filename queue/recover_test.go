package queue

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

const pageSize = 4096

// copyAsAfterCrash copies a store's files as a crash would leave them: not closed, with the
// write-ahead log.
func copyAsAfterCrash(t testing.TB, s *opened) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "queue.db")
	for _, part := range []string{"", "-wal", "-count"} {
		copyAs(t, s.path+part, path+part)
	}
	return path
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

// files returns the names that begin with path.
func files(t testing.TB, path string) []string {
	t.Helper()
	names, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// markDamaged makes the next start recover the file.
func markDamaged(t testing.TB, path string) {
	t.Helper()
	if err := os.WriteFile(path+".suspect", []byte("marked by a test"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// openWithEntries opens a store with n pending films, some entries in other states, a source's
// state and an account.
func openWithEntries(t testing.TB, n int) *opened {
	t.Helper()
	s := openNew(t)
	var batch []viewing.Event
	for i := range n {
		v := film(fmt.Sprint("e", i), int64(i+1), -i-1)
		v.Origin.Note = viewing.Verbatim(strings.Repeat("seen in a long row ", 8))
		batch = append(batch, v)
	}
	s.commit(t, batch...)
	for i, e := range s.due(t) {
		attempt := s.send(t, e)
		switch i % 3 {
		case 0:
			s.settle(t, Settlement{Entry: e.ID, Attempt: attempt, State: viewing.StateDelivered, Answer: Answer{Status: 201}})
		case 1:
			s.settle(t, Settlement{Entry: e.ID, Attempt: attempt, State: viewing.StateRejected, Reason: "no such film"})
		} // else it is under way
	}
	s.commitBatch(t, viewing.Batch{Source: "kodi:/home/me", State: map[string][]byte{"baseline": []byte("the source's own memory")}})
	if err := s.UpdateAccount(t.Context(), "default", func(a *account.Row) { a.Proven, a.BaseURL = true, "https://tracker.example/api/v1" }); err != nil {
		t.Fatal(err)
	}
	return s
}

// states returns the state of the first entry of each event.
func (o *opened) states(t testing.TB) map[string]viewing.State {
	t.Helper()
	states := map[string]viewing.State{}
	for f := (entry.Filter{Limit: 1000}); ; {
		page, err := o.Entries(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page {
			states[e.EventID] = e.State
		}
		if len(page) < f.Limit {
			return states
		}
		f.Below = page[len(page)-1].ID
	}
}

// checkIntegrity checks for damage and for rows without their parents.
func (o *opened) checkIntegrity(t testing.TB) {
	t.Helper()
	o.checkCounters(t)
	for _, pragma := range []string{"quick_check", "foreign_key_check"} {
		rows, err := o.reader.Query("PRAGMA " + pragma)
		verdicts, err := sqlite.Collect(rows, err, func(r *sql.Rows) (v any, err error) {
			into := []any{&v, new(any), new(any), new(any)}
			columns, _ := r.Columns()
			return v, r.Scan(into[:len(columns)]...)
		})
		if err != nil || len(verdicts) > 0 && verdicts[0] != "ok" {
			t.Errorf("%s: %v, %v", pragma, verdicts, err)
		}
	}
	var orphans int
	err := o.reader.QueryRow("SELECT count(*) FROM entries WHERE event NOT IN (SELECT id FROM events)").Scan(&orphans)
	if err != nil || orphans > 0 {
		t.Errorf("%d entries without their event, %v", orphans, err)
	}
}

// TestDamagedFileIsRecovered: every readable row is copied, entries that may have been sent are
// not due, and the damaged file is kept with a notice.
func TestDamagedFileIsRecovered(t *testing.T) {
	const n = 200
	noise := func(b []byte) {
		for i := range b {
			b[i] = byte(i*7 + 1)
		}
	}
	for name, tt := range map[string]struct {
		wreck func(c []byte) []byte
		least int // events that must be there afterwards
	}{
		"first page wiped":         {func(c []byte) []byte { clear(c[:pageSize]); return c }, 0},
		"everything is noise":      {func(c []byte) []byte { noise(c); return c }, 0},
		"cut in the middle of one": {func(c []byte) []byte { return c[:len(c)-pageSize/2] }, n * 9 / 10},
		"every third page is noise": {func(c []byte) []byte {
			for p := 35; p < len(c)/pageSize; p += 3 {
				noise(c[p*pageSize : (p+1)*pageSize])
			}
			return c
		}, n / 3},
	} {
		t.Run(name, func(t *testing.T) {
			s := openWithEntries(t, n)
			before, id := s.states(t), s.InstallationID()
			s.stop()
			content, err := os.ReadFile(s.path)
			if err != nil {
				t.Fatal(err)
			}
			content = tt.wreck(content)
			if err := os.WriteFile(s.path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			markDamaged(t, s.path)
			s = open(t, s.path, s.clock)
			s.checkIntegrity(t)
			after := s.states(t)
			for event, is := range after {
				if was := before[event]; is == viewing.StatePending || was == viewing.StateSending && is != viewing.StateInDoubt {
					t.Errorf("event %s was %s and is %s", event, was, is)
				}
			}
			if len(after) < tt.least || tt.least > 0 && s.InstallationID() != id {
				t.Errorf("%d events are there, want %d at least", len(after), tt.least)
			}
			notices, err := s.Notices(t.Context())
			aside, _ := filepath.Glob(s.path + ".damaged-*")
			if err != nil || len(notices) == 0 || len(aside) == 0 || notices[0].What.Args["file"] != filepath.Base(aside[0]) {
				t.Fatalf("aside %v, notices %+v, %v", aside, notices, err)
			}
			if kept, err := os.ReadFile(aside[0]); err != nil || !bytes.Equal(kept, content) {
				t.Errorf("what was set aside was changed, %v", err)
			}
			if text := fmt.Sprint(notices); len(after) < n && !strings.Contains(text, "notice.damagedLost") && !strings.Contains(text, "notice.lost ") {
				t.Errorf("of %d events %d are there: %s", n, len(after), text)
			}
			if o := s.commit(t, film("new", 10_000, -1)); o[0].Status != viewing.StatusQueued {
				t.Errorf("a new event: %+v", o)
			}
			s = s.reopen(t)
			for _, n := range notices {
				if err := s.Acknowledge(t.Context(), n.ID); err != nil {
					t.Error(err)
				}
			}
			if notices, _ = s.Notices(t.Context()); len(notices) != 0 || !errors.Is(s.Acknowledge(t.Context(), 1), entry.ErrNotFound) {
				t.Errorf("notices %+v", notices)
			}
			if left, _ := filepath.Glob(s.path + ".*"); len(left) != len(aside) {
				t.Errorf("left %v", left)
			}
		})
	}
}

// TestRowsMissingFromOneTableAreRepaired: rows lost with a page of one table are replaced from
// the other tables if possible.
func TestRowsMissingFromOneTableAreRepaired(t *testing.T) {
	s := openWithEntries(t, 40)
	s.commit(t, aList("list"), anItem("item", "list", 7), unidentified("unidentified"))
	before := s.states(t)
	s.stop()
	change(t, s.path, "PRAGMA foreign_keys = off",
		"DELETE FROM events WHERE event_id = 'e11'",
		"UPDATE events SET body = '{' WHERE event_id = 'e13'",
		"DELETE FROM entries WHERE event = (SELECT id FROM events WHERE event_id = 'list')",
		"UPDATE entries SET media = '{' WHERE event = (SELECT id FROM events WHERE event_id = 'e14')",
		"DELETE FROM lookups", "DELETE FROM attempts")
	markDamaged(t, s.path)
	s = open(t, s.path, s.clock)
	s.checkIntegrity(t)
	after := s.states(t)
	for event, was := range before {
		want := map[viewing.State]viewing.State{viewing.StatePending: viewing.StateHeld, viewing.StateSending: viewing.StateInDoubt}[was]
		switch {
		case event == "e11", event == "e14", event == "list":
			want = ""
		case want == "":
			want = was
		}
		if after[event] != want {
			t.Errorf("event %s was %s and is %q, want %q", event, was, after[event], want)
		}
	}
	if e := s.entry(t, 12); e.Media.IDs.TMDB != 12 || e.Reason != viewing.ReasonRestored {
		t.Errorf("without its event: %+v", e)
	}
	for _, event := range []string{"e13", "e14", "list"} {
		o, err := s.Commit(t.Context(), viewing.Batch{Source: "browser:b1", Events: []viewing.Event{film(event, 1, -1)}})
		if err != nil || o[0].Status == viewing.StatusQueued {
			t.Errorf("event %s was taken for news: %+v, %v", event, o, err)
		}
	}
	if all, err := s.Doubts(t.Context(), "default"); len(all) == 0 || all[0].ReadAt.IsZero() || err != nil {
		t.Errorf("what was being sent is not read back: %v", err)
	}
}

func TestStartChecksOnlyAfterAnUncleanStop(t *testing.T) {
	s := openWithEntries(t, 20)
	for name, tt := range map[string]struct {
		path    string
		checked bool
	}{
		"crash": {copyAsAfterCrash(t, s), true},
		"clean": {s.path, false},
	} {
		s.stop()
		var log bytes.Buffer
		opened, err := Open(t.Context(), Options{Path: tt.path, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
		if got := strings.Contains(log.String(), "database checked"); got != tt.checked {
			t.Errorf("%s: checked %v, want %v: %s", name, got, tt.checked, log.String())
		}
	}
}

func TestRecoveryReadsTheWriteAheadLog(t *testing.T) {
	s := openWithEntries(t, 50)
	change(t, s.path, "PRAGMA wal_checkpoint(PASSIVE)")
	s.commit(t, film("only in the log", 9_999, -1))
	path := copyAsAfterCrash(t, s)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	root := 0
	if err := s.reader.QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = 'witnesses_entry'").Scan(&root); err != nil {
		t.Fatal(err)
	}
	for i := range pageSize {
		content[(root-1)*pageSize+i] = byte(i * 7)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	again := open(t, path, s.clock)
	if states := again.states(t); states["only in the log"] != viewing.StateHeld || len(states) != 51 {
		t.Errorf("%d events, the last one %q", len(states), states["only in the log"])
	}
	again.checkIntegrity(t)
}

// TestInterruptedRecoveryIsFinished: a crash between its steps loses nothing.
func TestInterruptedRecoveryIsFinished(t *testing.T) {
	s := openWithEntries(t, 20)
	s.stop()
	content, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	for name, lay := range map[string]func(path string) error{
		"before the first renaming": func(path string) error {
			return errors.Join(os.WriteFile(path, []byte("wrecked, long enough to be no database"), 0o600),
				os.WriteFile(path+".damaged-20260301T120000Z.recovered", content, 0o600))
		},
		"between the renamings": func(path string) error {
			return os.WriteFile(path+".damaged-20260301T120000Z.recovered", content, 0o600)
		},
		"while copying": func(path string) error {
			return errors.Join(os.WriteFile(path, content, 0o600), os.WriteFile(path+".recovering", content[:pageSize*3], 0o600),
				os.WriteFile(path+".suspect", []byte("by a test"), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "queue.db")
			if err := lay(path); err != nil {
				t.Fatal(err)
			}
			again := open(t, path, s.clock)
			if states := again.states(t); len(states) != 20 {
				t.Errorf("%d events", len(states))
			}
			for _, name := range files(t, path) {
				if strings.Contains(name, ".recover") || strings.HasSuffix(name, ".suspect") {
					t.Errorf("left %s", name)
				}
			}
		})
	}
}

// TestStrayWriteAheadLogIsQuarantined: SQLite would apply it to a restored backup, or delete it
// if the database is missing or empty.
func TestStrayWriteAheadLogIsQuarantined(t *testing.T) {
	s := openWithEntries(t, 10)
	copied, empty := filepath.Join(t.TempDir(), "copy.db"), filepath.Join(t.TempDir(), "empty.db")
	if err := errors.Join(s.Backup(t.Context(), copied), os.WriteFile(empty, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	s.commit(t, film("late", 99, -1))
	for name, tt := range map[string]struct {
		database string
		events   int
	}{"a copy in place": {copied, 10}, "an empty database": {empty, 0}, "no database": {"", 0}} {
		t.Run(name, func(t *testing.T) {
			path := copyAsAfterCrash(t, s)
			log, err := os.ReadFile(path + "-wal")
			if err == nil {
				err = os.Remove(path)
			}
			if err != nil {
				t.Fatal(err)
			}
			if tt.database != "" {
				copyAs(t, tt.database, path)
			}
			again := open(t, path, s.clock)
			if states := again.states(t); len(states) != tt.events {
				t.Errorf("states %v", states)
			}
			again.checkIntegrity(t)
			kept, _ := filepath.Glob(path + ".damaged-*-wal")
			notices, err := again.Notices(t.Context())
			if err != nil || len(kept) != 1 || !strings.Contains(fmt.Sprint(notices), filepath.Base(kept[0])) {
				t.Fatalf("set aside %v, notices %+v, %v", kept, notices, err)
			}
			if same, err := os.ReadFile(kept[0]); err != nil || !bytes.Equal(same, log) {
				t.Errorf("the log that was set aside was changed, %v", err)
			}
		})
	}
}

// TestDamageWithinTheLogIsDetected: SQLite loses the commits after the damage, including which
// entries were sent. Pending entries are held.
func TestDamageWithinTheLogIsDetected(t *testing.T) {
	for name, tt := range map[string]struct {
		where func(n int) int // in the log of n bytes
		lost  bool            // events are
	}{
		"events are lost":           {func(n int) int { return n * 3 / 4 }, true},
		"a mark of sending is lost": {func(n int) int { return n - 1 }, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := openNew(t)
			for i := range 60 {
				s.commit(t, film(fmt.Sprint("e", i), int64(i+1), -i-1))
			}
			s.send(t, s.due(t)[0])
			path := copyAsAfterCrash(t, s)
			log, err := os.ReadFile(path + "-wal")
			if err == nil {
				log = bytes.TrimRight(log, "\x00") // the room behind it
				log[tt.where(len(log))] ^= 1
				err = os.WriteFile(path+"-wal", log, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			again := open(t, path, s.clock)
			again.checkIntegrity(t)
			states := again.states(t)
			want := viewing.Say("notice.lostChanges", "held", fmt.Sprint(len(states)))
			if tt.lost {
				want = viewing.Say("notice.lost", "events", fmt.Sprint(60-len(states)), "held", fmt.Sprint(len(states)))
			}
			notices, err := again.Notices(t.Context())
			if err != nil || len(notices) != 1 || !reflect.DeepEqual(notices[0].What, want) || len(states) == 0 || tt.lost != (len(states) < 60) {
				t.Errorf("%d events are there; notices %+v, %v", len(states), notices, err)
			}
			for event, state := range states {
				if state != viewing.StateHeld {
					t.Errorf("event %s is %s", event, state)
				}
			}
			if notices, err = again.reopen(t).Notices(t.Context()); err != nil || len(notices) != 1 {
				t.Errorf("notices of the next start: %+v, %v", notices, err)
			}
		})
	}
}
