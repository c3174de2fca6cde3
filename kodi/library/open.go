package library

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Bounds of a reading. A library is another program's file, or another machine's
// answer: whatever it claims of itself, this is all that is read of it.
const (
	busyTimeout = 800 * time.Millisecond // how long one transaction waits for Kodi
	readTimeout = 20 * time.Second       // of one reading
	maxCell     = 16 << 20               // bytes of a row, with all that is not read
	maxText     = 64 << 10               // bytes of one text that is read
	maxTexts    = 96 << 20               // bytes of all texts of one reading: 200,000 files have 40 MB of paths
	maxRows     = 1 << 19                // of one query
	maxAllRows  = 1 << 21                // of one reading
)

// session is one reading of a library.
type session struct {
	conn    *sql.Conn
	tx      *sql.Tx // nil between two steps
	server  bool    // MySQL or MariaDB, else SQLite
	version int     // schema number
	columns map[string][]string
	state   int64 // of the file, as the first step has seen it
	rows    int   // read so far
	texts   int   // bytes of text so far
	fault   error // found in a row: the reading ends
}

// openFile runs read with an open library file, and has closed it when it
// returns. The file is opened read-only: nothing is created but what SQLite needs
// beside a library in WAL mode. Errors are classified.
func openFile(ctx context.Context, path string, read func(context.Context, *session) error) error {
	if err := checkPlain(path); err != nil {
		return classifyFile(err)
	}
	for _, suffix := range []string{"-journal", "-wal", "-shm"} { // SQLite waits in the open of a pipe
		if err := checkPlain(path + suffix); errors.Is(err, ErrOdd) {
			return err
		}
	}
	bounded, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	err := openThrough(bounded, path, read)
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

func openThrough(ctx context.Context, path string, read func(context.Context, *session) error) (err error) {
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
	if _, err := sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_LENGTH, maxCell); err != nil {
		return err
	}
	return read(ctx, &session{conn: conn})
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

// transact runs read in one transaction. While it lasts, Kodi's writes to a file
// wait, and behind them its own reads: its whole window stands still.
func (s *session) transact(ctx context.Context, read func() error) (err error) {
	options := &sql.TxOptions{ReadOnly: true}
	if s.server {
		options = &sql.TxOptions{Isolation: sql.LevelRepeatableRead}
	}
	if s.tx, err = s.conn.BeginTx(ctx, options); err != nil {
		return err
	}
	defer func() {
		_ = s.tx.Rollback() // nothing was written; what counts is the lock let go
		s.tx = nil
	}()
	return read()
}

// errMoved: the library has changed between two steps of one reading.
var errMoved = fmt.Errorf("%w: it changes while it is read", ErrBusy)

// together runs read, whose steps all see one state of the file. Each step is a
// transaction of its own, so that Kodi waits for a short time. When Kodi writes in
// between, read begins again, a few times.
func (s *session) together(ctx context.Context, read func() error) (err error) {
	for range 5 {
		s.state, s.rows, s.texts, s.fault = 0, 0, 0, nil
		if err = read(); !errors.Is(err, errMoved) {
			return err
		}
	}
	return err
}

// step runs one step of a reading. SQLite gives a connection another number
// whenever someone else has committed, with a rollback journal and with WAL.
func (s *session) step(ctx context.Context, read func() error) error {
	if s.tx != nil { // all of it is one transaction
		return read()
	}
	return s.transact(ctx, func() error {
		var now int64
		if err := s.first(ctx, &now, `pragma data_version`); err != nil {
			return err
		}
		if s.state != 0 && s.state != now {
			return errMoved
		}
		s.state = now
		return read()
	})
}

// each asks the library and calls row for each row of the answer, whose columns
// are copied before.
func (s *session) each(ctx context.Context, columns []any, row func(), query string, args ...any) error {
	ctx, cancel := context.WithCancel(ctx)
	rows, err := s.tx.QueryContext(ctx, query, args...)
	if err != nil {
		cancel()
		return err
	}
	defer func() {
		cancel() // else the driver reads the rest from a server, and that may have no end
		rows.Close()
	}()
	for n := 1; rows.Next(); n++ {
		if err := rows.Scan(columns...); err != nil {
			return err
		}
		if s.rows++; n > maxRows || s.rows > maxAllRows {
			return fmt.Errorf("%w: it holds more rows than a library can", ErrNotDatabase)
		}
		for _, column := range columns {
			if text, ok := column.(*string); ok {
				if s.texts += len(*text); len(*text) > maxText || s.texts > maxTexts {
					return fmt.Errorf("%w: it holds longer texts than a library can", ErrNotDatabase)
				}
			}
		}
		if row(); s.fault != nil {
			return s.fault
		}
	}
	return rows.Err()
}

// first reads the one value that a query gives.
func (s *session) first(ctx context.Context, value any, query string) error {
	return s.each(ctx, []any{value}, func() {}, query)
}

// page is how many rows of a large table one step reads.
const page = 4000

// paged asks for rows in the order of their numbers, which are the first column, in
// several steps; the condition on the number is the query's end. It calls row for
// each. The numbers must rise: in a damaged or a made-up table they may not.
func (s *session) paged(ctx context.Context, id *int64, columns []any, row func(), query string) error {
	columns = append([]any{id}, columns...)
	for after, n := int64(math.MinInt64), page; n == page; {
		n = 0
		err := s.step(ctx, func() error {
			return s.each(ctx, columns, func() {
				if n++; *id <= after {
					s.fault = fmt.Errorf("%w: its rows are not in order", ErrNotDatabase)
					return
				}
				after = *id
				row()
			}, query+` > ? order by 1 limit ?`, after, page)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ErrOdd is wrapped when there is something that is no plain file in the place of
// a file: a folder, a pipe, a socket or a device.
var ErrOdd = errors.New("it is no plain file")

// checkPlain fails unless there is a plain file, or a link to one.
func checkPlain(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%w: %s is %s", ErrOdd, path, info.Mode())
	}
	return err
}

// OpenPlain opens a plain file for reading, and never waits for one who writes to
// a pipe that has taken its place.
func OpenPlain(path string) (*os.File, error) {
	if err := checkPlain(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%w: %s", ErrOdd, path), err, f.Close())
	}
	return f, nil
}
