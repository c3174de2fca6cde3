package disk

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Trouble is what keeps the queue from writing.
type Trouble struct {
	Since   time.Time // the first failure
	Refused int64     // events that were not taken since; their sources were told
	Cause   error
}

// Kind is what keeps the queue from writing, as far as the cause tells.
type Kind int

// The kinds.
const (
	Other Kind = iota
	Full
	ReadOnly
	Denied // by the rights of the folder or the file
)

// Kind is the kind of the cause.
func (t Trouble) Kind() Kind {
	var said *sqlite.Error
	code, whole := 0, 0
	if errors.As(t.Cause, &said) {
		code, whole = said.Code()&0xff, said.Code()
	}
	switch {
	case code == sqlite3.SQLITE_FULL || whole == sqlite3.SQLITE_IOERR_SHMSIZE || errors.Is(t.Cause, syscall.ENOSPC):
		return Full
	case code == sqlite3.SQLITE_READONLY || errors.Is(t.Cause, syscall.EROFS):
		return ReadOnly
	case errors.Is(t.Cause, syscall.EACCES):
		return Denied
	default:
		return Other
	}
}

// Text says in one sentence what is wrong, without a full stop.
func (t Trouble) Text() string {
	switch t.Kind() {
	case Full:
		return "The disk is full, so the queue cannot be written"
	case ReadOnly:
		return "The disk is read-only, so the queue cannot be written"
	case Denied:
		return "The queue cannot be written: permission denied"
	case Other:
	}
	return "The queue cannot be written: " + strings.TrimPrefix(fmt.Sprint(t.Cause), ErrStorage.Error()+": ")
}

// Hint is what to do about it.
func (t Trouble) Hint(folder string) string {
	switch t.Kind() {
	case Full:
		return "make room on the disk of " + folder + "; Filmspool goes on by itself"
	case ReadOnly, Denied, Other:
	}
	return "make " + folder + " writable; Filmspool goes on by itself"
}

// troubles keeps the present trouble.
type troubles struct {
	mu  sync.Mutex
	now *Trouble
}

// begin notes a failure. It reports whether it is other than the one before.
func (t *troubles) begin(at time.Time, cause error) (news bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now == nil {
		t.now, news = &Trouble{Since: at}, true
	}
	was := t.now.Text()
	t.now.Cause = cause
	return news || t.now.Text() != was
}

// refuse counts events that were not taken.
func (t *troubles) refuse(events int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now != nil {
		t.now.Refused += int64(events)
	}
}

// end forgets the trouble. A commit of few pages may succeed where events do
// not, so that one of them ends no trouble in which events were refused. It returns
// what ended.
func (t *troubles) end(events bool) (over *Trouble) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now != nil && (events || t.now.Refused == 0) {
		over, t.now = t.now, nil
	}
	return over
}

// works forgets the trouble, and logs its end.
func (f *File) works(events bool) {
	if over := f.trouble.end(events); over != nil {
		f.logger.Info("storage works again", "after", f.now().Sub(over.Since), "refused", over.Refused)
	}
}

// Trouble is what keeps the queue from writing now; ok is false when nothing
// does, as far as was tried.
func (f *File) Trouble() (trouble Trouble, ok bool) {
	f.trouble.mu.Lock()
	defer f.trouble.mu.Unlock()
	if f.trouble.now == nil {
		return Trouble{}, false
	}
	return *f.trouble.now, true
}

// Refused counts events that were not taken.
func (f *File) Refused(events int) { f.trouble.refuse(events) }

// Taken tells that events were written: what kept them away is over.
func (f *File) Taken() { f.works(true) }

// Look tries to write while there is trouble, so that its end shows. While
// somebody writes it does nothing.
func (f *File) Look() {
	select {
	case <-f.turn:
		f.inTurn(f.look)
	default:
	}
}

// look is Look for whoever has the turn.
func (f *File) look() {
	trouble, bad := f.Trouble()
	if !bad || isBusy(trouble.Cause) { // a lock takes seconds, and its end shows by itself
		return
	}
	if err := f.tryWriting(); err != nil {
		f.failed(err)
		return
	}
	f.works(true)
}

// isBusy reports whether another process has the database locked.
func isBusy(err error) bool {
	said, ok := errors.AsType[*sqlite.Error](err)
	return ok && said.Code()&0xff == sqlite3.SQLITE_BUSY
}

// tryWriting writes and takes back what an event would need.
func (f *File) tryWriting() error {
	return f.alone(func(t *Tx) error {
		if _, err := t.Exec("INSERT INTO ballast (data) VALUES (zeroblob(65536))"); err != nil {
			return err
		}
		_, err := t.Exec("DELETE FROM ballast")
		return err
	})
}
