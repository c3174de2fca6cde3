package queue

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// noon is the time at which the clocks of the tests start.
func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// clock is a clock that is advanced by the test.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: noon()} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// twoAccounts routes the browser "b2" to the account "second".
func twoAccounts() rules.Settings {
	return rules.Settings{Routes: map[string][]string{"browser:b2": {"second"}}}
}

// opened is a store with a running writer.
type opened struct {
	*Store
	path   string
	reader *sql.DB
	clock  *clock
	stop   func() // ends the writer and closes the store; once
}

// open opens a store and starts its writer.
func open(t testing.TB, path string, c *clock) *opened {
	t.Helper()
	s, err := openAt(t.Context(), Options{Path: path, Settings: twoAccounts()}, c.now)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return runStore(t, s, c)
}

// runStore starts the store's writer.
func runStore(t testing.TB, s *Store, c *clock) *opened {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	reader, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: s.path}).String())
	if err != nil {
		t.Fatal(err)
	}
	o := &opened{Store: s, path: s.path, reader: reader, clock: c}
	o.stop = sync.OnceFunc(func() {
		cancel()
		reader.Close()
		if err := <-ended; err != nil {
			t.Errorf("run: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	t.Cleanup(o.stop)
	return o
}

// openNew opens a store in a new folder.
func openNew(t testing.TB) *opened {
	return open(t, filepath.Join(t.TempDir(), "state", "queue.db"), newClock())
}

// reopen closes the store and opens it again, as a restart does.
func (o *opened) reopen(t testing.TB) *opened {
	t.Helper()
	o.stop()
	return open(t, o.path, o.clock)
}

func pointer[T any](v T) *T { return &v }

// film returns a viewing of a film, watched at the given minute after noon.
func film(id string, tmdb int64, minute int) viewing.Event {
	return viewing.Event{
		Kind: viewing.KindViewing, EventID: id, Count: 1,
		Media:     []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: tmdb}, Title: "Alpha One"}},
		WatchedAt: viewing.At(noon().Add(time.Duration(minute) * time.Minute)),
	}
}

// commit commits viewings of the browser "b1" and returns their outcomes.
func (o *opened) commit(t testing.TB, viewings ...viewing.Event) []viewing.Outcome {
	t.Helper()
	return o.commitBatch(t, viewing.Batch{Source: "browser:b1", Events: viewings})
}

func (o *opened) commitBatch(t testing.TB, b viewing.Batch) []viewing.Outcome {
	t.Helper()
	outcomes, err := o.Commit(t.Context(), b)
	if err != nil {
		t.Fatalf("commit: %v", err)
	}
	if len(outcomes) != len(b.Events) {
		t.Fatalf("%d outcomes for %d viewings", len(outcomes), len(b.Events))
	}
	return outcomes
}

// entry returns an entry.
func (o *opened) entry(t testing.TB, id int64) Entry {
	t.Helper()
	return o.explained(t, id).Entry
}

func (o *opened) explained(t testing.TB, id int64) entry.Explanation {
	t.Helper()
	x, err := o.Explain(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// due returns up to ten entries of the default account that may be sent now.
func (o *opened) due(t testing.TB) []Entry {
	t.Helper()
	return o.dueOf(t, "default")
}

// dueOf returns the live entries of an account that may be sent now, or its imports if there are
// no live ones.
func (o *opened) dueOf(t testing.TB, account string) []Entry {
	t.Helper()
	for _, lane := range []viewing.Lane{viewing.LaneLive, viewing.LaneBackfill} {
		if entries := o.ready(t, account, lane); len(entries) > 0 {
			return entries
		}
	}
	return nil
}

// ready returns up to ten entries of an account and a lane that may be sent now.
func (o *opened) ready(t testing.TB, account string, lane viewing.Lane) []Entry {
	t.Helper()
	query := "SELECT " + entryColumns + sendable + " AND (n.next_at <= ?3 OR n.planned_at > ?3) ORDER BY n.next_at, n.id LIMIT 10"
	all, err := read(t.Context(), o.Store, "ready", scanEntry, query, account, int(lane), o.clock.now().UnixMilli())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// send marks an entry as sending.
func (o *opened) send(t testing.TB, e Entry) int64 {
	t.Helper()
	attempt, err := o.Begin(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return attempt
}

func (o *opened) settle(t testing.TB, m Settlement) {
	t.Helper()
	if err := o.Settle(t.Context(), m); err != nil {
		t.Fatal(err)
	}
}

// ids returns the ids of entries.
func ids(entries []Entry) []int64 {
	out := make([]int64, len(entries))
	for i, e := range entries {
		out[i] = e.ID
	}
	return out
}

// slot returns the counter of a state.
func slot(c *entry.Counts, s viewing.State) *int64 {
	name := strings.ReplaceAll(string(s), "_", "")
	field := reflect.ValueOf(c).Elem().FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, name) })
	return field.Addr().Interface().(*int64)
}

// checkCounters compares the counters with the rows.
func (o *opened) checkCounters(t testing.TB) entry.Counts {
	t.Helper()
	var counted entry.Counts
	rows, err := o.reader.Query("SELECT state, count(*) FROM entries GROUP BY state")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var state viewing.State
		var n int64
		if err := rows.Scan(&state, &n); err != nil {
			t.Fatal(err)
		}
		*slot(&counted, state) = n
	}
	counts, err := o.Counts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if counts != counted {
		t.Fatalf("counters say %+v, rows say %+v", counts, counted)
	}
	var wrong int
	err = o.reader.QueryRow(`SELECT count(*) FROM counters AS c WHERE current <> (
		SELECT count(*) FROM entries AS n WHERE n.account = c.account AND n.state = c.state)`).Scan(&wrong)
	if err != nil || wrong > 0 {
		t.Fatalf("%d counters of accounts are wrong, %v", wrong, err)
	}
	o.checkLookups(t)
	return counts
}

// checkLookups compares the lookups with the entries.
func (o *opened) checkLookups(t testing.TB) {
	t.Helper()
	var odd int
	err := o.reader.QueryRow(`SELECT count(*) FROM entries AS n LEFT JOIN lookups AS l ON l.entry = n.id
		WHERE (l.entry IS NOT NULL) <> (n.state = 'held' AND n.item_key = '' AND n.media IS NOT NULL
			AND n.reason IN ('unresolved', 'bulk', 'backdated', 'review', 'future', 'burst'))`).Scan(&odd)
	if err != nil || odd > 0 {
		t.Fatalf("%d entries are wrongly, or not, to be asked about; %v", odd, err)
	}
}

// change runs statements in a transaction of the writer.
func (o *opened) change(t testing.TB, statements ...string) {
	t.Helper()
	if err := o.write(t.Context(), "test", func(x *tx) error { return x.Run(statements...) }); err != nil {
		t.Fatal(err)
	}
}

// finishAll sends and delivers all due entries.
func (o *opened) finishAll(t testing.TB) {
	t.Helper()
	for {
		ready := o.due(t)
		if len(ready) == 0 {
			return
		}
		for _, e := range ready {
			o.settle(t, Settlement{Entry: e.ID, Attempt: o.send(t, e), State: viewing.StateDelivered, Answer: Answer{Status: 201}})
		}
	}
}

// TestDamagedNoticeDoesNotHideOthers: it can be acknowledged like the others.
func TestDamagedNoticeDoesNotHideOthers(t *testing.T) {
	s := openNew(t)
	err := s.write(t.Context(), "test", func(t *tx) error {
		return errors.Join(t.Notify(sqlite.Notice{What: viewing.Say("first")}), t.Run("INSERT INTO meta VALUES ('notice:2', '{\"id\":')"), t.Notify(sqlite.Notice{What: viewing.Say("third")}))
	})
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.Notices(t.Context())
	if err != nil || len(all) != 3 || all[0].What.Code != "first" || all[1].ID != 2 || all[1].What.Code == "" || all[2].ID != 3 {
		t.Fatalf("%+v, %v", all, err)
	}
	if err := s.Acknowledge(t.Context(), all[1].ID); err != nil {
		t.Error(err)
	}
}
