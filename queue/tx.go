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

// tx is the open transaction as one change sees it.
//
// The methods of tx do not return the errors of SQL statements and of missing entries. They panic
// with a txError instead, which [Store.change] recovers and returns, as encoding/gob does with
// gobError and catchError. Such an error always ends the whole change, and sqlite rolls its
// transaction back. An error that a method returns is about the change itself, such as a verb
// that does not apply.
type tx struct {
	*sqlite.Tx
	*cache
	settings rules.Settings
	now      int64 // in milliseconds since 1970; the same for the whole transaction

	counterChanges map[counter]int64 // written to the table counters when the change ends
	nudge          bool              // wakes the subscribers after the commit: entries were added or changed
}

// txError is the value with which [must] and [tx.entry] panic. It never leaves this package:
// [catchTxError] turns it back into an error.
type txError struct{ err error }

// must returns value, or panics with a txError if err is not nil. Only code that runs within
// [Store.change] or [Store.repair] may call it.
func must[T any](value T, err error) T {
	if err != nil {
		panic(txError{err})
	}
	return value
}

// catchTxError calls do and returns its error, or the error of the txError that do panicked with.
// Any other panic is a bug and continues.
func catchTxError(do func() error) (err error) {
	defer func() {
		switch failed := recover().(type) {
		case nil:
		case txError:
			err = failed.err
		default:
			panic(failed)
		}
	}()
	return do()
}

// exec runs a statement and returns the number of rows that it changed.
func (t *tx) exec(query string, args ...any) int64 { return must(t.Affect(query, args...)) }

// find scans the first row of a query; found is false without a row.
func (t *tx) find(query string, args []any, into ...any) (found bool) {
	return must(t.Find(query, args, into...))
}

// numbers returns the single integer column of a query.
func (t *tx) numbers(query string, args ...any) []int64 { return must(t.Numbers(query, args...)) }

// selectRows returns the rows of a query.
func selectRows[T any](t *tx, scan func(*sql.Rows) (T, error), query string, args ...any) []T {
	return must(sqlite.All(t.Tx, scan, query, args...))
}

// cache holds state that changes need and that is not read from the database each time.
type cache struct {
	silences map[string][]account.Silence // by account; nil until they are read
	bursts   map[string]burst             // by source
	titles   map[string]int               // the years of the titles that this transaction has saved, by key; 0 if unknown
}

// write runs a change in a transaction of the writer and returns when it is on disk; see
// [sqlite.DB.Write]. The error messages begin with action.
func (s *Store) write(ctx context.Context, action string, do func(*tx) error) error {
	err := s.file.Write(ctx, func(d *sqlite.Tx) error { return s.change(d, do) })
	if err != nil {
		return fmt.Errorf("%s: %w", action, err)
	}
	return nil
}

// errDry rolls back a dry run.
var errDry = errors.New("dry run")

// writeDry is like [Store.write], but rolls the change back if dry is set.
func (s *Store) writeDry(ctx context.Context, action string, dry bool, do func(*tx) error) error {
	err := s.write(ctx, action, func(t *tx) error {
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

// read returns the rows of a query as of the last commit. The error messages begin with action.
func read[T any](ctx context.Context, s *Store, action string, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	all, err := sqlite.Read(ctx, s.file, scan, query, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", action, err)
	}
	return all, nil
}

// readNumber returns the first number of a query; ok is false when there is no row.
func (s *Store) readNumber(ctx context.Context, action, query string, args ...any) (n int64, ok bool, err error) {
	found, err := read(ctx, s, action, sqlite.Scan[int64], query, args...)
	if len(found) > 0 {
		return found[0], true, err
	}
	return 0, false, err
}

// readTime is like [Store.readNumber] for a time in milliseconds.
func (s *Store) readTime(ctx context.Context, action, query string, args ...any) (t time.Time, ok bool, err error) {
	at, ok, err := s.readNumber(ctx, action, query, args...)
	if ok {
		t = millis(at)
	}
	return t, ok, err
}

// change runs one change within a transaction and updates the counters. Changes to the cache are
// visible to the later changes of the same transaction; they become permanent with the commit. It
// returns the errors of failed statements; see [tx].
func (s *Store) change(d *sqlite.Tx, do func(*tx) error) error {
	if s.openTx != d { // the first change of its transaction
		s.openTx, s.working = d, s.committed
		s.working.titles = map[string]int{}
	}
	before := s.working
	s.working.bursts = maps.Clone(before.bursts)
	t := &tx{Tx: d, cache: &s.working, settings: s.settings, now: d.Now}
	err := catchTxError(func() error {
		if err := do(t); err != nil {
			return err
		}
		for key, by := range t.counterChanges {
			if by != 0 {
				t.exec(`INSERT INTO counters (account, state, current, ever) VALUES (?1, ?2, ?3, max(?3, 0))
					ON CONFLICT (account, state) DO UPDATE SET current = current + excluded.current, ever = ever + excluded.ever`, key.account, string(key.state), by)
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

// counter identifies a row of the table counters: the number of entries of an account in a state.
type counter struct {
	account string
	state   viewing.State
}

// count adds to a counter.
func (t *tx) count(account string, s viewing.State, by int64) {
	if t.counterChanges == nil {
		t.counterChanges = map[counter]int64{}
	}
	t.counterChanges[counter{account, s}] += by
	t.nudge = true
}
