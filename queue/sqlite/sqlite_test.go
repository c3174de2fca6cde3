package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// schema is a table to write into and what the package itself needs.
const schema = `
	CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT;
	CREATE TABLE events (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, data BLOB) STRICT;
	CREATE TABLE children (event INTEGER REFERENCES events (id) DEFERRABLE INITIALLY DEFERRED) STRICT;
	CREATE TABLE notes (name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;
	CREATE TABLE steps (event INTEGER, number INTEGER, text TEXT, PRIMARY KEY (event, number)) STRICT, WITHOUT ROWID;`

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func options(path string) Options {
	return Options{
		Path: path, Schema: []string{schema}, Count: "SELECT coalesce(max(id), 0), coalesce(max(id), 0) FROM events",
		Now:    func() time.Time { return start },
		Start:  func(*Tx, Opening) error { return nil },
		Repair: func(t *Tx, _ Recovery) error { return t.Notify(Notice{What: viewing.Say("recovered")}) },
	}
}

// open opens a database and returns what Open found.
func open(t testing.TB, path string) (*DB, Opening) {
	t.Helper()
	var found Opening
	o := options(path)
	o.Start = func(_ *Tx, opening Opening) error { found = opening; return nil }
	db, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return db, found
}

// openNew opens a database in a new folder.
func openNew(t testing.TB) *DB {
	t.Helper()
	db, _ := open(t, filepath.Join(t.TempDir(), "queue.db"))
	return db
}

func closed(t testing.TB, db *DB) {
	t.Helper()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// run starts the writer; stop stops it and closes the database.
func run(t testing.TB, db *DB) (stop func()) {
	ended := make(chan error, 1)
	go func() { ended <- db.Run(context.Background()) }()
	return func() {
		t.Helper()
		if err := errors.Join(db.Close(), <-ended); err != nil {
			t.Error(err)
		}
	}
}

// add inserts an event.
func add(name string) func(*Tx) error {
	return func(t *Tx) error {
		_, err := t.Exec("INSERT INTO events (name) VALUES (?)", name)
		return err
	}
}

// names returns the events in the database, separated by blanks.
func names(t testing.TB, db *DB) string {
	t.Helper()
	rows, err := db.reader.Query("SELECT name FROM events ORDER BY id")
	all, err := Collect(rows, err, func(r *sql.Rows) (name string, err error) { return name, r.Scan(&name) })
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

// together passes changes to a running writer so that it runs them in one transaction, in this
// order. It must be called within a synctest bubble.
func together(t *testing.T, db *DB, changes ...func(*Tx) error) []error {
	errs := make([]error, len(changes))
	release := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		if err := db.Write(t.Context(), func(*Tx) error { <-release; return nil }); err != nil {
			t.Error(err)
		}
	})
	synctest.Wait()
	for i, do := range changes {
		all.Go(func() { errs[i] = db.Write(t.Context(), do) })
		synctest.Wait()
	}
	close(release)
	all.Wait()
	return errs
}

func TestFailedJobDoesNotAffectOthers(t *testing.T) {
	own := errors.New("own trouble")
	half := func(err error) func(*Tx) error {
		return func(t *Tx) error { return errors.Join(add("half")(t), err) }
	}
	for name, tt := range map[string]struct {
		bad  func(*Tx) error
		want error
	}{
		"own error":  {half(own), own},
		"constraint": {func(t *Tx) error { return errors.Join(half(nil)(t), add("half")(t)) }, ErrStorage},
	} {
		for at := range 3 {
			t.Run(fmt.Sprint(name, " at ", at), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					db := openNew(t)
					defer run(t, db)()
					called := ""
					changes := []func(*Tx) error{add("a"), add("b"), add("c"), tt.bad}
					changes[at] = tt.bad
					for i, do := range changes {
						changes[i] = func(t *Tx) error {
							t.AfterCommit(func() { called += fmt.Sprint(i, " ") })
							return do(t)
						}
					}
					want := ""
					for i, err := range together(t, db, changes...) {
						bad := i == at || i == 3
						if bad && !errors.Is(err, tt.want) || !bad && err != nil {
							t.Errorf("job %d: %v", i, err)
						}
						if !bad {
							want += fmt.Sprint(i, " ")
						}
					}
					if called != want {
						t.Errorf("AfterCommit was called for jobs %s, want %s", called, want)
					}
					if got := names(t, db); len(strings.Fields(got)) != 2 || strings.Contains(got, "half") {
						t.Errorf("kept %q", got)
					}
				})
			})
		}
	}
}

// fillDisk makes the disk full for the writer's connection.
func fillDisk(t *Tx) error {
	if _, err := t.conn.ExecContext(context.Background(), "PRAGMA max_page_count = 1"); err != nil {
		return err
	}
	_, err := t.Exec("INSERT INTO events (name, data) VALUES ('large', zeroblob(1000000))")
	return err
}

// TestWritesFailWhenStorageFails: with a full disk and with a failed commit. The trouble lasts
// until the writer succeeds.
func TestWritesFailWhenStorageFails(t *testing.T) {
	failingCommit := func(t *Tx) error {
		_, err := t.Exec("INSERT INTO children (event) VALUES (99)")
		return err
	}
	for name, fault := range map[string]func(*Tx) error{"full disk": fillDisk, "commit": failingCommit} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db := openNew(t)
				defer run(t, db)()
				notified := func(t *Tx) error { t.AfterCommit(func() { panic("nothing was committed") }); return nil }
				for i, err := range together(t, db, notified, add("before"), fault, add("after")) {
					if !errors.Is(err, ErrStorage) {
						t.Errorf("job %d: %v, want failed storage", i, err)
					}
				}
				db.CountRefused(2)
				trouble, bad := db.Trouble()
				if !bad || trouble.Refused != 2 || trouble.Full() != (name == "full disk") {
					t.Errorf("trouble %+v, %v", trouble, bad)
				}
				if err := db.Write(t.Context(), add("later")); err != nil {
					t.Errorf("after the failure: %v", err)
				}
				if got := names(t, db); got != "later" {
					t.Errorf("kept %q", got)
				}
				time.Sleep(retryInterval + time.Millisecond)
				synctest.Wait()
				if trouble, bad := db.Trouble(); bad {
					t.Errorf("it works again, and there is trouble: %+v", trouble)
				}
			})
		})
	}
}

func TestCanceledWriteIsDoneOrNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := openNew(t)
		defer run(t, db)()
		ctx, cancel := context.WithCancel(t.Context())
		err := db.Write(ctx, func(t *Tx) error {
			waiting := make(chan error)
			go func() { waiting <- db.Write(ctx, add("withdrawn")) }()
			cancel()
			if err := <-waiting; !errors.Is(err, context.Canceled) {
				return fmt.Errorf("a write that the writer has not taken: %w", err)
			}
			return add("kept")(t)
		})
		if err != nil {
			t.Errorf("a write that has begun: %v", err)
		}
		if got := names(t, db); got != "kept" {
			t.Errorf("kept %q", got)
		}
		if err := db.Alive(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestWritesAfterCloseFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := openNew(t)
		waiting := make(chan error)
		go func() { waiting <- db.Write(t.Context(), add("a")) }()
		synctest.Wait()
		closed(t, db) // Run was never called
		if err := <-waiting; !errors.Is(err, ErrClosed) {
			t.Errorf("waiting write: %v", err)
		}
		if err := errors.Join(db.Write(t.Context(), add("b"))); !errors.Is(err, ErrClosed) {
			t.Errorf("late write: %v", err)
		}
		if err := db.Alive(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("alive: %v", err)
		}
		closed(t, db)
	})
}

func TestPragmasOfEveryConnection(t *testing.T) {
	db := openNew(t)
	defer closed(t, db)
	for pragma, want := range map[string]int{"synchronous": 2, "busy_timeout": 5000, "foreign_keys": 1} {
		var got int
		if err := db.writer.conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("writer: %s is %d, %v, want %d", pragma, got, err, want)
		}
	}
	for range 2 { // both of the pool
		conn, err := db.reader.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := conn.ExecContext(t.Context(), "DELETE FROM events"); err == nil {
			t.Error("a reader wrote")
		}
		var wait int
		if err := conn.QueryRowContext(t.Context(), "PRAGMA busy_timeout").Scan(&wait); err != nil || wait != 5000 {
			t.Errorf("reader waits %d, %v", wait, err)
		}
	}
}

// withEvents creates a closed database with n events.
func withEvents(t testing.TB, n int) (path string) {
	t.Helper()
	db := openNew(t)
	stop := run(t, db)
	for i := range n {
		if err := db.Write(t.Context(), add(fmt.Sprint("e", i))); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	return db.path
}

// TestMigrations: each script runs in a transaction, after a backup. An older program names the
// backup that it can open.
func TestMigrations(t *testing.T) {
	path := withEvents(t, 20)
	o := options(path)
	migrate := func(scripts ...string) error {
		t.Helper()
		o.Schema = append([]string{schema}, scripts...)
		db, err := Open(t.Context(), o)
		if err == nil {
			err = db.Close()
		}
		return err
	}
	later := func(n int) string { return fmt.Sprintf("CREATE TABLE later%d (x INTEGER) STRICT; -- the end", n) }
	if err := migrate("CREATE TABLE half (x INTEGER) STRICT; INSERT INTO absent VALUES (1);"); !errors.Is(err, ErrStorage) {
		t.Errorf("a broken script: %v", err)
	}
	if err := errors.Join(migrate(later(1)), migrate(later(1), later(2), later(3))); err != nil {
		t.Fatal(err)
	}
	err := migrate(later(1))
	var newer *viewing.Refusal
	kept := path + ".before-schema-4"
	if !errors.Is(err, ErrNewer) || !errors.As(err, &newer) || newer.Hint.Args["file"] != filepath.Base(kept) {
		t.Fatalf("a program that is too old: %v, hint %v", err, newer)
	}
	o.Path = kept
	db, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(names(t, db)); len(got) != 20 {
		t.Errorf("the copy has %q", got)
	}
	closed(t, db)
}

// copyAsAfterCrash copies a database as a crash would leave it, with the write-ahead log.
func copyAsAfterCrash(t testing.TB, db *DB) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "queue.db")
	for _, part := range []string{"", "-wal", "-count"} {
		content, err := os.ReadFile(db.path + part)
		if part == "-wal" {
			content = bytes.TrimRight(content, "\x00") // the room behind it
		}
		if err == nil {
			err = os.WriteFile(path+part, content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// TestMissingEventsAreDetected: after damage within the log, and after the file was replaced by
// an older one.
func TestMissingEventsAreDetected(t *testing.T) {
	for name, tt := range map[string]struct {
		lose func(t *testing.T, path string)
		some bool
	}{
		"nothing is lost": {func(*testing.T, string) {}, false},
		"one bit of the log": {func(t *testing.T, path string) {
			content, err := os.ReadFile(path + "-wal")
			if err == nil {
				content[len(content)/2] ^= 1
				err = os.WriteFile(path+"-wal", content, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}, true},
		"an older file": {func(t *testing.T, path string) {
			content, err := os.ReadFile(withEvents(t, 7))
			if err == nil {
				err = errors.Join(os.WriteFile(path, content, 0o600), os.Remove(path+"-wal"))
			}
			if err != nil {
				t.Fatal(err)
			}
		}, true},
		"a noisy counter": {func(t *testing.T, path string) {
			if err := os.WriteFile(path+"-count", make([]byte, 21), 0o600); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			const added = 40
			db := openNew(t)
			stop := run(t, db)
			defer stop()
			for i := range added {
				if err := db.Write(t.Context(), add(fmt.Sprint("e", i))); err != nil {
					t.Fatal(err)
				}
			}
			path := copyAsAfterCrash(t, db)
			tt.lose(t, path)
			again, found := open(t, path)
			there := len(strings.Fields(names(t, again)))
			if found.Missing != int64(added-there) || (there < added) != tt.some {
				t.Errorf("%d events are there, %d are reported missing", there, found.Missing)
			}
			closed(t, again)
			again, found = open(t, path)
			if found.Missing != 0 {
				t.Errorf("reported again: %+v", found)
			}
			closed(t, again)
		})
	}
}

// withBrokenNotes creates a cleanly stopped database with a table whose last page is damaged.
func withBrokenNotes(t *testing.T) (path string) {
	t.Helper()
	db := openNew(t)
	err := db.writeNow(func(t *Tx) error {
		return errors.Join(add("a")(t), t.Run(
			"INSERT INTO notes WITH n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300) SELECT printf('%03d', i), hex(zeroblob(50)) FROM n"))
	})
	if err != nil {
		t.Fatal(err)
	}
	closed(t, db)
	file, err := os.OpenFile(db.path, os.O_RDWR, 0)
	if err == nil {
		_, err = file.WriteAt([]byte(strings.Repeat("noise", 800)), size(db.path)-4096)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return db.path
}

// isRecovered checks that the damaged file was quarantined and its rows were copied.
func isRecovered(t *testing.T, db *DB) {
	t.Helper()
	notices, err := db.Notices(t.Context())
	if err != nil || len(notices) != 1 || notices[0].What.Code != "recovered" || len(filesWithPrefix(db.path+damagedInfix)) == 0 {
		t.Errorf("notices %+v, %v", notices, err)
	}
	if got := names(t, db); got != "a" {
		t.Errorf("kept %q", got)
	}
	if exists(db.damageMarker()) {
		t.Error("the next start would set it aside again")
	}
	if trouble, bad := db.Trouble(); bad {
		t.Errorf("trouble %+v", trouble)
	}
}

// TestDamageFoundByAReadEndsTheRun: the next start recovers it.
func TestDamageFoundByAReadEndsTheRun(t *testing.T) {
	db, _ := open(t, withBrokenNotes(t))
	ended := make(chan error, 1)
	go func() { ended <- db.Run(context.Background()) }()
	if _, err := Read(t.Context(), db, Scan[string], "SELECT text FROM notes"); !isDamage(err) {
		t.Errorf("read: %v", err)
	}
	if exists(db.damageMarker()) { // else Run goes on for ever
		if err := <-ended; !errors.Is(err, ErrDamaged) {
			t.Errorf("run: %v", err)
		}
	} else {
		t.Error("the damage was not reported")
	}
	closed(t, db)
	db, _ = open(t, db.path)
	isRecovered(t, db)
	closed(t, db)
}

// TestDamageFoundAtStartIsRecovered: in the same start.
func TestDamageFoundAtStartIsRecovered(t *testing.T) {
	o := options(withBrokenNotes(t))
	o.Start = func(t *Tx, _ Opening) error {
		_, err := t.Find("SELECT count(text) FROM notes", nil, new(int))
		return err
	}
	db, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	isRecovered(t, db)
	stop := run(t, db)
	if err := db.Write(t.Context(), add("b")); err != nil {
		t.Error(err)
	}
	if err := db.Alive(t.Context()); err != nil {
		t.Error(err)
	}
	stop()
}

// TestRowsBeforeADamagedOneAreCopied: also those with the same number.
func TestRowsBeforeADamagedOneAreCopied(t *testing.T) {
	path := withEvents(t, 1)
	db, _ := open(t, path)
	if err := db.writeNow(func(t *Tx) error {
		return t.Run("INSERT INTO steps VALUES (1, 1, 'first step'), (1, 2, 'second step'), (1, 3, 'third step')")
	}); err != nil {
		t.Fatal(err)
	}
	closed(t, db)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	length := bytes.Index(content, []byte("third step")) - 2 // the number lies between
	if content[length] != 13+2*byte(len("third step")) {
		t.Fatalf("the record is built otherwise: %v", content[length-3:length+2])
	}
	content[length] = 0x7f // longer than the record
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".suspect", []byte("marked by a test"), 0o600); err != nil {
		t.Fatal(err)
	}
	db, _ = open(t, path)
	defer closed(t, db)
	rows, err := db.reader.Query("SELECT text FROM steps ORDER BY number")
	all, err := Collect(rows, err, func(r *sql.Rows) (text string, err error) { return text, r.Scan(&text) })
	if got := strings.Join(all, ", "); err != nil || got != "first step, second step" {
		t.Errorf("copied %q, %v", got, err)
	}
}

// TestPowerCutDuringCreation: the first transactions have a rollback journal, which only a
// writable connection can roll back.
func TestPowerCutDuringCreation(t *testing.T) {
	made := filepath.Join(t.TempDir(), "made.db")
	raw, err := sql.Open("sqlite", made)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	raw.SetMaxOpenConns(1)
	for _, statement := range []string{"CREATE TABLE a (x)", "DROP TABLE a", "BEGIN", "CREATE TABLE b (x)"} {
		if _, err := raw.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "queue.db")
	for _, end := range []string{"", "-journal"} {
		content, err := os.ReadFile(made + end)
		if err != nil || len(content) == 0 {
			t.Fatalf("%s: %d bytes, %v", end, len(content), err)
		}
		if end != "" {
			copy(content, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7") // SQLite's mark, which a sync of the journal writes
		}
		if err := os.WriteFile(path+end, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db, _ := open(t, path)
	closed(t, db)
}
