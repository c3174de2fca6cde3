// Package sqlite keeps one SQLite database in one file: the lock of its folder,
// the connections, one goroutine that writes, migrations, copies, and recovery
// from damage. It does not know what the tables mean; their owner says in
// [Options] how a run begins and how copied rows are made consistent. All
// writing goes through [DB.Write], all reading through [Read]. [DB.Run] puts what waits into one transaction
// and answers after the disk has it. When a page turns out to be damaged, in a
// write or in a read, Run ends, and the next [Open] sets the file aside and
// copies every readable row into a new one. One table is this package's own:
// "meta (key TEXT PRIMARY KEY, value ANY)".
package sqlite

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Errors that callers tell apart with errors.Is.
var (
	// ErrStorage is wrapped when disk or database failed. Nothing of that call
	// was kept, and it may be repeated.
	ErrStorage = errors.New("storage failed")
	// ErrNewer is wrapped when a newer program wrote the database.
	ErrNewer = errors.New("database is of a newer version")
	// ErrForeign is wrapped when the file belongs to another program.
	ErrForeign = errors.New("not a filmspool database")
	// ErrDamaged is wrapped when the database turned out to be damaged. The next
	// [Open] recovers it.
	ErrDamaged = errors.New("database is damaged")
	// ErrClosed is returned for writes after the writer has ended.
	ErrClosed = errors.New("queue is closed")
	// ErrLocked is wrapped when another process holds the folder's lock.
	ErrLocked = errors.New("in use by another filmspool")
)

// Options configures [Open].
type Options struct {
	Path   string           // the database file; its folder is made when absent
	Schema []string         // the n-th script brings a database to version n
	Logger *slog.Logger     // nil discards
	Now    func() time.Time // the clock
	Busy   time.Duration    // how long to wait for another process' lock on the file; 0 is 5 seconds

	// Count is a query for how many events, and how many changes, were ever committed.
	// The numbers are also kept in a file beside the database, so that a start notices
	// when something is missing.
	Count string
	// Start is called in the first transaction of each run.
	Start func(*Tx, Opening) error
	// Repair makes the rows that were copied from a damaged database consistent,
	// and notifies what a person should know.
	Repair func(*Tx, Recovery) error
}

// Opening is what a start found out about the database.
type Opening struct {
	Copied  int64 // when this database was made by [DB.Backup], in milliseconds since 1970; 0 for none
	Missing int64 // how many events were acknowledged in an earlier run and are not in the file
	Behind  bool  // events or other changes of an earlier run are missing
}

// DB is an open database. Its methods may be called from any goroutine.
type DB struct {
	o            Options
	path         string
	logger       *slog.Logger
	installation string
	startNotices []Notice // found before there was a database to keep them in

	reader       *sql.DB
	writer       *connection // used by Run alone once it runs; nil after a failure
	counter      *os.File    // holds the counts as of the last commit
	transactions int         // transactions; see growLog

	troubleMu sync.Mutex
	trouble   Trouble // Cause is nil for none

	jobs    chan *job     // unbuffered: a job that was handed over is always answered
	idle    chan struct{} // Run sends whenever somebody asks whether it moves
	damage  chan error    // one slot: what Run ends with
	started atomic.Bool
	closed  atomic.Bool
	closing chan struct{} // closed by Close
	done    chan struct{} // closed when Run has ended
}

// Open opens the database, creating or migrating it as needed. A damaged one is
// set aside, its readable rows are copied into a new one, and [DB.Notices] says
// so. The caller holds the folder's [Lock]. The error wraps [ErrNewer],
// [ErrForeign] or [ErrStorage].
func Open(ctx context.Context, o Options) (*DB, error) {
	o.Busy = cmp.Or(o.Busy, 5*time.Second)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	db := &DB{
		o: o, path: o.Path, logger: o.Logger,
		jobs: make(chan *job), idle: make(chan struct{}), damage: make(chan error, 1),
		closing: make(chan struct{}), done: make(chan struct{}),
	}
	if err := db.open(ctx); err != nil {
		return nil, errors.Join(err, db.closeFiles())
	}
	return db, nil
}

func (db *DB) open(ctx context.Context) error {
	err := db.finishRecovery()
	if err == nil {
		err = db.quarantineStrayLog()
	}
	if err == nil {
		err = makeFile(db.path)
	}
	if err != nil {
		return fmt.Errorf("open database: %w", StorageError(err))
	}
	cause, err := db.findDamage(ctx)
	if err != nil {
		return err
	}
	if cause == "" {
		if err = db.start(ctx); !isDamage(err) {
			return err
		}
		cause = err.Error()
		if err := db.closeFiles(); err != nil {
			db.logger.Warn("damaged database not closed", "error", err)
		}
	}
	if err := db.recover(ctx, cause); err != nil {
		return fmt.Errorf("recover database: %w", StorageError(err))
	}
	return db.start(ctx)
}

// start connects to the database, migrates it and begins a run.
func (db *DB) start(ctx context.Context) (err error) {
	if db.writer, err = db.connect(db.path); err != nil {
		return err
	}
	if db.reader, err = db.pool(db.path, readOnly); err != nil {
		return err
	}
	if err := db.migrate(ctx); err != nil {
		return err
	}
	last := db.openCounter()
	if err := db.writeNow(func(t *Tx) error { return db.startRun(t, last) }); err != nil {
		return fmt.Errorf("start queue: %w", err)
	}
	return nil
}

// startRun begins a run in the database and lets the owner of the tables react
// to how the last one ended.
func (db *DB) startRun(t *Tx, last counts) error {
	if _, err := t.Exec("INSERT OR IGNORE INTO meta (key, value) VALUES ('installation', ?)", rand.Text()); err != nil {
		return err
	}
	var o Opening
	var recovered bool
	_, err := t.Find(`SELECT (SELECT value FROM meta WHERE key = 'installation'),
		coalesce((SELECT value FROM meta WHERE key = 'copied'), 0), EXISTS (SELECT 1 FROM meta WHERE key = 'recovered')`,
		nil, &db.installation, &o.Copied, &recovered)
	if err != nil {
		return err
	}
	var current counts
	if _, err := t.Find(db.o.Count, nil, &current.events, &current.changes); err != nil {
		return err
	}
	if o.Copied == 0 { // a copy is older than the counter
		o.Missing = max(0, last.events-current.events)
		o.Behind = o.Missing > 0 || last.changes > current.changes && !recovered // a recovery has lost count of them
	}
	if err := db.o.Start(t, o); err != nil {
		return err
	}
	for _, n := range db.startNotices {
		if err := t.Notify(n); err != nil {
			return err
		}
	}
	return errors.Join(t.SetMeta("clean", 0), t.Run("DELETE FROM meta WHERE key IN ('copied', 'recovered', 'trial')"))
}

// Installation is random, made with the database, and never changes.
func (db *DB) Installation() string { return db.installation }

// Close ends Run, if it still runs, and closes the database. Closing again does
// nothing.
func (db *DB) Close() error {
	if !db.closed.CompareAndSwap(false, true) {
		return nil
	}
	close(db.closing)
	if db.started.CompareAndSwap(false, true) {
		close(db.done) // Run was never called
	}
	<-db.done
	if db.writer != nil {
		if err := db.writeNow(func(t *Tx) error { return t.SetMeta("clean", 1) }); err != nil {
			db.logger.Warn("the clean stop could not be noted; the next start will check the database", "error", err)
		}
	}
	return db.closeFiles()
}

// closeFiles closes what is open; the writer last, so that SQLite leaves no
// write-ahead log.
func (db *DB) closeFiles() error {
	var faults []error
	if db.reader != nil {
		faults = append(faults, db.reader.Close())
	}
	if db.writer != nil {
		faults = append(faults, db.writer.close())
	}
	if db.counter != nil {
		faults = append(faults, db.counter.Close())
	}
	db.writer, db.counter = nil, nil // a closed reader says so itself
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("close database: %w", err)
	}
	return nil
}
