package disk

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// place is where the files of an open database lie. What SQLite writes goes
// into the files that it has open, whether their names still lead there or not.
type place struct {
	names [3]string
	files [3]identity
	known bool // the database was seen once
	fresh bool // the files are those of the present connection
}

// errGone is wrapped when the open database is not the one that its name leads
// to. What would be written to it nobody would find again.
var errGone = errors.New("the queue's file is gone")

// shorter is a file that has become shorter.
type shorter struct {
	name string
	log  bool // the write-ahead log
}

func (e *shorter) Error() string { return e.name + " was made shorter" }

// inPlace reports whether what is written can be found again.
func (f *File) inPlace() error {
	if err := f.place.check(); err != nil {
		return fmt.Errorf("%w: %w", errGone, err)
	}
	return nil
}

// ready makes sure before a transaction that the files are in their place, and
// that there is a connection. After a failure it makes a new one.
func (f *File) ready() error {
	err := f.gone
	if err == nil {
		err = f.inPlace()
	}
	if short, ok := errors.AsType[*shorter](err); ok && short.log && f.emptied() {
		err = nil
	}
	if err == nil && f.writer == nil {
		if err = f.place.same(f.path); err != nil {
			err = fmt.Errorf("%w: %w", errGone, err)
		}
	}
	if err != nil {
		return f.lost(err)
	}
	if f.writer != nil {
		return nil
	}
	f.writer, err = connect(f.path)
	return err
}

// emptied reports whether a log that became shorter has nothing that the
// database has not: another program that copies the file away may empty it.
func (f *File) emptied() bool {
	if f.writer == nil {
		return false
	}
	var busy, frames, done int
	rows, err := f.writer.Query("PRAGMA wal_checkpoint(PASSIVE)")
	_, err = Collect(rows, err, func(r *sql.Rows) (struct{}, error) { return struct{}{}, r.Scan(&busy, &frames, &done) })
	f.place.fresh = false
	return err == nil && busy == 0 && frames == done
}

// rescueEvery is how long it is waited after a rescue that has failed.
const rescueEvery = 10 * time.Second

// lost deals with files that are gone: the open ones still have everything, so
// the database is written anew from them. Run ends after that, and the next
// opening puts the new file in place. It is called in turn, outside of a
// transaction. It returns why nothing can be written here any more.
func (f *File) lost(cause error) error {
	if f.gone == nil {
		f.logger.Error("the queue's file is gone from its place", "error", cause)
		f.gone = cause
		f.trouble.begin(f.now(), cause) // whoever noticed it: a write, a look, or the log's growth
	}
	again := fmt.Errorf("%w: %w; it is written anew, try again", ErrStorage, cause)
	now := f.now()
	if f.rescued {
		return again
	}
	if now.Before(f.rescueAt) {
		return fmt.Errorf("%w: %w", ErrStorage, cause)
	}
	f.rescueAt = now.Add(rescueEvery)
	err := f.writeAnew(cause)
	switch {
	case err == nil:
		f.rescued = true
		f.logger.Error("the database was written anew from what was still open")
		f.end(cause)
		return again
	case isDamage(err) || isShort(err):
		f.suspect(cause) // what was open has not everything either
	case err.Error() != f.unrescued:
		f.unrescued = err.Error()
		f.logger.Error("the database could not be written anew", "error", err)
	}
	return fmt.Errorf("%w: %w; write it anew: %w", ErrStorage, cause, err)
}

// isShort reports whether a file ended before what was to be read.
func isShort(err error) bool {
	said, ok := errors.AsType[*sqlite.Error](err)
	return ok && said.Code() == sqlite3.SQLITE_IOERR_SHORT_READ
}

// writeAnew copies the open database into a file that the next opening puts in
// place.
func (f *File) writeAnew(cause error) error {
	fresh := f.path + ".salvaging"
	if err := makeFolder(filepath.Dir(f.path)); err != nil {
		return err
	}
	if err := removeDatabase(fresh); err != nil {
		return fmt.Errorf("%w: %w", ErrStorage, err)
	}
	var err error
	if f.writer != nil {
		_, err = f.writer.Exec("VACUUM INTO ?", fresh)
	} else {
		_, err = f.reader.ExecContext(context.Background(), "VACUUM INTO ?", fresh)
	}
	if err != nil {
		return errors.Join(StorageError(err), removeDatabase(fresh))
	}
	stamp := f.freeStamp()
	err = f.annotate(fresh, Notice{
		Text: fmt.Sprintf("While Filmspool ran, the queue's file was taken away (%s). It was written anew from what was still open; "+
			"nothing is lost. What stood in its place was set aside as %s.", reason(cause), filepath.Base(f.aside(stamp))),
		Hint: "filmspool queue list",
	})
	if err != nil {
		return err
	}
	return f.stage(fresh, stamp)
}

// reason is what an error says without the sentinel before it.
func reason(err error) string {
	if parts, ok := err.(interface{ Unwrap() []error }); ok {
		all := parts.Unwrap()
		return all[len(all)-1].Error()
	}
	return err.Error()
}

// end has Run end with fault.
func (f *File) end(fault error) {
	select {
	case f.damage <- fault:
	default: // it ends already
	}
}

// keepLog has SQLite leave the log alone when the connection is closed: a file
// of that name may be another's by then.
func (c *connection) keepLog() {
	_ = c.conn.Raw(func(below any) error {
		if control, ok := below.(sqlite.FileControl); ok {
			_, err := control.FileControlPersistWAL("main", 1)
			return err
		}
		return nil
	})
}
