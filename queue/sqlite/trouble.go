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

// Trouble is what keeps the queue from writing.
type Trouble struct {
	Since   time.Time // the first failure
	Refused int64     // events that were not taken since; their sources were told
	Cause   error
}

// Full reports whether the disk has no room.
func (t Trouble) Full() bool {
	found, ok := errors.AsType[*sqlite.Error](t.Cause)
	return ok && found.Code() == sqlite3.SQLITE_IOERR_SHMSIZE || resultCode(t.Cause) == sqlite3.SQLITE_FULL || errors.Is(t.Cause, syscall.ENOSPC)
}

// Message says why nothing can be written.
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

// beginTrouble records a failure, and reports whether it is the first.
func (db *DB) beginTrouble(cause error) (first bool) {
	db.troubleMu.Lock()
	defer db.troubleMu.Unlock()
	if first = db.trouble.Cause == nil; first {
		db.trouble.Since = db.o.Now()
	}
	db.trouble.Cause = cause
	return first
}

// endTrouble forgets the trouble and returns it.
func (db *DB) endTrouble() (ended Trouble) {
	db.troubleMu.Lock()
	defer db.troubleMu.Unlock()
	ended, db.trouble = db.trouble, Trouble{}
	return ended
}

// Trouble is what keeps the database from being written now; ok is false when
// nothing does, as far as was tried. The writer tries again every second.
func (db *DB) Trouble() (trouble Trouble, ok bool) {
	db.troubleMu.Lock()
	defer db.troubleMu.Unlock()
	return db.trouble, db.trouble.Cause != nil
}

// CountRefused counts events that were not taken because of the trouble.
func (db *DB) CountRefused(events int) {
	db.troubleMu.Lock()
	defer db.troubleMu.Unlock()
	if db.trouble.Cause != nil {
		db.trouble.Refused += int64(events)
	}
}
