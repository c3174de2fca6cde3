package disk

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// connection is the one that writes, with its prepared statements.
type connection struct {
	db      *sql.DB
	conn    *sql.Conn
	queries map[string]*sql.Stmt
	effects map[string]effect
}

// effect is a statement run for its effect, or for a few numbers. It is prepared
// below database/sql, which would cost a tenth of the time of a commit of many events.
type effect interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// connect opens the one connection that writes. FULL is what makes a commit
// survive a power cut; NORMAL loses what was just acknowledged.
func connect(path string, busy time.Duration) (*connection, error) {
	db, err := openPool(1, path, "rw", busy, "journal_mode(wal)", "synchronous(full)", "foreign_keys(1)")
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(context.Background())
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("open database: %w: %w", ErrStorage, err)
	}
	return &connection{db: db, conn: conn, queries: map[string]*sql.Stmt{}, effects: map[string]effect{}}, nil
}

// close gives the connection up; what it had not committed is undone.
func (c *connection) close() error {
	for _, statement := range c.queries {
		statement.Close()
	}
	_ = c.conn.Raw(func(any) error { // of a broken connection there is nothing to close
		for _, statement := range c.effects {
			_ = statement.Close()
		}
		return nil
	})
	return errors.Join(c.conn.Close(), c.db.Close())
}

// Exec runs a statement for its effect. Statements never get a caller's
// context: one that ended in the middle would take the neighbours' work along.
func (c *connection) Exec(query string, args ...any) (result driver.Result, err error) {
	named, err := bind(args)
	if err != nil {
		return nil, err
	}
	err = c.conn.Raw(func(below any) error {
		statement, err := c.effect(below, query)
		if err == nil {
			result, err = statement.ExecContext(context.Background(), named)
		}
		return err
	})
	if err != nil {
		return nil, StorageError(err)
	}
	return result, nil
}

// effect prepares a statement once.
func (c *connection) effect(below any, query string) (effect, error) {
	if statement := c.effects[query]; statement != nil {
		return statement, nil
	}
	preparer, ok := below.(driver.ConnPrepareContext)
	if !ok {
		return nil, errors.New("driver prepares no statements")
	}
	prepared, err := preparer.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	statement, ok := prepared.(effect)
	if !ok {
		return nil, errors.Join(errors.New("driver runs no prepared statements"), prepared.Close())
	}
	c.effects[query] = statement
	return statement, nil
}

// Numbers runs a statement for its rows of one number each, below database/sql
// as Exec does: for what every commit asks, and mostly in vain.
func (c *connection) Numbers(query string, args ...any) (found []int64, err error) {
	named, err := bind(args)
	if err != nil {
		return nil, err
	}
	err = c.conn.Raw(func(below any) error {
		statement, err := c.effect(below, query)
		if err != nil {
			return err
		}
		rows, err := statement.QueryContext(context.Background(), named)
		if err != nil {
			return err
		}
		var row [1]driver.Value
		for err = rows.Next(row[:]); err == nil; err = rows.Next(row[:]) {
			number, ok := row[0].(int64)
			if !ok {
				return errors.Join(fmt.Errorf("%T is no number", row[0]), rows.Close())
			}
			found = append(found, number)
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return errors.Join(err, rows.Close())
	})
	if err != nil {
		return nil, StorageError(err)
	}
	return found, nil
}

// bind makes arguments what the driver takes.
func bind(args []any) (named []driver.NamedValue, err error) {
	named = make([]driver.NamedValue, len(args))
	for i, arg := range args {
		named[i].Ordinal = i + 1
		if named[i].Value, err = driver.DefaultParameterConverter.ConvertValue(arg); err != nil {
			return nil, fmt.Errorf("write column %d: %w", i+1, err)
		}
	}
	return named, nil
}

// Query runs a statement for its rows. The caller drains them before anything
// else is asked of the connection: there is only this one.
func (c *connection) Query(query string, args ...any) (*sql.Rows, error) {
	statement := c.queries[query]
	if statement == nil {
		prepared, err := c.conn.PrepareContext(context.Background(), query)
		if err != nil {
			return nil, StorageError(err)
		}
		statement, c.queries[query] = prepared, prepared
	}
	rows, err := statement.QueryContext(context.Background(), args...)
	if err != nil {
		return nil, StorageError(err)
	}
	return rows, nil
}

// Tx is the open transaction as one change sees it.
type Tx struct {
	*connection
	Now int64 // milliseconds since 1970; the same for the whole transaction
}

// Affect runs a statement and says how many rows it changed.
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

// Find reads one row; found is false when there is none.
func (t *Tx) Find(query string, args []any, into ...any) (found bool, err error) {
	rows, err := t.Query(query, args...)
	_, err = Collect(rows, err, func(r *sql.Rows) (struct{}, error) {
		found = true
		return struct{}{}, r.Scan(into...)
	})
	return found, err
}

// Collect drains and closes rows; no rows are an empty list.
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

// ScanID reads a row of one id.
func ScanID(r *sql.Rows) (id int64, err error) {
	err = r.Scan(&id)
	return id, err
}

// StorageError marks what the database said as [ErrStorage]. A reader's own
// wish to stop is no fault of the database.
func StorageError(err error) error {
	if errors.Is(err, ErrStorage) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrStorage, err)
}

// SpoilsOnlyItself reports whether err leaves the transaction whole, so that
// only the job that met it fails: its own checks, or data against the schema.
// Anything else, such as a full disk, may have undone the transaction already.
func SpoilsOnlyItself(err error) bool {
	var said *sqlite.Error
	if !errors.As(err, &said) {
		return true
	}
	switch said.Code() & 0xff {
	case sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH:
		return true
	default:
		return false
	}
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

// Mark keeps a number in the table "meta".
func (t *Tx) Mark(key string, value int64) error {
	_, err := t.Exec("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", key, value)
	return err
}

// commit puts the transaction on disk.
func (t *Tx) commit() error {
	if _, err := t.Exec("COMMIT"); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}
