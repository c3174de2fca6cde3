package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
)

// applicationID marks the file as ours, "FSPL".
const applicationID = 0x4653504c

// The ways to open a file.
const (
	reading   = "mode=ro"
	unchanged = "mode=ro&immutable=1" // makes no file beside it; for a database without a log
	writing   = "mode=rw&_txlock=immediate"
)

// pool opens two connections to a file. The busy time-out comes first, so that the
// pragmas after it wait too. A report that is not nil is told every error of a query.
func (db *DB) pool(path, how string, report func(error), pragmas ...string) (*sql.DB, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find database: %w", err)
	}
	slashed := "/" + strings.TrimPrefix(filepath.ToSlash(full), "/") // also before a drive letter
	query := fmt.Sprintf("%s&_pragma=busy_timeout(%d)", how, db.o.Busy.Milliseconds())
	for _, pragma := range pragmas {
		query += "&_pragma=" + pragma
	}
	connector, err := sqlite.NewConnector((&url.URL{Scheme: "file", Path: slashed, RawQuery: query}).String())
	if err != nil {
		return nil, fmt.Errorf("open database: %w: %w", ErrStorage, err)
	}
	if report != nil {
		connector = reportingConnector{connector, report}
	}
	pool := sql.OpenDB(connector)
	pool.SetMaxOpenConns(2)
	pool.SetMaxIdleConns(2)
	return pool, nil
}

// reportingConnector opens connections that report every error of a query. Damage
// that only a reader meets would stay for good otherwise.
type reportingConnector struct {
	driver.Connector
	report func(error)
}

// readingConn is what database/sql uses of a connection that reads.
type readingConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.QueryerContext
	driver.ExecerContext
	driver.SessionResetter
	driver.Validator
}

type reportingConn struct {
	readingConn
	report func(error)
}

type reportingRows struct {
	driver.Rows
	report func(error)
}

func (c reportingConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		c.report(err)
		return nil, err
	}
	return reportingConn{conn.(readingConn), c.report}, nil
}

func (c reportingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	rows, err := c.readingConn.QueryContext(ctx, query, args)
	if err != nil {
		c.report(err)
		return nil, err
	}
	return reportingRows{rows, c.report}, nil
}

func (r reportingRows) Next(row []driver.Value) error {
	err := r.Rows.Next(row)
	r.report(err)
	return err
}

// makeFile makes the file and its folder for this user only, and puts their
// names on disk. SQLite gives the files beside it the same mode.
func makeFile(path string) error {
	if exists(path) {
		return os.Chmod(path, 0o600)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("create state folder: %w", err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return fmt.Errorf("create database: %w", err)
	}
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		syncFolder(dir)
	}
	return nil
}

// syncFile puts a file and its name on disk.
func syncFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = errors.Join(file.Sync(), file.Close())
	syncFolder(filepath.Dir(path))
	return err
}

// syncFolder is best effort: not every system can flush a folder.
func syncFolder(dir string) {
	if folder, err := os.Open(dir); err == nil {
		_ = folder.Sync()
		folder.Close()
	}
}

// condition is how a database was found.
type condition struct {
	version int
	empty   bool // nothing was ever written to it
	clean   bool // the last run ended in order
}

// inspect reads whose database it is, and how it was left. It writes nothing.
func (db *DB) inspect(ctx context.Context, pool *sql.DB) (c condition, err error) {
	var application, objects int
	err = pool.QueryRowContext(ctx, `SELECT
		(SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM sqlite_schema)`).Scan(&application, &c.version, &objects)
	switch {
	case err != nil:
		return c, StorageError(fmt.Errorf("read database: %w", err))
	case application == 0 && c.version == 0 && objects == 0:
		c.empty = true
		return c, nil
	case application != applicationID:
		return c, fmt.Errorf("open %s: %w", db.path, ErrForeign)
	case c.version > len(db.o.Schema):
		return c, &newerError{db.path, c.version, len(db.o.Schema)}
	}
	err = pool.QueryRowContext(ctx, "SELECT coalesce((SELECT value FROM meta WHERE key = 'clean'), 0)").Scan(&c.clean)
	if err != nil {
		err = StorageError(fmt.Errorf("read database: %w", err))
	}
	return c, err
}

// newReadOnly is a DB whose writer has ended.
func newReadOnly(o Options) *DB {
	db := newDB(o)
	db.readOnly = true
	db.started.Store(true)
	close(db.done)
	return db
}

// OpenReading opens a database to read it and changes nothing. Writes fail with
// [ErrStorage]. The caller holds the folder's lock, or says that the database is
// shared. The error wraps [ErrNone], [ErrNewer], [ErrForeign], [ErrDamaged] or
// [ErrStorage].
func OpenReading(ctx context.Context, o Options) (*DB, error) {
	db := newReadOnly(o)
	err := db.openReading(ctx)
	if isDamage(err) {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err != nil {
		return nil, errors.Join(err, db.closeFiles())
	}
	return db, nil
}

func (db *DB) openReading(ctx context.Context) (err error) {
	logged := size(db.path+"-wal") > 0
	if size(db.path) == 0 {
		kind := ErrNone
		if logged {
			kind = ErrDamaged
		}
		return fmt.Errorf("%w: %s is missing or empty", kind, db.path)
	}
	how := reading
	if !logged && !db.o.Shared {
		how = unchanged
	}
	if db.reader, err = db.pool(db.path, how, nil); err != nil {
		return err
	}
	c, err := db.inspect(ctx, db.reader)
	if err == nil && c.version < len(db.o.Schema) {
		err = errors.New("an earlier version wrote the queue; it is brought up to date when filmspool runs")
	}
	if err != nil {
		return err
	}
	return db.reader.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = 'installation'").Scan(&db.installation)
}

// OpenNothing is [OpenReading] where nothing can be read: an empty database in
// memory.
func OpenNothing(ctx context.Context, o Options) (*DB, error) {
	db := newReadOnly(o)
	var err error
	if db.reader, err = sql.Open("sqlite", ":memory:"); err != nil {
		return nil, err
	}
	db.reader.SetMaxOpenConns(1) // another one would have a memory of its own
	for _, script := range db.o.Schema {
		if _, err := db.reader.ExecContext(ctx, script); err != nil {
			return nil, errors.Join(err, db.closeFiles())
		}
	}
	return db, nil
}

// size is the size of a file; 0 when it is missing.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
