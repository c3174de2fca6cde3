package disk

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"
)

// Options configures [Open]. Whoever only reads gives no ledger, and nothing
// that follows it.
type Options struct {
	Path   string           // the database file; its folder is made when absent
	Schema []string         // the n-th script brings a database to version n
	Logger *slog.Logger     // nil discards
	Now    func() time.Time // the clock
	Shared bool             // to be read only: another process may have the lock

	// Busy is how long another process' lock is waited for; 0 is 5 seconds.
	Busy time.Duration

	Ledger Ledger
	// Start is called in the first transaction of each run.
	Start func(*Tx, Opening) error
	// Repair makes rows that were copied from a damaged database agree with each
	// other, and says what a person should know of it.
	Repair func(*Tx, Recovery) (Notice, error)
}

// Ledger is what the owner of the tables keeps in memory beside them. It goes
// with each transaction, or is taken back with it.
type Ledger interface {
	// Mark is what the open transaction has entered so far.
	Mark() any
	// Back returns to a mark; nil is the begin of the transaction.
	Back(mark any)
	// Flush writes what is to be written once for the whole transaction.
	Flush(t *Tx) error
	// Done follows the transaction once the disk has it.
	Done()
}

// Opening is what a start found out about the database.
type Opening struct {
	Installation string // random, made with the database
	Run          int64  // number of this opening
	Copied       int64  // when the copy was made that it is, in milliseconds since 1970; 0 for none
}

// File is an open database. Its methods may be called from any goroutine.
type File struct {
	path   string
	schema []string
	logger *slog.Logger
	now    func() time.Time
	busy   time.Duration
	ledger Ledger
	begun  func(*Tx, Opening) error
	repair func(*Tx, Recovery) (Notice, error)

	installation string
	run          int64
	tidings      []Notice // what the start has to tell

	reader  *sql.DB
	reading bool        // nothing is ever written
	scratch string      // a folder with a copy that is read; "" for none
	writer  *connection // of whoever has the turn, once Run runs; nil after a failure
	crowd   atomic.Bool // the last transaction had several jobs

	trouble troubles

	jobs    chan *job
	turn    chan struct{} // one slot: full while Run runs and nobody writes
	started atomic.Bool
	closed  atomic.Bool
	damage  chan error         // one slot: what Run ends with
	closing chan struct{}      // closed by Close
	asked   chan chan struct{} // whether Run moves; it closes what it is handed
	done    chan struct{}      // closed when nobody writes any more
}

// Open opens the database, making or migrating it as needed. A damaged one is
// set aside beside it, its readable rows are copied into a new one, and
// [File.Notices] tells of it. The caller holds the folder's [Lock]. The
// error wraps [ErrNewer], [ErrForeign] or [ErrStorage].
func Open(ctx context.Context, o Options) (*File, error) {
	f := newFile(o)
	if err := f.open(ctx); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// newFile is a file that is not open.
func newFile(o Options) *File {
	f := &File{
		path: o.Path, schema: o.Schema, logger: o.Logger, now: o.Now,
		busy: cmp.Or(o.Busy, 5*time.Second), ledger: o.Ledger, begun: o.Start, repair: o.Repair,
		jobs: make(chan *job, 256), turn: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{}),
		asked:  make(chan chan struct{}),
		damage: make(chan error, 1),
	}
	if f.logger == nil {
		f.logger = slog.New(slog.DiscardHandler)
	}
	return f
}

// open makes, checks, migrates and starts the database. Damage that shows only
// then is met like any other.
func (f *File) open(ctx context.Context) error {
	if err := f.prepare(ctx); err != nil {
		return err
	}
	err := f.start(ctx)
	if !isDamage(err) {
		return err
	}
	if err := f.close(); err != nil {
		f.logger.Warn("damaged database not closed", "error", err)
	}
	f.reader, f.writer = nil, nil
	f.ledger.Back(nil)
	if err := f.recover(ctx, err.Error()); err != nil {
		return err
	}
	return f.start(ctx)
}

// prepare makes sure that there is a database to work with: it makes the file,
// or sets a damaged one aside and copies what can be read of it.
func (f *File) prepare(ctx context.Context) error {
	if err := f.finishSwap(); err != nil {
		return err
	}
	_ = os.Remove(f.path + halfCopy) // it only takes room
	if err := f.setStrayLogAside(); err != nil {
		return err
	}
	if err := makeFile(f.path); err != nil {
		return err
	}
	cause, err := f.examine(ctx)
	if err != nil || cause == "" {
		return err
	}
	return f.recover(ctx, cause)
}

// start connects to the database, brings it up to date and begins a run.
func (f *File) start(ctx context.Context) (err error) {
	if f.writer, err = connect(f.path, f.busy); err != nil {
		return err
	}
	from, err := version(ctx, f.writer.conn)
	if err != nil {
		return err
	}
	if from > 0 && from < len(f.schema) {
		if err := f.backupBefore(ctx, from); err != nil {
			return err
		}
	}
	if err := migrate(ctx, f.writer.conn, f.schema); err != nil {
		return err
	}
	if err := f.alone(f.startRun); err != nil {
		return fmt.Errorf("start queue: %w", err)
	}
	f.reader, err = openReader(f.path, f.busy)
	return err
}

// startRun begins a run: it numbers it, and has the owner of the tables do what
// follows from how the last one ended.
func (f *File) startRun(t *Tx) error {
	_, err := t.Exec("INSERT OR IGNORE INTO meta (key, value) VALUES ('installation', ?), ('run', 0)", rand.Text())
	if err != nil {
		return err
	}
	var o Opening
	if err := t.Mark("clean", 0); err != nil {
		return err
	}
	if _, err := t.Exec("UPDATE meta SET value = value + 1 WHERE key = 'run'"); err != nil {
		return err
	}
	_, err = t.Find(`SELECT (SELECT value FROM meta WHERE key = 'installation'),
		(SELECT value FROM meta WHERE key = 'run'), coalesce((SELECT value FROM meta WHERE key = 'copied'), 0)`,
		nil, &o.Installation, &o.Run, &o.Copied)
	if err != nil {
		return err
	}
	if err := f.begun(t, o); err != nil {
		return err
	}
	f.installation, f.run = o.Installation, o.Run
	if _, err := t.Exec("DELETE FROM meta WHERE key = 'copied'"); err != nil {
		return err
	}
	for _, n := range f.tidings {
		if err := t.Notify(n); err != nil {
			return err
		}
	}
	return nil
}

// close closes what is open; the writer last, so that the database is left in
// one file.
func (f *File) close() error {
	var faults []error
	if f.reader != nil {
		faults = append(faults, f.reader.Close())
	}
	if f.writer != nil {
		faults = append(faults, f.writer.close())
	}
	if f.scratch != "" {
		faults = append(faults, os.RemoveAll(f.scratch))
	}
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("close database: %w", err)
	}
	return nil
}

// Reader is what the database is read with. It sees only whole transactions.
func (f *File) Reader() *sql.DB { return f.reader }

// Installation is random, made with the database, and never changes.
func (f *File) Installation() string { return f.installation }

// Close ends Run, if it still runs, and closes the database. Nothing of the
// file may be used after it; closing again does nothing.
func (f *File) Close() error {
	if !f.closed.CompareAndSwap(false, true) {
		return nil
	}
	if f.reading {
		return f.close()
	}
	close(f.closing)
	if f.started.CompareAndSwap(false, true) {
		close(f.done) // nobody ever wrote
	}
	<-f.done
	if f.writer != nil {
		if err := f.alone(func(t *Tx) error { return t.Mark("clean", 1) }); err != nil {
			f.logger.Warn("the end was not marked; the next start will check the database", "error", err)
		}
	}
	return f.close()
}
