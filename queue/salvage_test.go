package queue

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// The sizes of a page of the database and of its header.
const (
	pageSize   = 4096
	headerSize = 100
)

// wreck is what a test does to the file of a stopped store.
type wreck func(t *testing.T, content []byte) []byte

// crashed copies a store's files as a crash would leave them: nothing closed,
// the write-ahead log not emptied.
func crashed(t testing.TB, s *opened) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "queue.db")
	for _, part := range []string{"", "-wal"} {
		content, err := os.ReadFile(s.path + part)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+part, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// peopled is a store with n films pending, some delivered, one in each other
// state, a source's memory and an account.
func peopled(t testing.TB, n int) *opened {
	t.Helper()
	s := fresh(t)
	var batch []viewing.Event
	for i := range n {
		v := film(fmt.Sprint("e", i), int64(i+1), -i-1)
		v.Origin.Note = strings.Repeat("seen in a long row ", 8)
		batch = append(batch, v)
	}
	s.commit(t, batch...)
	for i, e := range s.lease(t) {
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

// salvageable is what a salvage must keep, whatever the wreck.
type salvageable struct {
	before map[string]viewing.State // by event
	id     string
}

func (s *opened) states(t testing.TB) map[string]viewing.State {
	t.Helper()
	states := map[string]viewing.State{}
	var before int64
	for {
		page, err := s.Entries(t.Context(), entry.Filter{Limit: 1000, Below: before})
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return states
		}
		for _, e := range page {
			states[e.EventID] = e.State
		}
		before = page[len(page)-1].ID
	}
}

// hold holds the salvaged store against what was there: nothing that may have
// been sent is due, nothing that is known is taken twice.
func (w salvageable) hold(t *testing.T, s *opened, n int) (pending, kept int) {
	t.Helper()
	s.checkCounters(t)
	after := s.states(t)
	for event, was := range w.before {
		is, ok := after[event]
		if ok {
			kept++
		}
		if is == viewing.StatePending {
			pending++
			if was != viewing.StatePending {
				t.Errorf("event %s was %s and is due again", event, was)
			}
		}
		if was == viewing.StateSending && ok && is != viewing.StateInDoubt && is != viewing.StateHeld {
			t.Errorf("event %s was being sent and is %s", event, is)
		}
	}
	var orphans int
	err := s.reader.QueryRow("SELECT count(*) FROM entries AS n WHERE NOT EXISTS (SELECT 1 FROM events AS v WHERE v.id = n.event)").Scan(&orphans)
	if err != nil || orphans > 0 {
		t.Errorf("%d entries without their event, %v", orphans, err)
	}
	for _, pragma := range []string{"quick_check", "foreign_key_check"} {
		rows, err := s.reader.Query("PRAGMA " + pragma)
		verdicts, err := disk.Collect(rows, err, func(r *sql.Rows) (v string, err error) { return v, r.Scan(&v) })
		if err != nil || len(verdicts) > 0 && verdicts[0] != "ok" {
			t.Errorf("%s: %v, %v", pragma, verdicts, err)
		}
	}
	for i := range n {
		o := s.commit(t, film(fmt.Sprint("new", i), int64(i+10_000), -1))
		if o[0].Status != viewing.StatusQueued {
			t.Fatalf("a new event after the salvage: %+v", o)
		}
	}
	return pending, kept
}

func TestADamagedDatabaseIsSalvaged(t *testing.T) {
	n := 400
	if testing.Short() {
		n = 150
	}
	page := func(content []byte, p int) []byte { return content[p*pageSize : (p+1)*pageSize] }
	randomly := rand.New(rand.NewPCG(1, 2))
	noise := func(b []byte) {
		for i := range b {
			b[i] = byte(randomly.Uint32())
		}
	}
	tests := map[string]struct {
		wreck wreck
		least int // events that must be there afterwards
	}{
		"header wiped": {func(_ *testing.T, c []byte) []byte { clear(c[:headerSize]); return c }, n},
		"header of another program": {func(_ *testing.T, c []byte) []byte {
			copy(c, "GIF89a not a database at all")
			return c
		}, n},
		"first page wiped":         {func(_ *testing.T, c []byte) []byte { clear(page(c, 0)); return c }, n},
		"first three pages wiped":  {func(_ *testing.T, c []byte) []byte { clear(c[:3*pageSize]); return c }, 0},
		"cut to two thirds":        {func(_ *testing.T, c []byte) []byte { return c[:len(c)*2/3] }, 0},
		"cut in the middle of one": {func(_ *testing.T, c []byte) []byte { return c[:len(c)-pageSize/2] }, n * 9 / 10},
		"cut to the first page":    {func(_ *testing.T, c []byte) []byte { return c[:pageSize] }, 0},
		"everything is noise":      {func(_ *testing.T, c []byte) []byte { noise(c); return c }, 0},
		"every third page is noise": {func(_ *testing.T, c []byte) []byte {
			for p := 30; p < len(c)/pageSize; p += 3 {
				noise(page(c, p))
			}
			return c
		}, n / 3},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := peopled(t, n)
			w := salvageable{s.states(t), s.InstallationID()}
			s.stop()
			content, err := os.ReadFile(s.path)
			if err != nil {
				t.Fatal(err)
			}
			content = tt.wreck(t, content)
			if err := os.WriteFile(s.path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			// The last run must be seen to have ended badly.
			if err := os.WriteFile(s.path+".suspect", []byte("said by a test"), 0o600); err != nil {
				t.Fatal(err)
			}
			var log bytes.Buffer
			opened, err := openAt(t.Context(), Options{Path: s.path, Settings: twoAccounts(), Logger: slog.New(slog.NewTextHandler(&log, nil))}, s.clock.now)
			if err != nil {
				t.Fatalf("open: %v", err)
			}
			s = running(t, opened, s.clock)
			pending, kept := w.hold(t, s, 3)
			t.Logf("%d of %d events are there, %d pending", kept, n, pending)
			if kept < tt.least {
				t.Errorf("%d events are there, want at least %d\n%s", kept, tt.least, log.String())
			}
			if tt.least == n && s.InstallationID() != w.id {
				t.Error("it became another installation")
			}
			notices, err := s.Notices(t.Context())
			if err != nil || len(notices) != 1 || !strings.Contains(notices[0].Text, "damaged") || notices[0].Hint == "" {
				t.Fatalf("notices %+v, %v", notices, err)
			}
			if !strings.Contains(log.String(), "level=ERROR") {
				t.Errorf("not logged loudly: %s", log.String())
			}
			aside, _ := filepath.Glob(s.path + ".damaged-*")
			if len(aside) == 0 || !strings.Contains(notices[0].Text, filepath.Base(aside[0])) {
				t.Fatalf("aside: %v", aside)
			}
			if kept, err := os.ReadFile(aside[0]); err != nil || !bytes.Equal(kept, content) {
				t.Errorf("what was set aside was changed, %v", err)
			}
			s = s.reopen(t)
			if notices, _ = s.Notices(t.Context()); len(notices) != 1 {
				t.Fatalf("notices after a restart: %+v", notices)
			}
			if err := s.Acknowledge(t.Context(), notices[0].ID); err != nil {
				t.Fatal(err)
			}
			if notices, _ = s.Notices(t.Context()); len(notices) != 0 || !errors.Is(s.Acknowledge(t.Context(), 1), entry.ErrNotFound) {
				t.Errorf("notices %+v", notices)
			}
			left, _ := filepath.Glob(s.path + ".*")
			if len(left) != len(aside) {
				t.Errorf("left %v", left)
			}
		})
	}
}

// A page of one table may be lost; what the other tables say decides.
func TestWhatOneTableLostTheOthersTell(t *testing.T) {
	s := peopled(t, 60)
	double := film("double", 5_000, -1)
	double.Count = 2
	s.commit(t, double)
	w := salvageable{s.states(t), s.InstallationID()}
	lost := map[string]string{ // by raw statements, as a lost page would
		"an entry":                "DELETE FROM entries WHERE event = (SELECT id FROM events WHERE event_id = 'e30')",
		"one of two":              "DELETE FROM entries WHERE part = 1",
		"a delivered entry":       "DELETE FROM entries WHERE id = (SELECT min(id) FROM entries WHERE state = 'delivered')",
		"an event":                "DELETE FROM events WHERE event_id = 'e31'",
		"an event with its name":  "DELETE FROM events WHERE event_id = 'e32'; DELETE FROM dedupe WHERE key = 'browser:e32'",
		"a name":                  "DELETE FROM dedupe WHERE key = 'browser:e33'",
		"an event with its entry": "DELETE FROM entries WHERE event = (SELECT id FROM events WHERE event_id = 'e34'); DELETE FROM events WHERE event_id = 'e34'",
	}
	s.stop()
	for _, statement := range lost {
		change(t, s.path, statement)
	}
	if err := os.WriteFile(s.path+".suspect", []byte("said by a test"), 0o600); err != nil {
		t.Fatal(err)
	}
	s = open(t, s.path, s.clock)
	w.hold(t, s, 1)
	after := s.states(t)
	for event, want := range map[string]viewing.State{"e30": viewing.StateHeld, "e31": viewing.StatePending, "e33": viewing.StatePending, "event 33": viewing.StatePending} {
		if after[event] != want {
			t.Errorf("event %s is %q, want %q", event, after[event], want)
		}
	}
	held, err := s.Entries(t.Context(), entry.Filter{State: viewing.StateHeld, Reason: viewing.ReasonDamaged})
	if err != nil || len(held) != 3 || !slices.ContainsFunc(held, func(e Entry) bool { return e.EventID == "double" && e.Part == 1 }) {
		t.Errorf("held %+v, %v", held, err)
	}
	for _, e := range s.lease(t) {
		if e.EventID == "event 33" {
			t.Errorf("leased what nobody can name: %+v", e)
		}
		if e.EventID == "e31" && e.Source != "browser:" {
			t.Errorf("the event's source is %q", e.Source)
		}
	}
	for _, event := range []string{"e30", "e31", "e33", "e34", "double"} {
		o, err := s.Commit(t.Context(), viewing.Batch{Source: "browser:b1", Events: []viewing.Event{film(event, 1, -1)}})
		if err != nil || o[0].Status == viewing.StatusQueued {
			t.Errorf("event %s was taken for news: %+v, %v", event, o, err)
		}
	}
	if notices, err := s.Notices(t.Context()); err != nil || !strings.Contains(notices[0].Text, "1 events are lost but for their names") {
		t.Errorf("notices %+v, %v", notices, err)
	}
}

// Only a stop out of order is followed by a check.
func TestTheCheckFollowsAnUncleanStop(t *testing.T) {
	s := peopled(t, 50)
	for name, tt := range map[string]struct {
		path    string
		checked bool
	}{
		"crash": {crashed(t, s), true},
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

// Damage that a crash left in the middle of the file is found at the start;
// the log beside it is part of what is saved.
func TestACrashWithDamageIsSalvagedWithItsLog(t *testing.T) {
	s := peopled(t, 200)
	change(t, s.path, "PRAGMA wal_checkpoint(PASSIVE)")
	s.commit(t, film("only in the log", 9_999, -1))
	path := crashed(t, s)
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
	if states := again.states(t); states["only in the log"] != viewing.StatePending || len(states) != 201 {
		t.Errorf("%d events, the last one %q", len(states), states["only in the log"])
	}
	if notices, err := again.Notices(t.Context()); err != nil || len(notices) != 1 {
		t.Errorf("notices %+v, %v", notices, err)
	}
}

// Damage that is met by a run ends it; the next start saves what can be read.
func TestARunThatMeetsDamageEnds(t *testing.T) {
	s := fresh(t)
	s.commit(t, film("e1", 1001, -1), film("e2", 2, -2))
	s.stop()
	rot(t, s.path, "defaultviewing", "defaulyviewing") // the index says otherwise
	again, err := openAt(t.Context(), Options{Path: s.path, Settings: twoAccounts()}, s.clock.now)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- again.Run(t.Context()) }()
	if _, err := again.Lease(t.Context(), "default", 50, time.Minute); !errors.Is(err, disk.ErrStorage) {
		t.Errorf("lease: %v", err)
	}
	if err := <-ended; !errors.Is(err, disk.ErrDamaged) {
		t.Errorf("run: %v, want that it is damaged", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
	s = open(t, s.path, s.clock)
	if leased := s.lease(t); len(leased) != 0 {
		t.Errorf("leased %+v of what is damaged", leased)
	}
	if counts := s.checkCounters(t); counts.Held != 2 {
		t.Errorf("counts %+v", counts)
	}
	if s.stop(); slices.ContainsFunc(files(t, s.path), func(name string) bool { return strings.HasSuffix(name, ".suspect") }) {
		t.Error("the suspicion outlived the salvage")
	}
}

// files are the names beside path.
func files(t testing.TB, path string) []string {
	t.Helper()
	names, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// A crash between the steps of a salvage loses nothing.
func TestASalvageThatWasCutShortIsFinished(t *testing.T) {
	s := peopled(t, 20)
	s.stop()
	content, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	for name, lay := range map[string]func(path string) error{
		"before the first renaming": func(path string) error {
			return errors.Join(os.WriteFile(path, []byte("wrecked, long enough to be no database"), 0o600),
				os.WriteFile(path+".salvaged-20260301T120000Z", content, 0o600))
		},
		"between the renamings": func(path string) error { return os.WriteFile(path+".salvaged-20260301T120000Z", content, 0o600) },
		"while saving": func(path string) error {
			return errors.Join(os.WriteFile(path, content, 0o600), os.WriteFile(path+".salvaging", content[:pageSize*3], 0o600),
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
				if strings.Contains(name, ".salvag") || strings.HasSuffix(name, ".suspect") {
					t.Errorf("left %s", name)
				}
			}
		})
	}
}

// A damaged file of an older schema lacks columns of today's. What its tables say is
// kept all the same: a pause above all.
func TestADamagedFileOfAnOlderSchemaIsSalvaged(t *testing.T) {
	s := fresh(t)
	all := s.commitIDs(t, film("e1", 1, -9), unidentified("e2"))
	if err := s.UpdateAccount(t.Context(), "default", func(a *account.Row) { a.Pause = account.ByUser(noon(), time.Time{}, false) }); err != nil {
		t.Fatal(err)
	}
	s.change(t, append(brakeless(), "PRAGMA user_version = 4")...)
	s.stop()
	if err := os.WriteFile(s.path+".suspect", []byte("said by a test"), 0o600); err != nil {
		t.Fatal(err)
	}
	s = open(t, s.path, s.clock)
	a, err := s.Account(t.Context(), "default")
	if err != nil || a.Pause.Reason != account.PausedUser {
		t.Errorf("the account is %+v, %v", a, err)
	}
	s.wantLookups(t, 1, all[1])
}
