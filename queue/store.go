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

// Entry is an [entry.Entry], under the name that users of this package write.
type Entry = entry.Entry

// Options configures [Open].
type Options struct {
	Path     string         // the database file; its folder is created if missing
	Settings rules.Settings // the user's settings for package rules
	Logger   *slog.Logger   // nil discards all messages
	Busy     time.Duration  // how long to wait for a lock that another process holds on the file; 0 is 5 seconds
}

// Store is the outbox. Its methods may be called from any goroutine.
type Store struct {
	file     *sqlite.DB
	path     string
	settings rules.Settings
	logger   *slog.Logger
	now      func() time.Time

	// The writer goroutine alone uses these three.
	committed cache      // as of the last commit
	working   cache      // including the changes of the open transaction
	openTx    *sqlite.Tx // the transaction that working belongs to

	changes Changes
}

// schema creates the tables.
//
//go:embed schema.sql
var schema string

// Open opens the database, and creates or migrates it as needed. Entries that an earlier run left
// in the state sending become in doubt. A damaged database is quarantined: its readable rows are
// copied into a new one, and [Store.Notices] reports it. The caller must hold the folder's
// [sqlite.Lock]. Errors wrap [sqlite.ErrNewer], [sqlite.ErrForeign] or [sqlite.ErrStorage].
func Open(ctx context.Context, o Options) (*Store, error) {
	return openAt(ctx, o, time.Now)
}

// selectCounts returns the number of events and the number of state changes. Both are needed to
// notice lost commits: a lost change to the state sending matters as much as a lost event.
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

// Run runs the writer; see [sqlite.DB.Run]. It returns an error wrapping [sqlite.ErrDamaged] when
// the database turns out to be damaged.
func (s *Store) Run(ctx context.Context) error { return s.file.Run(ctx) }

// Alive returns once the writer has responded; see [sqlite.DB.Alive].
func (s *Store) Alive(ctx context.Context) error { return s.file.Alive(ctx) }

// Trouble returns why the last write failed; ok is false if it succeeded.
func (s *Store) Trouble() (trouble sqlite.Trouble, ok bool) { return s.file.Trouble() }

// Backup writes a consistent copy of the database to file without blocking writes; see
// [sqlite.DB.Backup]. When the copy is opened as a queue, its pending entries are held with the
// reason [viewing.ReasonRestored]: they may have been sent after the backup.
func (s *Store) Backup(ctx context.Context, file string) error { return s.file.Backup(ctx, file) }

// InstallationID returns the random id of this database. It never changes.
func (s *Store) InstallationID() string { return s.file.Installation() }

// Close stops Run and closes the database. The store must not be used afterwards. Closing it
// again does nothing.
func (s *Store) Close() error { return s.file.Close() }

// Notices returns the notices that were not acknowledged, the oldest first.
func (s *Store) Notices(ctx context.Context) ([]sqlite.Notice, error) { return s.file.Notices(ctx) }

// Acknowledge deletes a notice. It returns an error wrapping [entry.ErrNotFound] if there is no
// notice with that id.
func (s *Store) Acknowledge(ctx context.Context, id int64) error {
	return s.write(ctx, fmt.Sprintf("acknowledge notice %d", id), func(t *tx) error {
		t.nudge = true
		if !must(t.Acknowledge(id)) {
			return entry.ErrNotFound
		}
		return nil
	})
}

// Subscribe returns a channel that receives after each commit that added or changed entries, and
// a function that ends the subscription; see [Changes.Subscribe].
func (s *Store) Subscribe() (ch <-chan struct{}, stop func()) { return s.changes.Subscribe() }

// Changes notifies subscribers of changes. The zero value is ready to use.
type Changes struct {
	mu  sync.Mutex
	all map[chan struct{}]bool
}

// Subscribe returns a channel that receives after each [Changes.Nudge], and a function that ends
// the subscription. The channel has a buffer of one: several changes may be reported as one.
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

// Nudge sends to every subscriber without blocking. A subscriber that has not received the
// previous value gets only one.
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
