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

// Bounds of one read, which limit what a damaged or malicious library can cost.
const (
	busyTimeout = 800 * time.Millisecond // how long one transaction waits for Kodi
	readTimeout = 20 * time.Second       // time of one read
	maxSize     = 256 << 20              // size of one read: 200,000 files have 40 MB of paths
	sizeOfRow   = 64                     // assumed size of a row besides its texts
)

// session is one read of a library. After its first error it sends no more queries.
type session struct {
	ctx         context.Context
	err         error // the first error
	conn        *sql.Conn
	tx          *sql.Tx // nil between two steps
	server      bool    // MySQL or MariaDB, else SQLite
	path        string  // of the file, or of the database on the server
	origin      string  // identifies the library, whatever link or address leads to it
	version     int     // schema number
	columns     map[string][]string
	dataVersion int64 // SQLite's data_version in the first step
	size        int   // bytes read so far
}

// fail stores the first error.
func (s *session) fail(err error) { s.err = cmp.Or(s.err, err) }

// withSession opens the library, checks its schema, runs read and closes it. All steps of read
// see the same state of the library: if Kodi writes in between, read is repeated up to four
// times. It classifies errors.
func (d Database) withSession(ctx context.Context, read func(*session)) error {
	bounded, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	again := func(s *session) {
		for range 5 {
			s.dataVersion, s.size, s.err = 0, 0, nil
			s.step(s.checkSchema)
			if read(s); !errors.Is(s.err, errChanged) {
				return
			}
		}
	}
	var err error
	late := ErrBusy
	if d.Server != nil {
		late = ErrServerAway
		err = classifyServer(d.Server.withSession(bounded, again))
	} else {
		err = withFile(bounded, d.Path, func(s *session) {
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

// withFile opens an SQLite file read-only, runs read and closes it. SQLite creates no files except
// the -wal and -shm files of a library in WAL mode. It classifies errors.
func withFile(ctx context.Context, path string, read func(*session)) error {
	if _, err := os.Stat(path); err != nil {
		return classifyFile(err)
	}
	db, err := sql.Open("sqlite", readOnlyURI(path))
	if err != nil {
		return err
	}
	s := &session{ctx: ctx, path: path, origin: path}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		s.origin = real
	}
	return classifySQLite(s.withConnection(db, read))
}

// withConnection runs read with a connection to a database, and closes both.
func (s *session) withConnection(db *sql.DB, read func(*session)) (err error) {
	defer func() { err = errors.Join(err, db.Close()) }()
	if s.conn, err = db.Conn(s.ctx); err != nil {
		return err
	}
	defer s.conn.Close()
	read(s)
	return s.err
}

// readOnlyURI returns the URI that opens an absolute path read-only. SQLite ignores the mode
// parameter of a plain path and would open the file for writing.
func readOnlyURI(path string) string {
	slashed := "/" + strings.TrimPrefix(filepath.ToSlash(path), "/") // C:/…
	wait := fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds())
	query := url.Values{"mode": {"ro"}, "_txlock": {"deferred"}, "_pragma": {wait, "query_only(1)"}}
	u := url.URL{Scheme: "file", Path: slashed, RawQuery: query.Encode()}
	return u.String()
}

// transact runs read in one transaction. Until it ends, Kodi's writes to a file wait, and Kodi's
// reads wait behind them, which freezes its window.
func (s *session) transact(read func()) {
	tx, err := s.conn.BeginTx(s.ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		s.fail(err)
		return
	}
	s.tx = tx
	defer func() {
		_ = tx.Rollback() // releases the lock; nothing was written
		s.tx = nil
	}()
	read()
}

// errChanged: the library changed between two steps of one read.
var errChanged = fmt.Errorf("%w: it changes while it is read", ErrBusy)

// step runs one step of a read. It fails with errChanged if another connection committed since
// the first step: SQLite's data_version then differs, with a rollback journal and with WAL.
func (s *session) step(read func()) {
	switch {
	case s.err != nil:
	case s.tx != nil: // on a server the whole read is one transaction
		read()
	default:
		s.transact(func() {
			var now int64
			s.queryValue(&now, `pragma data_version`)
			if s.dataVersion != 0 && s.dataVersion != now {
				s.fail(errChanged)
			}
			s.dataVersion = now
			read()
		})
	}
}

// queryRows runs a query, scans each row into columns and then calls row.
func (s *session) queryRows(columns []any, row func(), query string, args ...any) {
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

// queryValue reads the single value of a query.
func (s *session) queryValue(value any, query string) { s.queryRows([]any{value}, func() {}, query) }

// pageSize is how many rows of a large table one step reads.
const pageSize = 4000

// queryPages runs a query in steps of pageSize rows, ordered by the id in its first column, and
// calls row for each. It completes the query, which must end with the id column, by a condition.
func (s *session) queryPages(id *int64, columns []any, row func(), query string) {
	columns = append([]any{id}, columns...)
	*id = math.MinInt64
	for n := pageSize; n == pageSize && s.err == nil; {
		n = 0
		s.step(func() {
			s.queryRows(columns, func() {
				n++
				row()
			}, query+` > ? order by 1 limit ?`, *id, pageSize)
		})
	}
}
