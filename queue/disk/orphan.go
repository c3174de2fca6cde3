package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// minded looks after a write-ahead log whose database is missing, empty or
// another one. SQLite would discard it, or write it over the other database.
func (f *File) minded(ctx context.Context) error {
	log, err := os.ReadFile(f.path + "-wal")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read log: %w: %w", ErrStorage, err)
	}
	found := readLog(log)
	if found.empty() {
		return nil
	}
	header, err := head(f.path)
	switch {
	case err != nil:
		return fmt.Errorf("read database: %w: %w", ErrStorage, err)
	case len(header) == 0:
		return f.adopt(ctx, found)
	case keepsNoLog(header):
		return f.setLogAside()
	default:
		return nil
	}
}

// head is the begin of a file, nothing when it is missing or empty.
func head(path string) ([]byte, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	header := make([]byte, headerSize)
	n, err := file.Read(header)
	if n == 0 {
		if info, err := file.Stat(); err != nil || info.Size() > 0 {
			return nil, errors.Join(err, errors.New("nothing can be read"))
		}
		return nil, nil
	}
	return header[:n], err
}

// keepsNoLog reports whether a database was written without a log, as a copy
// is. A log beside it belongs to the file that it has replaced.
func keepsNoLog(header []byte) bool {
	const written = 18 // how it was
	return bytes.HasPrefix(header, []byte("SQLite format 3\x00")) && len(header) > written && header[written] == 1
}

// setLogAside keeps a log of another file from being written over this one.
func (f *File) setLogAside() error {
	aside := f.aside(f.freeStamp())
	for _, part := range []string{"-wal", "-shm"} {
		if err := os.Rename(f.path+part, aside+part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("set log aside: %w: %w", ErrStorage, err)
		}
	}
	f.logger.Error("the log of another database was set aside", "aside", aside+"-wal")
	f.tidings = append(f.tidings, Notice{
		Text: fmt.Sprintf("The queue's file is a copy that was put in place of another. The log of that other one was set aside as %s-wal: "+
			"what was taken last may stand in it alone.", filepath.Base(aside)),
		Hint: "filmspool queue list",
	})
	return nil
}

// adopt makes a database of a log alone. A log that leads to everything is the
// whole database; of another one, the rows are saved that it has.
func (f *File) adopt(ctx context.Context, log logged) error {
	logFile := f.path + ".logged"
	if err := removeDatabase(logFile); err != nil {
		return fmt.Errorf("read log: %w: %w", ErrStorage, err)
	}
	defer func() { _ = removeDatabase(logFile) }() // it only takes room
	if err := os.WriteFile(logFile, log.over(nil), 0o600); err != nil {
		return fmt.Errorf("read log: %w: %w", ErrStorage, err)
	}
	if f.sound(ctx, logFile) {
		f.logger.Error("the database was missing; its log has all of it", "path", f.path)
		return f.install(logFile, func(stamp string) Notice {
			return Notice{
				Text: fmt.Sprintf("The queue's file was missing or empty. Its log was there and had everything, so nothing is lost. "+
					"The log was set aside as %s-wal.", filepath.Base(f.aside(stamp))),
				Hint: "filmspool queue list",
			}
		})
	}
	return f.salvageFrom(ctx, remains{base: logFile, log: log, gone: true, cause: "the file is missing or empty; only its log is there"})
}

// sound reports whether a file is a whole database of ours.
func (f *File) sound(ctx context.Context, path string) bool {
	db, err := f.openDamaged(ctx, path)
	if err != nil {
		return false
	}
	defer db.Close()
	var verdict string
	err = db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict)
	return err == nil && verdict == "ok"
}

// install puts a whole database in place of what is there, with a notice in it.
func (f *File) install(fresh string, notice func(stamp string) Notice) error {
	stamp := f.freeStamp()
	if err := f.annotate(fresh, notice(stamp)); err != nil {
		return err
	}
	if err := f.stage(fresh, stamp); err != nil {
		return err
	}
	return f.finishSwap()
}

// annotate puts a notice into a whole database that nobody has open. It needs
// no log to go with it, and no check.
func (f *File) annotate(path string, n Notice) error {
	c, err := connect(path)
	if err != nil {
		return err
	}
	t := &Tx{connection: c, Now: f.now().UnixMilli()}
	err = t.Run("BEGIN IMMEDIATE")
	if err == nil {
		err = errors.Join(t.Notify(n), t.Mark("clean", 1))
	}
	if err == nil {
		err = t.commit()
	}
	return errors.Join(err, c.close())
}
