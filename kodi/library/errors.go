package library

import (
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

// What can stand between us and a library. Every error of [Find] and [Read]
// wraps one of these, or the error of the context.
var (
	// ErrNotFound: the Database folder or the library file is missing.
	ErrNotFound = errors.New("no Kodi library found")
	// ErrEmpty: the Database folder holds no MyVideosNNN.db.
	ErrEmpty = errors.New("the Database folder holds no video library")
	// ErrMySQL: advancedsettings.xml keeps the library in a MySQL server, and
	// says too little of it, or what it says cannot be used.
	ErrMySQL = errors.New("advancedsettings.xml does not say how to reach its MySQL server")
	// ErrServerAway: the server does not answer, or not in time.
	ErrServerAway = errors.New("the database server does not answer")
	// ErrServerRefused: the server takes neither this user nor its password,
	// or shows this user no library.
	ErrServerRefused = errors.New("the database server refuses this user")
	// ErrShared: another userdata folder leads to the same library.
	ErrShared = errors.New("this library is that of another userdata folder")
	// ErrUpgrading: Kodi has begun to upgrade the library and has not
	// finished, or was stopped while it did. Kodi ends it at its next start.
	ErrUpgrading = errors.New("Kodi is upgrading the library")
	// ErrBusy: Kodi is writing, or the read took too long; try again soon.
	ErrBusy = errors.New("the library is busy")
	// ErrHotJournal: Kodi or the machine died in a commit. Kodi repairs the
	// file when it next opens it; until then it must not be read.
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

// classify names the kind of an SQLite error.
func classify(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch code := e.Code(); code {
	case sqlite3.SQLITE_READONLY_ROLLBACK:
		return fmt.Errorf("%w: %w", ErrHotJournal, err)
	case sqlite3.SQLITE_READONLY_DIRECTORY, sqlite3.SQLITE_READONLY_CANTINIT, sqlite3.SQLITE_READONLY_RECOVERY:
		return fmt.Errorf("%w: %w", ErrReadOnlyDir, err)
	default:
		return classifyPrimary(code&0xff, err)
	}
}

// classifyPrimary goes by the low byte, which the extended codes share.
func classifyPrimary(code int, err error) error {
	switch code {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_INTERRUPT:
		return fmt.Errorf("%w: %w", ErrBusy, err)
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_TOOBIG:
		return fmt.Errorf("%w: %w", ErrNotDatabase, err)
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		return fmt.Errorf("%w: %w", ErrPermission, err)
	default:
		return err
	}
}

// classifyFile names the kind of a file system error.
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

// Numbers of errors of a MySQL or MariaDB server.
const (
	noSuchTable  = 1146
	noSuchColumn = 1054
)

// classifyServer names the kind of a server's error, or of the way to it. The
// server's own words name the user, but never hold the password.
func classifyServer(err error) error {
	var said *mysql.MySQLError
	var way net.Error
	switch {
	case err == nil, known(err):
		return err
	case errors.As(err, &said):
		return classifyNumber(said.Number, err)
	case errors.As(err, &way), errors.Is(err, driver.ErrBadConn), errors.Is(err, mysql.ErrInvalidConn),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, mysql.ErrMalformPkt):
		return fmt.Errorf("%w: %w", ErrServerAway, err)
	default:
		return fmt.Errorf("%w: %w", ErrServerRefused, err) // a way to log in, or to encrypt, that we lack
	}
}

func classifyNumber(number uint16, err error) error {
	switch number {
	case 1040, 1203, 1205, 1213, 1226: // too many connections, a lock that took too long
		return fmt.Errorf("%w: %w", ErrBusy, err)
	case noSuchTable, noSuchColumn, 1049: // gone since we looked
		return fmt.Errorf("%w: %w", ErrUpgrading, err)
	case 1053, 1077, 1079, 1080, 1927: // it shuts down, or has cut us off
		return fmt.Errorf("%w: %w", ErrServerAway, err)
	default:
		return fmt.Errorf("%w: %w", ErrServerRefused, err)
	}
}

// known reports whether an error has its kind already.
func known(err error) bool {
	kinds := []error{
		ErrMySQL, ErrServerAway, ErrServerRefused, ErrBusy, ErrUpgrading, ErrUnsupported, ErrEmpty, ErrNotFound, ErrPermission, ErrNotDatabase,
	}
	return slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
}
