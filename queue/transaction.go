package queue

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"modernc.org/sqlite"

	"github.com/filmspool/filmspool/queue/viewing"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/filmspool/filmspool/queue/rules"
)

// connection is the one that writes, with its prepared statements.
type connection struct {
	db      *sql.DB
	conn    *sql.Conn
	queries map[string]*sql.Stmt
	effects map[string]effect
	newest  newest
}

// effect is a statement run for its effect, or for a few numbers. It is prepared
// below database/sql, which would cost a tenth of the time of a commit of many events.
type effect interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// connect opens the writing connection.
func connect(path string) (*connection, error) {
	db, err := openWriter(path)
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

// undo ends an open transaction without a trace.
func (c *connection) undo() error {
	_, err := c.exec("ROLLBACK")
	return err
}

// exec runs a statement for its effect. Statements never get a caller's
// context: one that ended in the middle would take the neighbours' work along.
func (c *connection) exec(query string, args ...any) (result driver.Result, err error) {
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
		return nil, storageError(err)
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

// numbers runs a statement for its rows of one number each, below database/sql
// as exec does: for what every commit asks, and mostly in vain.
func (c *connection) numbers(query string, args ...any) (found []int64, err error) {
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
		return nil, storageError(err)
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

// query runs a statement for its rows. The caller drains them before anything
// else is asked of the connection: there is only this one.
func (c *connection) query(query string, args ...any) (*sql.Rows, error) {
	statement := c.queries[query]
	if statement == nil {
		prepared, err := c.conn.PrepareContext(context.Background(), query)
		if err != nil {
			return nil, storageError(err)
		}
		statement, c.queries[query] = prepared, prepared
	}
	rows, err := statement.QueryContext(context.Background(), args...)
	if err != nil {
		return nil, storageError(err)
	}
	return rows, nil
}

// tx is the open transaction as one job sees it.
type tx struct {
	*connection
	settings rules.Settings
	now      int64                   // milliseconds; the same for the whole transaction
	moved    map[viewing.State]count // what the transaction changes in the counters
	nudge    bool                    // entries were added or changed
	again    []int64                 // entries that became pending again; 0 is any
}

// count is a change of one counter.
type count struct{ current, total int64 }

// enter counts an entry that comes into a state.
func (t *tx) enter(s viewing.State) {
	c := t.moved[s]
	t.moved[s] = count{c.current + 1, c.total + 1}
	t.nudge = true
	if s == viewing.StatePending {
		t.again = append(t.again, 0)
	}
}

// enterAgain is enter for an entry whose id is known: whoever looks for the
// oldest pending one need not begin at the first.
func (t *tx) enterAgain(s viewing.State, id int64) {
	before := len(t.again)
	t.enter(s)
	for i := before; i < len(t.again); i++ {
		t.again[i] = id
	}
}

// made counts a new entry. It is pending by its very id; see the counters'
// table.
func (t *tx) made(s viewing.State) {
	if s != viewing.StatePending {
		t.leave(viewing.StatePending)
		t.enter(s)
	}
	t.nudge = true
}

// leave counts an entry that goes out of a state.
func (t *tx) leave(s viewing.State) {
	c := t.moved[s]
	t.moved[s] = count{c.current - 1, c.total}
	t.nudge = true
}

// affect runs a statement and says how many rows it changed.
func (t *tx) affect(query string, args ...any) (int64, error) {
	result, err := t.exec(query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// insert runs an INSERT and returns the new row's id.
func (t *tx) insert(query string, args ...any) (int64, error) {
	result, err := t.exec(query, args...)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// find reads one row; found is false when there is none.
func (t *tx) find(query string, args []any, into ...any) (found bool, err error) {
	rows, err := t.query(query, args...)
	_, err = collect(rows, err, func(r *sql.Rows) (struct{}, error) {
		found = true
		return struct{}{}, r.Scan(into...)
	})
	return found, err
}

// step notes what was decided about an entry, and why.
func (t *tx) step(entry int64, what, detail string) error {
	_, err := t.exec(`INSERT INTO steps (entry, number, at, what, detail)
		SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3, ?4 FROM steps WHERE entry = ?1`,
		entry, t.now, what, detail)
	return err
}

// collect drains and closes rows; no rows are an empty list.
func collect[T any](rows *sql.Rows, err error, scan func(*sql.Rows) (T, error)) ([]T, error) {
	if err != nil {
		return nil, storageError(err)
	}
	defer rows.Close()
	all := []T{}
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, storageError(err)
		}
		all = append(all, one)
	}
	if err := rows.Err(); err != nil {
		return nil, storageError(err)
	}
	return all, nil
}

// scanID reads a row of one id.
func scanID(r *sql.Rows) (id int64, err error) {
	err = r.Scan(&id)
	return id, err
}

// storageError marks what the database said as [ErrStorage]. A reader's own
// wish to stop is no fault of the database.
func storageError(err error) error {
	if errors.Is(err, ErrStorage) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrStorage, err)
}

// spoilsOnlyItself reports whether err leaves the transaction whole, so that
// only the job that met it fails: its own checks, or data against the schema.
// Anything else, such as a full disk, may have undone the transaction already.
func spoilsOnlyItself(err error) bool {
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
