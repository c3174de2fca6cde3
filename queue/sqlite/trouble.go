package sqlite

import (
	"errors"
	"strings"
	"sync"
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
	return ok && found.Code() == sqlite3.SQLITE_IOERR_SHMSIZE || code(t.Cause) == sqlite3.SQLITE_FULL || errors.Is(t.Cause, syscall.ENOSPC)
}

// Message says why nothing can be written.
func (t Trouble) Message() viewing.Message {
	switch {
	case t.Full():
		return viewing.Say("disk.full")
	case code(t.Cause) == sqlite3.SQLITE_READONLY || errors.Is(t.Cause, syscall.EROFS):
		return viewing.Say("disk.readOnly")
	case errors.Is(t.Cause, syscall.EACCES):
		return viewing.Say("disk.denied")
	default:
		return viewing.Say("disk.trouble", "reason", strings.TrimPrefix(t.Cause.Error(), ErrStorage.Error()+": "))
	}
}

// troubles keeps the present trouble.
type troubles struct {
	mu  sync.Mutex
	now *Trouble
}

// begin records a failure, and reports whether it is the first.
func (t *troubles) begin(at time.Time, cause error) (first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if first = t.now == nil; first {
		t.now = &Trouble{Since: at}
	}
	t.now.Cause = cause
	return first
}

// end forgets the trouble and returns it.
func (t *troubles) end() (over Trouble) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now != nil {
		over, t.now = *t.now, nil
	}
	return over
}

// Trouble is what keeps the database from being written now; ok is false when
// nothing does, as far as was tried. The writer tries again every second.
func (db *DB) Trouble() (trouble Trouble, ok bool) {
	db.trouble.mu.Lock()
	defer db.trouble.mu.Unlock()
	if db.trouble.now == nil {
		return Trouble{}, false
	}
	return *db.trouble.now, true
}

// Refused counts events that were not taken because of the trouble.
func (db *DB) Refused(events int) {
	db.trouble.mu.Lock()
	defer db.trouble.mu.Unlock()
	if db.trouble.now != nil {
		db.trouble.now.Refused += int64(events)
	}
}
