package library

import (
	"cmp"
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

	_ "modernc.org/sqlite" // the driver
)

// Bounds of a reading. A library is another program's file, or another machine's
// answer: whatever it claims of itself, this is all that is read of it.
const (
	busyTimeout = 800 * time.Millisecond // how long one transaction waits for Kodi
	readTimeout = 20 * time.Second       // of one reading
	maxSize     = 256 << 20              // of one reading: 200,000 files have 40 MB of paths
	sizeOfRow   = 64                     // what a row counts beside its texts
)

// session is one reading of a library. After its first error it asks nothing more.
type session struct {
	ctx     context.Context // of the reading
	err     error           // the first
	conn    *sql.Conn
	tx      *sql.Tx // nil between two steps
	server  bool    // MySQL or MariaDB, else SQLite
	path    string  // of the file, or of the database on the server
	origin  string  // the same for every way that leads to this library
	version int     // schema number
	columns map[string][]string
	state   int64 // of the file, as the first step has seen it
	size    int   // of what was read so far
}

// fail ends the reading, unless it has ended before or err is nil.
func (s *session) fail(err error) { s.err = cmp.Or(s.err, err) }

// open runs read with a library whose tables are those of a Kodi, and has closed it
// when it returns. All steps of read see one state of the library: when Kodi writes in
// between, read begins again, a few times. Errors are classified.
func (d Database) open(ctx context.Context, read func(*session)) error {
	bounded, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	again := func(s *session) {
		for range 5 {
			s.state, s.size, s.err = 0, 0, nil
			s.step(s.check)
			if read(s); !errors.Is(s.err, errMoved) {
				return
			}
		}
	}
	var err error
	late := ErrBusy
	if d.Server != nil {
		late = ErrServerAway
		err = classifyServer(d.Server.open(bounded, again))
	} else {
		err = openFile(bounded, d.Path, func(s *session) {
			s.version = d.Version
			again(s)
		})
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case bounded.Err() != nil:
		err = fmt.Errorf("%w: not read within %v: %w", late, readTimeout, err)
	}
	return fmt.Errorf("read library %s: %w", d, err)
}

// openFile runs read with an open SQLite file, and has closed it when it returns. The
// file is opened read-only: nothing is created but what SQLite needs beside a library in
// WAL mode. Errors are classified.
func openFile(ctx context.Context, path string, read func(*session)) error {
	if _, err := os.Stat(path); err != nil {
		return classifyFile(err)
	}
	db, err := sql.Open("sqlite", readOnly(path))
	if err != nil {
		return err
	}
	s := &session{ctx: ctx, path: path, origin: path}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		s.origin = real
	}
	return classify(s.through(db, read))
}

// through runs read with a connection to a database, and closes both.
func (s *session) through(db *sql.DB, read func(*session)) (err error) {
	defer func() { err = errors.Join(err, db.Close()) }()
	if s.conn, err = db.Conn(s.ctx); err != nil {
		return err
	}
	defer s.conn.Close()
	read(s)
	return s.err
}

// readOnly is the address under which SQLite opens an absolute path without ever
// writing to it. Only a file: URI carries the mode; with a plain path it would be
// ignored and the file opened for writing.
func readOnly(path string) string {
	slashed := "/" + strings.TrimPrefix(filepath.ToSlash(path), "/") // C:/…
	wait := fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds())
	query := url.Values{"mode": {"ro"}, "_txlock": {"deferred"}, "_pragma": {wait, "query_only(1)"}}
	u := url.URL{Scheme: "file", Path: slashed, RawQuery: query.Encode()}
	return u.String()
}

// transact runs read in one transaction. While it lasts, Kodi's writes to a file
// wait, and behind them its own reads: its whole window stands still.
func (s *session) transact(read func()) {
	tx, err := s.conn.BeginTx(s.ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		s.fail(err)
		return
	}
	s.tx = tx
	defer func() {
		_ = tx.Rollback() // nothing was written; what counts is the lock let go
		s.tx = nil
	}()
	read()
}

// errMoved: the library has changed between two steps of one reading.
var errMoved = fmt.Errorf("%w: it changes while it is read", ErrBusy)

// step runs one step of a reading. SQLite gives a connection another number
// whenever someone else has committed, with a rollback journal and with WAL.
func (s *session) step(read func()) {
	switch {
	case s.err != nil:
	case s.tx != nil: // all of it is one transaction
		read()
	default:
		s.transact(func() {
			var now int64
			s.first(&now, `pragma data_version`)
			if s.state != 0 && s.state != now {
				s.fail(errMoved)
			}
			s.state = now
			read()
		})
	}
}

// each asks the library and calls row for each row of the answer, whose columns
// are copied before.
func (s *session) each(columns []any, row func(), query string, args ...any) {
	if s.err != nil {
		return
	}
	rows, err := s.tx.QueryContext(s.ctx, query, args...)
	if err != nil {
		s.fail(err)
		return
	}
	defer rows.Close()
	for rows.Next() {
		s.fail(rows.Scan(columns...))
		s.size += sizeOfRow
		for _, column := range columns {
			if text, ok := column.(*string); ok {
				s.size += len(*text)
			}
		}
		if s.size > maxSize {
			s.fail(fmt.Errorf("%w: it holds more than a library can", ErrNotDatabase))
		}
		if s.err != nil {
			return
		}
		row()
	}
	s.fail(rows.Err())
}

// first reads the one value that a query gives.
func (s *session) first(value any, query string) { s.each([]any{value}, func() {}, query) }

// page is how many rows of a large table one step reads.
const page = 4000

// paged asks for rows in the order of their numbers, which are the first column, in
// several steps; the condition on the number is the query's end. It calls row for each.
func (s *session) paged(id *int64, columns []any, row func(), query string) {
	columns = append([]any{id}, columns...)
	*id = math.MinInt64
	for n := page; n == page && s.err == nil; {
		n = 0
		s.step(func() {
			s.each(columns, func() {
				n++
				row()
			}, query+` > ? order by 1 limit ?`, *id, page)
		})
	}
}
