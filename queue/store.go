package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/filmspool/filmspool/queue/rules"
)

// Errors that callers tell apart with errors.Is.
var (
	// ErrStorage is wrapped when disk or database refused: nothing of that call
	// was kept, and it may be repeated.
	ErrStorage = errors.New("storage failed")
	// ErrNewer is wrapped by [Open] when a newer program wrote the database.
	ErrNewer = errors.New("database is of a newer version")
	// ErrForeign is wrapped by [Open] when the file is another program's.
	ErrForeign = errors.New("not a filmspool database")
	// ErrDamaged is wrapped by [Store.Run] when the database turned out to be
	// damaged or gone: the next [Open] saves what can be saved of it.
	ErrDamaged = errors.New("database is damaged")
	// ErrClosed is returned for writes after [Store.Run] has ended.
	ErrClosed = errors.New("queue is closed")
	// ErrNotFound is wrapped when no entry has the id.
	ErrNotFound = errors.New("no such entry")
	// ErrLeaseLost is wrapped when an entry changed since it was leased.
	ErrLeaseLost = errors.New("lease is lost")
	// ErrState is wrapped when an entry's state does not allow the change.
	ErrState = errors.New("entry is in another state")
)

// Options configures [Open].
type Options struct {
	Path     string         // the database file; its folder is made when absent
	Settings rules.Settings // what the rules decide by
	Logger   *slog.Logger   // nil discards
	Shared   bool           // [OpenReading] only: another process may have the lock
}

// Store is the outbox. Its methods may be called from any goroutine.
type Store struct {
	path         string
	settings     rules.Settings
	logger       *slog.Logger
	now          func() time.Time
	installation string
	run          int64        // number of this opening
	before       ranBefore    // what is known of the last one beside the database
	salvagedNow  bool         // by this opening, which tells of it
	unsure       bool         // a part of the file was taken away while the last run had it open
	tidings      []Notice     // what the start has to tell
	leases       atomic.Int64 // tokens given in this run

	reader  *sql.DB
	reading bool // nothing is ever written
	oldest  oldest
	writer  *connection // of whoever has the turn, once Run runs; nil after a failure
	crowd   atomic.Bool // the last transaction had several jobs

	place    place
	gone     error // why the files are not in their place, once they were missed
	rescued  bool  // the database was written anew; only the next opening can use it
	rescueAt time.Time
	trouble  troubles

	jobs    chan *job
	turn    chan struct{} // one slot: full while Run runs and nobody writes
	started atomic.Bool
	closed  atomic.Bool
	damage  chan error         // one slot: what Run ends with
	closing chan struct{}      // closed by Close
	asked   chan chan struct{} // whether Run moves; it closes what it is handed
	done    chan struct{}      // closed when nobody writes any more

	listening sync.Mutex
	listeners map[chan struct{}]struct{}
}

// Open opens the database, making or migrating it as needed. Entries that an
// earlier run left as sending are put in doubt. A damaged database is set aside
// beside it, what can be read of it is saved into a new one, and [Store.Notices]
// tells of it. The caller holds the folder's [Lock]. It returns an error wrapping [ErrNewer], [ErrForeign] or [ErrStorage].
func Open(ctx context.Context, o Options) (*Store, error) {
	return openAt(ctx, o, time.Now)
}

// newStore is a store that has nothing open.
func newStore(o Options) *Store {
	s := &Store{
		path: o.Path, settings: o.Settings, logger: o.Logger, now: time.Now,
		jobs: make(chan *job, 256), turn: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{}),
		asked:     make(chan chan struct{}),
		damage:    make(chan error, 1),
		listeners: map[chan struct{}]struct{}{},
	}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	return s
}

// openAt is Open with a clock.
func openAt(ctx context.Context, o Options, now func() time.Time) (*Store, error) {
	s := newStore(o)
	s.now = now
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.disclose(), s.forgetRun(!s.before.noLog))
	}
	return s, nil
}

// open makes, checks, migrates and starts the database. Damage that shows only
// then is met like any other.
func (s *Store) open(ctx context.Context) error {
	scripts, err := migrations()
	if err != nil {
		return err
	}
	if err := s.prepare(ctx, scripts); err != nil {
		return err
	}
	err = s.start(ctx, scripts)
	if !isDamage(err) {
		return err
	}
	if err := s.disclose(); err != nil {
		s.logger.Warn("damaged database not closed", "error", err)
	}
	s.reader, s.writer = nil, nil
	if err := s.salvage(ctx, scripts, err.Error()); err != nil {
		return err
	}
	return s.start(ctx, scripts)
}

// prepare makes sure that there is a database to work with: it makes the file,
// or sets a damaged one aside and saves what can be read of it.
func (s *Store) prepare(ctx context.Context, scripts []string) error {
	if err := s.finishSwap(); err != nil {
		return err
	}
	_ = os.Remove(s.path + halfCopy) // it only takes room
	if err := s.minded(ctx, scripts); err != nil {
		return err
	}
	if err := s.compare(); err != nil {
		return err
	}
	if err := makeFile(s.path); err != nil {
		return err
	}
	cause, err := s.examine(ctx, len(scripts))
	if err != nil || cause == "" {
		return err
	}
	return s.salvage(ctx, scripts, cause)
}

// start connects to the database, brings it up to date and begins a run.
func (s *Store) start(ctx context.Context, scripts []string) (err error) {
	if s.writer, err = connect(s.path); err != nil {
		return err
	}
	from, err := version(ctx, s.writer.conn)
	if err != nil {
		return err
	}
	if from > 0 && from < len(scripts) {
		if err := s.backupBefore(ctx, from); err != nil {
			return err
		}
	}
	if err := migrate(ctx, s.writer.conn, scripts); err != nil {
		return err
	}
	if err := s.alone(s.startRun); err != nil {
		return fmt.Errorf("start queue: %w", err)
	}
	s.noteRun()
	s.reader, err = openReader(s.path)
	return err
}

// disclose closes what is open; the writer last, so that the database is left
// in one file.
func (s *Store) disclose() error {
	var faults []error
	if s.reader != nil {
		faults = append(faults, s.reader.Close())
	}
	if s.writer != nil {
		faults = append(faults, s.writer.close())
	}
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("close database: %w", err)
	}
	return nil
}

// InstallationID is random, made with the database, and never changes.
func (s *Store) InstallationID() string { return s.installation }

// Close ends Run, if it still runs, and closes the database. Nothing of the
// store may be used after it; closing again does nothing.
func (s *Store) Close() error {
	if !s.closed.CompareAndSwap(false, true) {
		return nil
	}
	if s.reading {
		return s.disclose()
	}
	close(s.closing)
	if s.started.CompareAndSwap(false, true) {
		close(s.done) // nobody ever wrote
	}
	<-s.done
	marked := true
	if s.gone != nil && s.writer != nil {
		s.writer.keepLog()
	} else if s.writer != nil {
		if err := s.alone(func(t *tx) error { return t.mark("clean", 1) }); err != nil {
			s.logger.Warn("the end was not marked; the next start will check the database", "error", err)
			marked = false
		}
	}
	return errors.Join(s.disclose(), s.forgetRun(!marked))
}
