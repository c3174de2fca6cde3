package sqlite

import (
	"errors"
	"strings"
	"syscall"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Trouble is why the database cannot be written.
type Trouble struct {
	Since   time.Time // time of the first failure
	Refused int64     // number of events rejected since; their sources got an error
	Cause   error     // the last failure
}

// Full reports whether the disk is full.
func (t Trouble) Full() bool {
	found, ok := errors.AsType[*sqlite.Error](t.Cause)
	return ok && found.Code() == sqlite3.SQLITE_IOERR_SHMSIZE || resultCode(t.Cause) == sqlite3.SQLITE_FULL || errors.Is(t.Cause, syscall.ENOSPC)
}

// Message returns a description for the user.
func (t Trouble) Message() viewing.Message {
	switch {
	case t.Full():
		return viewing.Say("disk.full")
	case resultCode(t.Cause) == sqlite3.SQLITE_READONLY || errors.Is(t.Cause, syscall.EROFS):
		return viewing.Say("disk.readOnly")
	case errors.Is(t.Cause, syscall.EACCES):
		return viewing.Say("disk.denied")
	default:
		return viewing.Say("disk.trouble", "reason", strings.TrimPrefix(t.Cause.Error(), ErrStorage.Error()+": "))
	}
}

// beginTrouble records a failure and reports whether it is the first one.
func (db *DB) beginTrouble(cause error) (first bool) {
	db.troubleMu.Lock()
	defer db.troubleMu.Unlock()
	if first = db.trouble.Cause == nil; first {
		db.trouble.Since = db.o.Now()
	}
	db.trouble.Cause = cause
	return first
}

// endTrouble clears the trouble and returns it.
func (db *DB) endTrouble() (ended Trouble) {
	db.troubleMu.Lock()
	defer db.troubleMu.Unlock()
	ended, db.trouble = db.trouble, Trouble{}
	return ended
}

// Trouble returns why the last write failed; ok is false if it succeeded. After a failure the
// writer tries again every second.
func (db *DB) Trouble() (trouble Trouble, ok bool) {
	db.troubleMu.Lock()
	defer db.troubleMu.Unlock()
	return db.trouble, db.trouble.Cause != nil
}

// CountRefused adds events that were rejected because of the trouble.
func (db *DB) CountRefused(events int) {
	db.troubleMu.Lock()
	defer db.troubleMu.Unlock()
	if db.trouble.Cause != nil {
		db.trouble.Refused += int64(events)
	}
}
