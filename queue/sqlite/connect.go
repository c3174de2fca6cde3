package sqlite

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// The ways to open a file.
const (
	reading = "mode=ro"
	writing = "mode=rw&_txlock=immediate"
)

// address is a file for SQLite, and how to open it.
func address(path, how string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find database: %w", err)
	}
	slashed := "/" + strings.TrimPrefix(filepath.ToSlash(full), "/") // also before a drive letter
	return (&url.URL{Scheme: "file", Path: slashed, RawQuery: how}).String(), nil
}

// pool opens up to two connections to a file. The busy time-out comes first, so that
// the pragmas after it wait too.
func (db *DB) pool(path, how string, pragmas ...string) (*sql.DB, error) {
	pragmas = append([]string{fmt.Sprintf("busy_timeout(%d)", db.o.Busy.Milliseconds())}, pragmas...)
	dsn, err := address(path, how+"&_pragma="+strings.Join(pragmas, "&_pragma="))
	if err != nil {
		return nil, err
	}
	pool, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("open database: %w: %w", ErrStorage, err)
	}
	pool.SetMaxOpenConns(2)
	pool.SetMaxIdleConns(2)
	return pool, nil
}
