package queue

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/sqlite"
)

// ErrChanged is wrapped when an entry changed since it was read.
var ErrChanged = errors.New("entry has changed")

// Entry is an [entry.Entry]: whoever uses the queue names it so.
type Entry = entry.Entry

// Options configures [Open].
type Options struct {
	Path     string         // the database file; its folder is made when absent
	Settings rules.Settings // what the rules decide by
	Logger   *slog.Logger   // nil discards
	Busy     time.Duration  // how long another process' lock on the file is waited for; 0 is 5 seconds
}

// Store is the outbox. Its methods may be called from any goroutine.
type Store struct {
	file     *sqlite.DB
	path     string
	settings rules.Settings
	logger   *slog.Logger
	now      func() time.Time

	committed cache      // as of the last commit; touched by the writer only, as the next two
	working   cache      // with the changes of the open transaction
	openTx    *sqlite.Tx // which that is

	changes Changes
}

// schema creates the tables.
//
//go:embed schema.sql
var schema string

// Open opens the database, creating or migrating it as needed. Entries that an
// earlier run left as sending are put in doubt. A damaged database is set aside,
// its readable rows are copied into a new one, and [Store.Notices] says so. The caller
// holds the folder's [sqlite.Lock]. The error wraps [sqlite.ErrNewer],
// [sqlite.ErrForeign] or [sqlite.ErrStorage].
func Open(ctx context.Context, o Options) (*Store, error) {
	return openAt(ctx, o, time.Now)
}

// selectCounts counts the events, and how often an entry came into a state: a mark that
// something was sent must not be lost either.
const selectCounts = "SELECT (SELECT coalesce(max(id), 0) FROM events), (SELECT coalesce(sum(ever), 0) FROM counters)"

// openAt is Open with a clock.
func openAt(ctx context.Context, o Options, now func() time.Time) (*Store, error) {
	s := &Store{path: o.Path, settings: o.Settings, logger: cmp.Or(o.Logger, slog.New(slog.DiscardHandler)), now: now}
	s.committed.bursts = map[string]burst{}
	var err error
	s.file, err = sqlite.Open(ctx, sqlite.Options{
		Path: o.Path, Schema: []string{schema}, Logger: s.logger, Now: now, Busy: o.Busy,
		Count: selectCounts, Start: s.start, Repair: s.repair,
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Run is the writer; see [sqlite.DB.Run]. When the database turns out to be
// damaged, the error wraps [sqlite.ErrDamaged].
func (s *Store) Run(ctx context.Context) error { return s.file.Run(ctx) }

// Alive returns once the writer has moved; see [sqlite.DB.Alive].
func (s *Store) Alive(ctx context.Context) error { return s.file.Alive(ctx) }

// Trouble is what keeps the queue from writing now; ok is false when nothing
// does, as far as was tried.
func (s *Store) Trouble() (trouble sqlite.Trouble, ok bool) { return s.file.Trouble() }

// Backup writes a copy of the database, as of one moment, to file while all
// goes on; see [sqlite.DB.Backup]. When the copy is opened as a queue, what was
// pending in it is held with the reason [viewing.ReasonRestored]: it may have been sent
// since.
func (s *Store) Backup(ctx context.Context, file string) error { return s.file.Backup(ctx, file) }

// InstallationID is random, made with the database, and never changes.
func (s *Store) InstallationID() string { return s.file.Installation() }

// Close ends Run, if it still runs, and closes the database. Nothing of the
// store may be used after it; closing again does nothing.
func (s *Store) Close() error { return s.file.Close() }

// Notices lists what has not been acknowledged, the oldest first.
func (s *Store) Notices(ctx context.Context) ([]sqlite.Notice, error) { return s.file.Notices(ctx) }

// Acknowledge forgets a notice. It returns an error wrapping [entry.ErrNotFound]
// when there is none of that id.
func (s *Store) Acknowledge(ctx context.Context, id int64) error {
	return s.write(ctx, fmt.Sprintf("acknowledge notice %d", id), func(t *tx) error {
		t.nudge = true
		if !must(t.Acknowledge(id)) {
			return entry.ErrNotFound
		}
		return nil
	})
}

// Subscribe returns a channel of one slot that is nudged after each commit
// that added or changed entries, and a function that ends the subscription.
func (s *Store) Subscribe() (ch <-chan struct{}, stop func()) { return s.changes.Subscribe() }

// Changes tells subscribers that something has changed.
type Changes struct {
	mu  sync.Mutex
	all map[chan struct{}]bool
}

// Subscribe returns a channel of one slot that is nudged after a change, and a function
// that ends the subscription. A nudge says no more than "look again"; several may melt
// into one.
func (c *Changes) Subscribe() (ch <-chan struct{}, stop func()) {
	nudges := make(chan struct{}, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil {
		c.all = map[chan struct{}]bool{}
	}
	c.all[nudges] = true
	return nudges, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.all, nudges)
	}
}

// Nudge tells every subscriber; one that has not looked since the last nudge
// will see this change too.
func (c *Changes) Nudge() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for nudges := range c.all {
		select {
		case nudges <- struct{}{}:
		default:
		}
	}
}
