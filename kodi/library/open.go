package library

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Bounds of one look. While we read, Kodi's writes wait, and behind them its
// own reads: its whole window stands still.
const (
	busyTimeout = 800 * time.Millisecond // how long we wait for Kodi
	lookTimeout = 4 * time.Second        // how long Kodi may wait for us
)

// rower runs queries.
type rower interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// queryer runs queries within the one transaction of a look, and knows what
// each kind of database says in its own way.
type queryer interface {
	rower
	columns(ctx context.Context, table string) ([]string, error) // none when there is no such table
	whole(expression string) string                              // as a whole number
}

// file is the transaction in a library file.
type file struct{ *sql.Tx }

func (f file) columns(ctx context.Context, table string) ([]string, error) {
	return texts(ctx, f, `select name from pragma_table_info(?)`, table)
}

func (file) whole(expression string) string { return "cast(" + expression + " as integer)" }

// look runs read in one read-only transaction, and has closed the file when
// it returns. Errors are classified.
func look(ctx context.Context, path string, read func(context.Context, queryer) error) error {
	if _, err := os.Stat(path); err != nil {
		return classifyFile(err)
	}
	bounded, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	err := lookThrough(bounded, path, read)
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

func lookThrough(ctx context.Context, path string, read func(context.Context, queryer) error) (err error) {
	dsn, err := readOnly(path)
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing was written; what counts is the lock let go
	return read(ctx, file{tx})
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
