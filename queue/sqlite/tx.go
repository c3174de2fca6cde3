package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Query parameters for opening a file.
const (
	readOnly  = "mode=ro"
	readWrite = "mode=rw&_txlock=immediate"
)

// fileURL returns the SQLite URI of a file with query parameters.
func fileURL(path, how string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("resolve path of database: %w", err)
	}
	slashed := "/" + strings.TrimPrefix(filepath.ToSlash(full), "/") // a drive letter needs the leading slash, too
	return (&url.URL{Scheme: "file", Path: slashed, RawQuery: how}).String(), nil
}

// pool opens a pool of up to two connections to a file. The busy timeout comes first, so that it
// applies to the pragmas after it.
func (db *DB) pool(path, how string, pragmas ...string) (*sql.DB, error) {
	pragmas = append([]string{fmt.Sprintf("busy_timeout(%d)", db.o.Busy.Milliseconds())}, pragmas...)
	dsn, err := fileURL(path, how+"&_pragma="+strings.Join(pragmas, "&_pragma="))
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

// connection is the writer's connection, with its prepared statements.
type connection struct {
	pool       *sql.DB
	conn       *sql.Conn
	statements map[string]*sql.Stmt
}

// connect opens the writer's connection. FULL is what makes a commit survive a power cut; NORMAL
// loses what was just acknowledged.
func (db *DB) connect(path string) (*connection, error) {
	pool, err := db.pool(path, readWrite, "journal_mode(wal)", "synchronous(full)", "foreign_keys(1)")
	if err != nil {
		return nil, err
	}
	conn, err := pool.Conn(context.Background())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open database: %w: %w", ErrStorage, err), pool.Close())
	}
	return &connection{pool, conn, map[string]*sql.Stmt{}}, nil
}

// close closes the connection and rolls back an open transaction.
func (c *connection) close() error {
	for _, statement := range c.statements {
		statement.Close()
	}
	return errors.Join(c.conn.Close(), c.pool.Close())
}

// prepared returns the prepared statement of a query, and prepares it at first use.
func (c *connection) prepared(query string) (*sql.Stmt, error) {
	if statement := c.statements[query]; statement != nil {
		return statement, nil
	}
	statement, err := c.conn.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, StorageError(err)
	}
	c.statements[query] = statement
	return statement, nil
}

// Tx is the open transaction as one job sees it. Its statements do not use the caller's context:
// a canceled context would roll back the other jobs of the transaction too.
type Tx struct {
	*connection
	Now int64 // milliseconds since 1970; the same for the whole transaction

	afterCommit []func()
}

// AfterCommit registers a function that the writer calls once the transaction is on disk, before
// [DB.Write] returns. It is not called if the job fails.
func (t *Tx) AfterCommit(do func()) { t.afterCommit = append(t.afterCommit, do) }

// Exec runs a statement.
func (t *Tx) Exec(query string, args ...any) (sql.Result, error) {
	statement, err := t.prepared(query) //nolint:sqlclosecheck // kept open and closed with the connection
	if err != nil {
		return nil, err
	}
	result, err := statement.ExecContext(context.Background(), args...)
	if err != nil {
		return nil, StorageError(err)
	}
	return result, nil
}

// Affect runs a statement and returns the number of rows that it changed.
func (t *Tx) Affect(query string, args ...any) (int64, error) {
	result, err := t.Exec(query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Insert runs an INSERT and returns the id of the new row.
func (t *Tx) Insert(query string, args ...any) (int64, error) {
	result, err := t.Exec(query, args...)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// InsertNew runs an INSERT with ON CONFLICT DO NOTHING. It returns the id of the new row; added
// is false if none exists.
func (t *Tx) InsertNew(query string, args ...any) (id int64, added bool, err error) {
	result, err := t.Exec(query, args...)
	if err != nil {
		return 0, false, err
	}
	n, _ := result.RowsAffected() // neither can fail
	id, _ = result.LastInsertId()
	return id, n > 0, nil
}

// Find scans the first row of a query; found is false without a row.
func (t *Tx) Find(query string, args []any, into ...any) (found bool, err error) {
	rows, err := All(t, func(r *sql.Rows) (struct{}, error) { return struct{}{}, r.Scan(into...) }, query, args...)
	return len(rows) > 0, err
}

// Numbers returns the single integer column of a query.
func (t *Tx) Numbers(query string, args ...any) ([]int64, error) {
	return All(t, Scan[int64], query, args...)
}

// Run runs statements without arguments in order.
func (t *Tx) Run(statements ...string) error {
	for _, statement := range statements {
		if _, err := t.Exec(statement); err != nil {
			return err
		}
	}
	return nil
}

// SetMeta stores a number in the table meta.
func (t *Tx) SetMeta(key string, value int64) error {
	_, err := t.Exec("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", key, value)
	return err
}

// All returns the rows of a query as the transaction sees them.
func All[T any](t *Tx, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	statement, err := t.prepared(query) //nolint:sqlclosecheck // kept open and closed with the connection
	if err != nil {
		return nil, err
	}
	rows, err := statement.QueryContext(context.Background(), args...)
	return Collect(rows, err, scan)
}

// Read returns the rows of a query as of the last commit. If it finds damage, [DB.Run] ends, so
// that the next start can recover the database.
func Read[T any](ctx context.Context, db *DB, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	rows, err := db.reader.QueryContext(ctx, query, args...)
	all, err := Collect(rows, err, scan)
	db.reportDamage(err)
	return all, err
}

// Collect scans all rows and closes them. Without rows it returns an empty slice.
func Collect[T any](rows *sql.Rows, err error, scan func(*sql.Rows) (T, error)) ([]T, error) {
	if err != nil {
		return nil, StorageError(err)
	}
	defer rows.Close()
	all := []T{}
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, StorageError(err)
		}
		all = append(all, one)
	}
	if err := rows.Err(); err != nil {
		return nil, StorageError(err)
	}
	return all, nil
}

// Scan scans a row with one column.
func Scan[T any](r *sql.Rows) (value T, err error) {
	err = r.Scan(&value)
	return value, err
}

// StorageError wraps an error of the database with [ErrStorage]. Errors of a canceled context are
// returned unchanged.
func StorageError(err error) error {
	if errors.Is(err, ErrStorage) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrStorage, err)
}

// resultCode returns the primary SQLite result code of an error; 0 for other errors.
func resultCode(err error) int {
	if found, ok := errors.AsType[*sqlite.Error](err); ok {
		return found.Code() & 0xff
	}
	return 0
}

// isDamage reports whether err means that the file is damaged.
func isDamage(err error) bool {
	c := resultCode(err)
	return c == sqlite3.SQLITE_CORRUPT || c == sqlite3.SQLITE_NOTADB
}

// isJobError reports whether only the job that returned err fails, because err leaves the
// transaction intact: an error of the job itself, or data that violates the schema. After any
// other error, such as a full disk, SQLite may have rolled back already.
func isJobError(err error) bool {
	switch resultCode(err) {
	case 0, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH:
		return true
	default:
		return false
	}
}
