package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// tx is the open transaction as one change sees it. A statement that fails ends the whole
// change: the methods throw its error, and [Store.change] returns it. An error that they
// return says why the change cannot be made.
type tx struct {
	*sqlite.Tx
	*cache
	settings rules.Settings
	now      int64 // milliseconds; the same for the whole transaction

	counterChanges map[counter]int64 // in the counters
	nudge          bool              // entries were added or changed
}

// statementError is the panic of a failed statement.
type statementError struct{ err error }

// must throws an error.
func must[T any](value T, err error) T {
	if err != nil {
		panic(statementError{err})
	}
	return value
}

// catchStatementError returns the error of a change, returned or thrown.
func catchStatementError(do func() error) (err error) {
	defer func() {
		switch failed := recover().(type) {
		case nil:
		case statementError:
			err = failed.err
		default:
			panic(failed)
		}
	}()
	return do()
}

// exec runs a statement, and returns how many rows it has changed.
func (t *tx) exec(query string, args ...any) int64 { return must(t.Affect(query, args...)) }

// find reads one row; found is false when there is none.
func (t *tx) find(query string, args []any, into ...any) (found bool) {
	return must(t.Find(query, args, into...))
}

// numbers reads rows of one number each.
func (t *tx) numbers(query string, args ...any) []int64 { return must(t.Numbers(query, args...)) }

// selectRows reads rows.
func selectRows[T any](t *tx, scan func(*sql.Rows) (T, error), query string, args ...any) []T {
	return must(sqlite.All(t.Tx, scan, query, args...))
}

// cache is what changes go by and is not read from the database each time.
type cache struct {
	silences map[string][]account.Silence // by account; nil when they were not read
	bursts   map[string]burst             // by source
	titles   map[string]int               // the year that is known at least of titles that the transaction has kept, by key; 0 is none
}

// write has a change written and waits until it is on disk; see [sqlite.DB.Write]. what
// names it in an error.
func (s *Store) write(ctx context.Context, what string, do func(*tx) error) error {
	err := s.file.Write(ctx, func(d *sqlite.Tx) error { return s.change(d, do) })
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// errDry undoes what a dry run did.
var errDry = errors.New("dry run")

// writeDry is write, undone at the end of a dry run.
func (s *Store) writeDry(ctx context.Context, what string, dry bool, do func(*tx) error) error {
	err := s.write(ctx, what, func(t *tx) error {
		if err := do(t); err != nil || !dry {
			return err
		}
		return errDry
	})
	if errors.Is(err, errDry) {
		return nil
	}
	return err
}

// read collects the rows of a query; what names it in an error.
func read[T any](ctx context.Context, s *Store, what string, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	all, err := sqlite.Read(ctx, s.file, scan, query, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return all, nil
}

// readNumber is the first number that a query finds; ok is false without any.
func (s *Store) readNumber(ctx context.Context, what, query string, args ...any) (n int64, ok bool, err error) {
	found, err := read(ctx, s, what, sqlite.Scan[int64], query, args...)
	if len(found) > 0 {
		return found[0], true, err
	}
	return 0, false, err
}

// readTime is [Store.readNumber] of a time.
func (s *Store) readTime(ctx context.Context, what, query string, args ...any) (t time.Time, ok bool, err error) {
	at, ok, err := s.readNumber(ctx, what, query, args...)
	if ok {
		t = millis(at)
	}
	return t, ok, err
}

// change makes one change within a transaction, with the counters. What it changes
// in memory counts for the changes after it, and for good once it is on disk.
func (s *Store) change(d *sqlite.Tx, do func(*tx) error) error {
	if s.openTx != d { // the first change of its transaction
		s.openTx, s.working = d, s.committed
		s.working.titles = map[string]int{}
	}
	before := s.working
	s.working.bursts = maps.Clone(before.bursts)
	t := &tx{Tx: d, cache: &s.working, settings: s.settings, now: d.Now}
	err := catchStatementError(func() error {
		if err := do(t); err != nil {
			return err
		}
		for c, by := range t.counterChanges {
			if by != 0 {
				t.exec(`INSERT INTO counters (account, state, current, ever) VALUES (?1, ?2, ?3, max(?3, 0))
					ON CONFLICT (account, state) DO UPDATE SET current = current + excluded.current, ever = ever + excluded.ever`, c.account, string(c.state), by)
			}
		}
		return nil
	})
	if err != nil {
		s.working = before
		return err
	}
	d.AfterCommit(func() {
		s.committed = s.working
		if t.nudge {
			s.changes.Nudge()
		}
	})
	return nil
}

// counter is the number of entries of an account in a state.
type counter struct {
	account string
	state   viewing.State
}

// count changes a counter.
func (t *tx) count(account string, s viewing.State, by int64) {
	if t.counterChanges == nil {
		t.counterChanges = map[counter]int64{}
	}
	t.counterChanges[counter{account, s}] += by
	t.nudge = true
}
