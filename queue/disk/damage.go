package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// checkTime bounds the check at start: 400 MB take 1 to 7 s. What it does not
// reach is found by SQLite when it comes by.
const checkTime = 10 * time.Second

// isDamage reports whether err says that the file is no longer what SQLite
// wrote, as opposed to a disk that refuses.
func isDamage(err error) bool {
	var said *sqlite.Error
	if !errors.As(err, &said) {
		return false
	}
	code := said.Code() & 0xff
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

// Damaged reports whether err says that the queue's file is damaged.
func Damaged(err error) bool { return errors.Is(err, ErrDamaged) || isDamage(err) }

// examine says why the database must be set aside; "" is a sound one. All of
// it is read only after a run that did not end in order: a mark in meta tells.
// That the write-ahead log is there would not do, for whoever else has the
// file open, such as a program that copies it, keeps the log in being.
func (f *File) examine(ctx context.Context) (cause string, err error) {
	if cause, err := os.ReadFile(f.suspicion()); err == nil {
		return string(cause), nil // a run came upon damage
	}
	found, err := f.probe(ctx)
	switch {
	case isDamage(err):
		return err.Error(), nil
	case err != nil || found.fresh || found.clean:
		return "", err
	default:
		return f.check(ctx)
	}
}

// check has SQLite look at the structure of the file, for a bounded time.
func (f *File) check(ctx context.Context) (cause string, err error) {
	db, err := openPool(1, f.path, "ro", f.busy)
	if err != nil {
		return "", err
	}
	defer db.Close()
	bounded, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	begun := time.Now()
	var verdict string
	err = db.QueryRowContext(bounded, "PRAGMA quick_check(1)").Scan(&verdict)
	switch {
	case isDamage(err):
		return err.Error(), nil
	case err != nil && ctx.Err() == nil && bounded.Err() != nil:
		f.logger.Warn("database too large to be checked whole", "after", checkTime)
		return "", nil
	case err != nil:
		return "", fmt.Errorf("check database: %w", StorageError(err))
	case verdict != "ok":
		return verdict, nil
	default:
		f.logger.Info("database checked after an unclean stop", "took", time.Since(begun))
		return "", nil
	}
}

// suspicion is the file that tells the next start of damage that a run met.
func (f *File) suspicion() string { return f.path + ".suspect" }

// suspect ends the run after damage was met: only a start can set the file
// aside. It is called in turn.
func (f *File) suspect(fault error) {
	select {
	case f.damage <- fault:
	default:
		return // said already
	}
	f.logger.Error("database is damaged; the next start will set it aside", "path", f.path, "error", fault)
	if err := os.WriteFile(f.suspicion(), []byte(fault.Error()), 0o600); err != nil {
		f.logger.Error("the damage could not be noted for the next start", "error", err)
	}
}
