package library

import (
	"errors"
	"fmt"
	"io/fs"

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
	// ErrMySQL: advancedsettings.xml keeps the library in a MySQL server, so
	// files here, if any, are stale.
	ErrMySQL = errors.New("this library lives in a MySQL server")
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
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
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
