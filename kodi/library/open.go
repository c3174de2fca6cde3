package library

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/filmspool/filmspool/kodi/plainfile"
)

// Bounds of one transaction. While it lasts, Kodi's writes wait, and behind
// them its own reads: its whole window stands still.
const (
	busyTimeout = 800 * time.Millisecond // how long we wait for Kodi
	lookTimeout = 4 * time.Second        // how long Kodi may wait for us
	lookSlice   = 40 * time.Millisecond  // how long it shall wait at most
	readTimeout = 20 * time.Second       // of all transactions of one reading
)

// rower runs queries.
type rower interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// queryer runs queries within one transaction, and knows what each kind of
// database says in its own way.
type queryer interface {
	rower
	columns(ctx context.Context, table string) ([]string, error) // none when there is no such table
	whole(expression string) string                              // as a whole number
}

// file is a transaction in a library file.
type file struct{ *sql.Tx }

func (f file) columns(ctx context.Context, table string) ([]string, error) {
	var kind string
	err := each(ctx, f, `select type from sqlite_master where name = ? collate nocase`, func(scan scanner) error { return scan(&kind) }, table)
	switch {
	case err != nil:
		return nil, err
	case kind != "" && kind != "table": // a view can hold anything, and without end
		return nil, fmt.Errorf("%w: %s is a %s and no table", ErrNotDatabase, table, kind)
	}
	return texts(ctx, f, `select name from pragma_table_info(?)`, table)
}

func (file) whole(expression string) string { return "cast(" + expression + " as integer)" }

// visit is an open library file.
type visit struct {
	conn *sql.Conn
	held time.Duration // the longest transaction so far
}

// look runs read in one read-only transaction, and has closed the file when
// it returns. Errors are classified.
func look(ctx context.Context, path string, read func(context.Context, queryer) error) error {
	return open(ctx, path, func(ctx context.Context, v *visit) error { return v.transact(ctx, read) })
}

// open runs read with an open file, and has closed it when it returns. Errors
// are classified.
func open(ctx context.Context, path string, read func(context.Context, *visit) error) error {
	if err := regular(path); err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	err := openThrough(bounded, path, func(v *visit) error { return read(bounded, v) })
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case bounded.Err() != nil:
		return fmt.Errorf("%w: reading took too long: %w", ErrBusy, err)
	default:
		return classify(err)
	}
}

// regular fails unless the library, and what SQLite would open beside it, are
// plain files: SQLite waits in the open of a pipe.
func regular(path string) error {
	if err := plainfile.Check(path); err != nil {
		return classifyFile(err)
	}
	for _, suffix := range []string{"-journal", "-wal", "-shm"} {
		if err := plainfile.Check(path + suffix); errors.Is(err, plainfile.ErrOdd) {
			return err
		}
	}
	return nil
}

func openThrough(ctx context.Context, path string, read func(*visit) error) (err error) {
	dsn, err := readOnly(path)
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_LENGTH, maxRow); err != nil {
		return err
	}
	return read(&visit{conn: conn})
}

// transact runs read in one read-only transaction.
func (v *visit) transact(ctx context.Context, read func(context.Context, queryer) error) error {
	bounded, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	err := v.transactWithin(bounded, read)
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: reading took too long: %w", ErrBusy, err)
	}
	return err
}

func (v *visit) transactWithin(ctx context.Context, read func(context.Context, queryer) error) error {
	tx, err := v.conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	begun := time.Now()
	defer func() {
		_ = tx.Rollback() // nothing was written; what counts is the lock let go
		v.held = max(v.held, time.Since(begun))
	}()
	return read(ctx, file{tx})
}

// errMoved: the library has changed between two transactions of one reading.
var errMoved = errors.New("the library changed while it was read")

// together gives read a way to run steps in short transactions, which see one
// state all the same. When Kodi writes in between, read begins again; after a
// few times all of it is one transaction.
func (v *visit) together(ctx context.Context, read func(step func(...stepper) error) error) error {
	const tries = 3
	for range tries {
		var state int64
		err := read(func(steps ...stepper) error { return v.inState(ctx, &state, steps) })
		if !errors.Is(err, errMoved) {
			return err
		}
	}
	return v.transact(ctx, func(ctx context.Context, q queryer) error {
		return read(func(steps ...stepper) error { return run(ctx, q, steps) })
	})
}

// stepper reads a part of the tables.
type stepper func(context.Context, queryer) error

func run(ctx context.Context, q queryer, steps []stepper) error {
	for _, step := range steps {
		err := step(ctx, q)
		for errors.Is(err, errMore) {
			err = step(ctx, q)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inState runs each step in a transaction of its own, and fails unless all of
// them see the state of the first. SQLite gives a connection another number
// whenever someone else has committed, with a rollback journal and with WAL.
func (v *visit) inState(ctx context.Context, state *int64, steps []stepper) error {
	for _, step := range steps {
		once := func(ctx context.Context, q queryer) error {
			if err := sameState(ctx, q, state); err != nil {
				return err
			}
			return step(ctx, q)
		}
		err := v.transact(ctx, once)
		for errors.Is(err, errMore) {
			err = v.transact(ctx, once)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sameState fails when the state is not the given one, which 0 leaves open.
func sameState(ctx context.Context, q queryer, state *int64) error {
	var now int64
	if err := each(ctx, q, `pragma data_version`, func(scan scanner) error { return scan(&now) }); err != nil {
		return err
	}
	if *state != 0 && now != *state {
		return errMoved
	}
	*state = now
	return nil
}

// readOnly is the address under which SQLite opens path without ever writing
// to it. Only a file: URI carries the mode; with a plain path it would be
// ignored and the file opened for writing.
func readOnly(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	slashed := filepath.ToSlash(abs)
	if !strings.HasPrefix(slashed, "/") { // C:/…
		slashed = "/" + slashed
	}
	query := url.Values{"mode": {"ro"}, "_txlock": {"deferred"}}
	query.Add("_pragma", fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()))
	query.Add("_pragma", "query_only(1)")
	u := url.URL{Scheme: "file", Path: slashed, RawQuery: query.Encode()}
	return u.String(), nil
}
