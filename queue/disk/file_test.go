package disk

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// schema is as little as a file needs, and tables to write into.
func schema() []string {
	return []string{`
		CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
		CREATE TABLE ballast (data BLOB NOT NULL) STRICT;
		CREATE TABLE marks (key TEXT PRIMARY KEY, data BLOB) STRICT, WITHOUT ROWID;
		CREATE TABLE tally (n INTEGER NOT NULL) STRICT;
		INSERT INTO tally VALUES (0);
		CREATE TABLE children (mark TEXT REFERENCES marks (key) DEFERRABLE INITIALLY DEFERRED) STRICT;`}
}

// tally is a ledger that counts.
type tally struct {
	open int // by the open transaction
	told int // by those that are on disk

	heard func() // is called when it is told, if set
}

func (l *tally) Mark() any { return l.open }

func (l *tally) Back(mark any) { l.open, _ = mark.(int) }

func (l *tally) Flush(t *Tx) error {
	_, err := t.Exec("UPDATE tally SET n = n + ?", l.open)
	return err
}

func (l *tally) Done() {
	l.told, l.open = l.told+l.open, 0
	if l.heard != nil {
		l.heard()
	}
}

// clock is a clock that stands still until it is moved.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

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

// options are those of a file of the test's schema.
func options(path string) Options {
	return Options{
		Path: path, Schema: schema(), Now: newClock().now, Ledger: &tally{},
		Start:  func(*Tx, Opening) error { return nil },
		Repair: func(*Tx, Recovery) (Notice, error) { return Notice{}, nil },
	}
}

// opened is a file whose writer does not run, and what it counts.
type opened struct {
	*File
	ledger *tally
}

// unopened is a file in a new folder whose writer does not run yet.
func unopened(t testing.TB) opened {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "queue.db"))
}

func openAt(t testing.TB, path string) opened {
	t.Helper()
	o := options(path)
	f, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return opened{f, o.Ledger.(*tally)}
}

// running has the writer of a file run until the test ends.
func running(t testing.TB, f opened) opened {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-ended, f.Close()); err != nil {
			t.Error(err)
		}
	})
	return f
}

// mark writes one row that can be looked for.
func mark(key string) func(*Tx) error {
	return func(t *Tx) error {
		_, err := t.Exec("INSERT INTO marks (key) VALUES (?)", key)
		return err
	}
}

// marks reads which rows of mark are there.
func (f opened) marks(t testing.TB) map[string]bool {
	t.Helper()
	rows, err := f.reader.Query("SELECT key FROM marks")
	keys, err := Collect(rows, err, func(r *sql.Rows) (key string, err error) { return key, r.Scan(&key) })
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, key := range keys {
		there[key] = true
	}
	return there
}

// counted is what the table says that the ledger has counted.
func (f opened) counted(t testing.TB) (n int) {
	t.Helper()
	if err := f.reader.QueryRow("SELECT n FROM tally").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func (f opened) end(t testing.TB) {
	t.Helper()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// change opens the file with nothing of ours around it and runs statements.
func change(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
}
