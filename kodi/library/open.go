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

// queryer runs queries within the one transaction of a look.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

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
	return read(ctx, tx)
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
