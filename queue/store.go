package queue

import (
	"context"
	"errors"
	"log/slog"

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
}

// Store is the outbox. Its methods may be called from any goroutine.
type Store struct{}

// Open opens the database, making or migrating it as needed. Entries that an
// earlier run left as sending are put in doubt. The caller holds the folder's
// [Lock]. It returns an error wrapping [ErrNewer], [ErrForeign] or [ErrStorage].
func Open(ctx context.Context, o Options) (*Store, error) { return nil, ErrClosed }

// Run is the writer: it blocks until ctx ends, finishes what waits, and
// returns. Until it runs, writes wait.
func (s *Store) Run(ctx context.Context) error { return ErrClosed }

// Close ends Run, if it still runs, and closes the database.
func (s *Store) Close() error { return nil }

// InstallationID is random, made with the database, and never changes.
func (s *Store) InstallationID() string { return "" }

// Subscribe returns a channel of one slot that is nudged after each commit
// that added or changed entries, and a function that ends the subscription.
// A nudge says no more than "look again"; several may melt into one.
func (s *Store) Subscribe() (ch <-chan struct{}, stop func()) { return nil, func() {} }
