// Package sqlite keeps one SQLite database in one file: the lock of its folder, the connections,
// the writer goroutine, migrations, backups, and recovery from damage. It does not know the
// tables; their owner passes the schema and the functions for start and repair in [Options].
//
// All writes go through [DB.Write], all reads through [Read]. [DB.Run] runs the waiting writes in
// one transaction and lets their callers continue when it is on disk. When a read or write finds
// a damaged page, Run ends, and the next [Open] moves the file to a quarantine name and copies
// every readable row into a new one. This package uses one table itself: "meta (key TEXT PRIMARY
// KEY, value ANY)".
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

// Errors for errors.Is.
var (
	// ErrStorage is wrapped when the disk or the database failed. The call changed
	// nothing and may be repeated.
	ErrStorage = errors.New("storage failed")
	// ErrNewer is wrapped when a newer version of the program wrote the database.
	ErrNewer = errors.New("database is of a newer version")
	// ErrForeign is wrapped when the file belongs to another program.
	ErrForeign = errors.New("not a filmspool database")
	// ErrDamaged is wrapped when the database is damaged. The next [Open] recovers it.
	ErrDamaged = errors.New("database is damaged")
	// ErrClosed is returned for writes after the writer has ended.
	ErrClosed = errors.New("queue is closed")
	// ErrLocked is wrapped when another process holds the folder's lock.
	ErrLocked = errors.New("in use by another filmspool")
)

// Options configures [Open].
type Options struct {
	Path   string           // the database file; its folder is created if missing
	Schema []string         // the n-th script migrates the database to version n
	Logger *slog.Logger     // nil discards all messages
	Now    func() time.Time // the clock
	Busy   time.Duration    // how long to wait for a lock that another process holds on the file; 0 is 5 seconds

	// Count is a query for two numbers that only grow: committed events and committed
	// changes. They are also written to a file next to the database, so that Open can
	// detect lost commits.
	Count string
	// Start is called in the first transaction of each run, with what Open found.
	Start func(*Tx, Opening) error
	// Repair makes the rows that were copied from a damaged database consistent, and
	// saves notices for the user.
	Repair func(*Tx, Recovery) error
}

// Opening is what [Open] found out about the database.
type Opening struct {
	Copied  int64 // when [DB.Backup] made this file, in milliseconds since 1970; 0 if it is not a backup
	Missing int64 // number of committed events that are not in the file
	Behind  bool  // committed events or other changes are missing
}

// DB is an open database. Its methods may be called from any goroutine.
type DB struct {
	o            Options
	path         string
	logger       *slog.Logger
	installation string
	startNotices []Notice // saved when the database is open

	reader       *sql.DB
	writer       *connection // used only by Run once it runs; nil after a failure
	counter      *os.File    // contains the counts as of the last commit
	transactions int         // of this run; see growLog

	troubleMu sync.Mutex
	trouble   Trouble // Cause is nil if the last write succeeded

	jobs    chan *job     // unbuffered: every job that Run received gets a result
	idle    chan struct{} // Run sends while it waits; see Alive
	damage  chan error    // buffer of one: the error with which Run ends
	started atomic.Bool
	closed  atomic.Bool
	closing chan struct{} // closed by Close
	done    chan struct{} // closed when Run has ended
}

// Open opens the database, and creates or migrates it as needed. If it is damaged, the file is
// moved to a quarantine name, its readable rows are copied into a new one, and [DB.Notices]
// reports it. The caller must hold the folder's [Lock]. Errors wrap [ErrNewer], [ErrForeign] or
// [ErrStorage].
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

// startRun compares the counts with those of the last commit, calls [Options.Start], and marks
// the run as not cleanly stopped. It is part of the first transaction.
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
	if o.Copied == 0 { // a backup is older than the counter file
		o.Missing = max(0, last.events-current.events)
		o.Behind = o.Missing > 0 || last.changes > current.changes && !recovered // a recovery resets the number of changes
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

// Installation returns the random id of this database. It never changes.
func (db *DB) Installation() string { return db.installation }

// Close stops Run and closes the database. Closing it again does nothing.
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

// closeFiles closes everything that is open; the writer last, so that SQLite removes the
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
	db.writer, db.counter = nil, nil // a closed reader returns errors by itself
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("close database: %w", err)
	}
	return nil
}
