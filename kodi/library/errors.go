package library

import (
	"cmp"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"slices"

	"github.com/go-sql-driver/mysql"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// The kinds of errors. Every error of [Find] and [Database.Read] wraps one of them, or the
// error of the context.
var (
	// ErrNotFound: the Database folder or the library file is missing.
	ErrNotFound = errors.New("no Kodi library found")
	// ErrEmpty: the Database folder holds no MyVideosNNN.db.
	ErrEmpty = errors.New("the Database folder holds no video library")
	// ErrMySQL: advancedsettings.xml names a MySQL server, but its host, user or password
	// is missing or unusable.
	ErrMySQL = errors.New("advancedsettings.xml does not say how to reach its MySQL server")
	// ErrServerAway: the server does not answer, or not in time.
	ErrServerAway = errors.New("the database server does not answer")
	// ErrServerRefused: the server rejects the user or the password, or the user may not
	// read the library.
	ErrServerRefused = errors.New("the database server refuses this user")
	// ErrShared: another userdata folder leads to the same library.
	ErrShared = errors.New("this library is that of another userdata folder")
	// ErrUpgrading: Kodi is upgrading the library, or was stopped during the upgrade and
	// finishes it at its next start.
	ErrUpgrading = errors.New("Kodi is upgrading the library")
	// ErrBusy: Kodi is writing, or the read took too long; retry soon.
	ErrBusy = errors.New("the library is busy")
	// ErrHotJournal: Kodi or the machine crashed during a commit. Kodi repairs the file
	// when it next opens it; until then it must not be read.
	ErrHotJournal = errors.New("the library has an interrupted write that Kodi must undo first")
	// ErrReadOnlyDir: an add-on switched the library to WAL mode, and this
	// user may not create the files beside it that reading then needs.
	ErrReadOnlyDir = errors.New("the library is in WAL mode and its folder is read-only for this user")
	// ErrPermission: this user may not read the folder or the file.
	ErrPermission = errors.New("the library may not be read by this user")
	// ErrNotDatabase: the file is not an SQLite database, or is damaged.
	ErrNotDatabase = errors.New("the library file is damaged or no database")
	// ErrUnsupported: a schema older than 107, or one without the tables and
	// columns that are needed.
	ErrUnsupported = errors.New("this version of the library is not supported")
)

// sqliteKinds maps SQLite's result codes to kinds. The low byte of an extended code is its
// primary code.
var sqliteKinds = map[int]error{
	sqlite3.SQLITE_READONLY_ROLLBACK: ErrHotJournal,

	sqlite3.SQLITE_READONLY_DIRECTORY: ErrReadOnlyDir,
	sqlite3.SQLITE_READONLY_CANTINIT:  ErrReadOnlyDir,
	sqlite3.SQLITE_READONLY_RECOVERY:  ErrReadOnlyDir,

	sqlite3.SQLITE_BUSY: ErrBusy,

	sqlite3.SQLITE_NOTADB:  ErrNotDatabase,
	sqlite3.SQLITE_CORRUPT: ErrNotDatabase,

	sqlite3.SQLITE_CANTOPEN: ErrPermission,
}

// classifySQLite wraps an SQLite error in its kind.
func classifySQLite(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	kind := cmp.Or(sqliteKinds[e.Code()], sqliteKinds[e.Code()&0xff])
	if kind == nil {
		return err
	}
	return fmt.Errorf("%w: %w", kind, err)
}

// classifyFile wraps a file system error in its kind.
func classifyFile(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: %w", ErrPermission, err)
	default:
		return err
	}
}

// serverKinds maps error numbers of a MySQL or MariaDB server to kinds. All others mean
// ErrServerRefused.
var serverKinds = map[uint16]error{
	1040: ErrBusy, 1203: ErrBusy, 1205: ErrBusy, 1213: ErrBusy, 1226: ErrBusy, // too many connections, a lock that took too long
	1146: ErrUpgrading, 1054: ErrUpgrading, 1049: ErrUpgrading, // a table, a column or the database was dropped
	1053: ErrServerAway, 1077: ErrServerAway, 1079: ErrServerAway, 1080: ErrServerAway, 1927: ErrServerAway, // shutdown, or closed connection
}

// classifyServer wraps a server or network error in its kind. Server messages contain the user
// name, but never the password.
func classifyServer(err error) error {
	kinds := []error{ErrMySQL, ErrServerAway, ErrBusy, ErrUpgrading, ErrUnsupported, ErrEmpty, ErrNotDatabase}
	lostConnection := []error{driver.ErrBadConn, mysql.ErrInvalidConn, io.EOF, io.ErrUnexpectedEOF, mysql.ErrMalformPkt}
	var serverErr *mysql.MySQLError
	var netErr net.Error
	known := func(kind error) bool { return errors.Is(err, kind) }
	switch {
	case err == nil, slices.ContainsFunc(kinds, known):
		return err
	case errors.As(err, &serverErr):
		return fmt.Errorf("%w: %w", cmp.Or(serverKinds[serverErr.Number], ErrServerRefused), err)
	case errors.As(err, &netErr), slices.ContainsFunc(lostConnection, known):
		return fmt.Errorf("%w: %w", ErrServerAway, err)
	default:
		return fmt.Errorf("%w: %w", ErrServerRefused, err) // an unsupported login or encryption method
	}
}
