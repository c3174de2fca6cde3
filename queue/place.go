package queue

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
func (s *Store) inPlace() error {
	if err := s.place.check(); err != nil {
		return fmt.Errorf("%w: %w", errGone, err)
	}
	return nil
}

// ready makes sure before a transaction that the files are in their place, and
// that there is a connection. After a failure it makes a new one.
func (s *Store) ready() error {
	err := s.gone
	if err == nil {
		err = s.inPlace()
	}
	if short, ok := errors.AsType[*shorter](err); ok && short.log && s.emptied() {
		err = nil
	}
	if err == nil && s.writer == nil {
		if err = s.place.same(s.path); err != nil {
			err = fmt.Errorf("%w: %w", errGone, err)
		}
	}
	if err != nil {
		return s.lost(err)
	}
	if s.writer != nil {
		return nil
	}
	s.writer, err = connect(s.path)
	return err
}

// emptied reports whether a log that became shorter has nothing that the
// database has not: another program that copies the file away may empty it.
func (s *Store) emptied() bool {
	if s.writer == nil {
		return false
	}
	var busy, frames, done int
	rows, err := s.writer.query("PRAGMA wal_checkpoint(PASSIVE)")
	_, err = collect(rows, err, func(r *sql.Rows) (struct{}, error) { return struct{}{}, r.Scan(&busy, &frames, &done) })
	s.place.fresh = false
	return err == nil && busy == 0 && frames == done
}

// rescueEvery is how long it is waited after a rescue that has failed.
const rescueEvery = 10 * time.Second

// lost deals with files that are gone: the open ones still have everything, so
// the database is written anew from them. Run ends after that, and the next
// opening puts the new file in place. It is called in turn, outside of a
// transaction. It returns why nothing can be written here any more.
func (s *Store) lost(cause error) error {
	if s.gone == nil {
		s.logger.Error("the queue's file is gone from its place", "error", cause)
		s.gone = cause
	}
	again := fmt.Errorf("%w: %w; it is written anew, try again", ErrStorage, cause)
	now := s.now()
	if s.rescued {
		return again
	}
	if now.Before(s.rescueAt) {
		return fmt.Errorf("%w: %w", ErrStorage, cause)
	}
	s.rescueAt = now.Add(rescueEvery)
	err := s.writeAnew(cause)
	switch {
	case err == nil:
		s.rescued = true
		s.logger.Error("the database was written anew from what was still open")
		s.end(cause)
		return again
	case isDamage(err) || isShort(err):
		s.suspect(cause) // what was open has not everything either
	default:
		s.logger.Error("the database could not be written anew", "error", err)
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
func (s *Store) writeAnew(cause error) error {
	fresh := s.path + ".salvaging"
	if err := makeFolder(filepath.Dir(s.path)); err != nil {
		return err
	}
	if err := removeDatabase(fresh); err != nil {
		return fmt.Errorf("%w: %w", ErrStorage, err)
	}
	var err error
	if s.writer != nil {
		_, err = s.writer.exec("VACUUM INTO ?", fresh)
	} else {
		_, err = s.reader.ExecContext(context.Background(), "VACUUM INTO ?", fresh)
	}
	if err != nil {
		return errors.Join(storageError(err), removeDatabase(fresh))
	}
	stamp := s.freeStamp()
	err = s.annotate(fresh, Notice{
		Text: fmt.Sprintf("While Filmspool ran, the queue's file was taken away (%s). It was written anew from what was still open; "+
			"nothing is lost. What stood in its place was set aside as %s.", reason(cause), filepath.Base(s.aside(stamp))),
		Hint: "filmspool queue list",
	})
	if err != nil {
		return err
	}
	return s.stage(fresh, stamp)
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
func (s *Store) end(fault error) {
	select {
	case s.damage <- fault:
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
