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

// The ways to open a file.
const (
	readOnly  = "mode=ro"
	readWrite = "mode=rw&_txlock=immediate"
)

// fileURL is a file for SQLite, and how to open it.
func fileURL(path, how string) (string, error) {
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

// connection is the one connection that writes, with its prepared statements.
type connection struct {
	pool       *sql.DB
	conn       *sql.Conn
	statements map[string]*sql.Stmt
}

// connect opens the connection that writes. FULL is what makes a commit survive
// a power cut; NORMAL loses what was just acknowledged.
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

// close closes the connection; what it had not committed is undone.
func (c *connection) close() error {
	for _, statement := range c.statements {
		statement.Close()
	}
	return errors.Join(c.conn.Close(), c.pool.Close())
}

// prepared prepares a statement once.
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

// Tx is the open transaction as one job sees it. Statements never get a caller's
// context: a context that ended would undo the work of the other jobs too.
type Tx struct {
	*connection
	Now int64 // milliseconds since 1970; the same for the whole transaction

	afterCommit []func()
}

// AfterCommit has do called by the writer once the transaction is on disk,
// before anybody is answered. It is not called when the job fails.
func (t *Tx) AfterCommit(do func()) { t.afterCommit = append(t.afterCommit, do) }

// Exec runs a statement for its effect.
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

// Affect runs a statement and returns how many rows it changed.
func (t *Tx) Affect(query string, args ...any) (int64, error) {
	result, err := t.Exec(query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Insert runs an INSERT and returns the new row's id.
func (t *Tx) Insert(query string, args ...any) (int64, error) {
	result, err := t.Exec(query, args...)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// InsertNew runs an INSERT that may do nothing, and returns the new row's id and whether
// there is one.
func (t *Tx) InsertNew(query string, args ...any) (id int64, added bool, err error) {
	result, err := t.Exec(query, args...)
	if err != nil {
		return 0, false, err
	}
	n, _ := result.RowsAffected() // neither can fail
	id, _ = result.LastInsertId()
	return id, n > 0, nil
}

// Find reads one row; found is false when there is none.
func (t *Tx) Find(query string, args []any, into ...any) (found bool, err error) {
	rows, err := All(t, func(r *sql.Rows) (struct{}, error) { return struct{}{}, r.Scan(into...) }, query, args...)
	return len(rows) > 0, err
}

// Numbers reads rows of one number each.
func (t *Tx) Numbers(query string, args ...any) ([]int64, error) {
	return All(t, Scan[int64], query, args...)
}

// Run runs plain statements in order.
func (t *Tx) Run(statements ...string) error {
	for _, statement := range statements {
		if _, err := t.Exec(statement); err != nil {
			return err
		}
	}
	return nil
}

// SetMeta keeps a number in the table "meta".
func (t *Tx) SetMeta(key string, value int64) error {
	_, err := t.Exec("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", key, value)
	return err
}

// All reads all rows of a query as the transaction sees them.
func All[T any](t *Tx, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	statement, err := t.prepared(query) //nolint:sqlclosecheck // kept open and closed with the connection
	if err != nil {
		return nil, err
	}
	rows, err := statement.QueryContext(context.Background(), args...)
	return Collect(rows, err, scan)
}

// Read reads all rows of a query, as of the last commit. Damage that it meets ends the
// run: it would stay for good if only a writer's did.
func Read[T any](ctx context.Context, db *DB, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	rows, err := db.reader.QueryContext(ctx, query, args...)
	all, err := Collect(rows, err, scan)
	db.reportDamage(err)
	return all, err
}

// Collect reads all rows and closes them; no rows are an empty list.
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

// Scan reads a row of one value.
func Scan[T any](r *sql.Rows) (value T, err error) {
	err = r.Scan(&value)
	return value, err
}

// StorageError marks an error of the database as [ErrStorage]. The end of a
// caller's context is no fault of the database.
func StorageError(err error) error {
	if errors.Is(err, ErrStorage) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrStorage, err)
}

// resultCode is SQLite's primary result code of an error; 0 for others.
func resultCode(err error) int {
	if found, ok := errors.AsType[*sqlite.Error](err); ok {
		return found.Code() & 0xff
	}
	return 0
}

// isDamage reports whether err says that the file is not what SQLite wrote.
func isDamage(err error) bool {
	c := resultCode(err)
	return c == sqlite3.SQLITE_CORRUPT || c == sqlite3.SQLITE_NOTADB
}

// isJobError reports whether err leaves the transaction intact, so that only
// the job that got it fails: its own checks, or data against the schema.
// Anything else, such as a full disk, may have undone the transaction already.
func isJobError(err error) bool {
	switch resultCode(err) {
	case 0, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH:
		return true
	default:
		return false
	}
}
