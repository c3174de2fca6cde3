package disk

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The files that a database consists of, by what follows its name.
func parts() []string { return []string{"", "-wal", "-shm"} }

// Salvage is what only the owner of the tables knows when a damaged database
// is saved.
type Salvage struct {
	// Tables are those that are not merely copied, by name.
	Tables map[string]Table
	// Accept makes a row acceptable before it is written. It reports false for
	// one that the table cannot have.
	Accept func(table string, columns []string, values []any, from Origin) bool
	// Mend mends what hangs together, once all is copied, and tells of it.
	Mend func(ctx context.Context, t *Tx, w Wreck) (Report, error)
}

// Table is how the rows of a table are saved.
type Table struct {
	Needed  bool   // a file without it is not worth reading
	First   bool   // it is read before the others
	Anew    bool   // it is not copied: [Salvage] makes it anew
	Counted bool   // rows of it that cannot be kept are counted
	Lasts   bool   // its rows are of use when they are old
	Last    string // query of the fresh database for the greatest number that a row may have
	// Shape are the kinds of its first columns: 't' text, 'i' integer, 'b'
	// blob, 'n' the number of the row, 'a' any. By it a row of a stray page is
	// known; without one it is not.
	Shape string
}

// Origin is where a row was found.
type Origin int

// The origins.
const (
	InTable Origin = iota // where it belongs
	InLog                 // in a page of the log that no table may lead to any more
	InRound               // in what an earlier round of the log has left
)

// Wreck is what was found of a damaged database.
type Wreck struct {
	From       *sql.DB // what can be read of it
	Aside      string  // where it will be
	Unreadable int64   // rows that could not be read or kept
	Gone       bool    // only its log was there
}

// Report is what came of a salvage.
type Report struct {
	Notice  Notice
	Figures []any // for the program's log
}

// salvageAll saves what can be read of a damaged database into a fresh one, and
// then puts that in its place. The damaged one is only read: it stays beside
// it under another name. A crash at any moment leaves either the damaged
// database where it was, or a whole fresh one that [File.finishSwap] finds.
func (f *File) salvageAll(ctx context.Context, cause string) error {
	log, err := os.ReadFile(f.path + "-wal")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("salvage database: %w: %w", ErrStorage, err)
	}
	return f.salvageFrom(ctx, remains{base: f.path, log: readLog(log), cause: cause})
}

// remains are what a salvage reads.
type remains struct {
	base  string // a file like the database, which may have a log beside it
	log   logged // the pages of the log, for rows that base does not lead to
	cause string
	gone  bool // the database's own file was missing or empty
}

// salvageFrom is salvage for a wreck that may stand elsewhere.
func (f *File) salvageFrom(ctx context.Context, w remains) error {
	stamp := f.freeStamp()
	f.logger.Error("database is damaged; saving what can be read", "path", f.path, "cause", w.cause)
	fresh := f.path + ".salvaging"
	if err := removeDatabase(fresh); err != nil {
		return fmt.Errorf("salvage database: %w: %w", ErrStorage, err)
	}
	report, err := f.rescue(ctx, fresh, f.aside(stamp), w)
	if err != nil {
		return fmt.Errorf("salvage database: %w", err)
	}
	if err := f.stage(fresh, stamp); err != nil {
		return err
	}
	if err := f.finishSwap(); err != nil {
		return err
	}
	f.salvagedNow = true
	f.logger.Error("database was set aside", append([]any{"aside", f.aside(stamp)}, report.Figures...)...)
	return nil
}

// stage puts a whole fresh database where [File.finishSwap] finds it.
func (f *File) stage(fresh, stamp string) error {
	if err := flush(fresh); err != nil {
		return fmt.Errorf("salvage database: %w: %w", ErrStorage, err)
	}
	if err := os.Rename(fresh, f.salvaged(stamp)); err != nil {
		return fmt.Errorf("salvage database: %w: %w", ErrStorage, err)
	}
	syncFolder(filepath.Dir(f.path))
	return nil
}

// freeStamp is the time now for names of files, or the next second at which
// nothing was set aside yet.
func (f *File) freeStamp() string {
	return stampFor(f.now(), func(stamp string) bool {
		return nothing(f.aside(stamp)) && nothing(f.aside(stamp)+"-wal") && nothing(f.salvaged(stamp))
	})
}

// aside is where a damaged database is put.
func (f *File) aside(stamp string) string { return f.path + ".damaged-" + stamp }

// salvaged is a whole fresh database that is to take the damaged one's place.
func (f *File) salvaged(stamp string) string { return f.path + ".salvaged-" + stamp }

// finishSwap puts a salvaged database in its place, if there is one.
func (f *File) finishSwap() error {
	ready, err := filepath.Glob(f.salvaged("*"))
	if err != nil || len(ready) == 0 {
		return err
	}
	stamp := strings.TrimPrefix(ready[0], f.salvaged(""))
	for _, part := range parts() {
		err := os.Rename(f.path+part, f.aside(stamp)+part)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("set database aside: %w: %w", ErrStorage, err)
		}
	}
	if err := os.Rename(ready[0], f.path); err != nil {
		return fmt.Errorf("replace database: %w: %w", ErrStorage, err)
	}
	if err := os.Remove(f.suspicion()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget damage: %w: %w", ErrStorage, err)
	}
	syncFolder(filepath.Dir(f.path))
	return nil
}

// removeDatabase removes what an attempt that was cut short has left.
func removeDatabase(path string) error {
	for _, part := range parts() {
		if err := os.Remove(path + part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// rescue makes the fresh database and fills it.
func (f *File) rescue(ctx context.Context, fresh, aside string, w remains) (report Report, err error) {
	if err := makeFile(fresh); err != nil {
		return report, err
	}
	if err := f.emptyDatabase(ctx, fresh); err != nil {
		return report, err
	}
	from, err := f.readable(ctx, w.base, fresh)
	if err != nil {
		return report, err
	}
	to, err := connect(fresh)
	if err != nil {
		return report, errors.Join(err, from.Close())
	}
	r := &rescue{
		ctx: ctx, from: from.db, tx: &Tx{connection: to, Now: f.now().UnixMilli()},
		salvage: f.salvage, gone: w.gone,
	}
	report, err = r.fill(aside, w.log)
	return report, errors.Join(err, to.close(), from.Close())
}

// emptyDatabase makes a database and puts it whole into its one file.
func (f *File) emptyDatabase(ctx context.Context, path string) error {
	c, err := connect(path)
	if err != nil {
		return err
	}
	return errors.Join(migrate(ctx, c.conn, f.schema), c.close())
}

// fill copies what can be read and has the owner of the tables mend it.
func (r *rescue) fill(aside string, log logged) (report Report, err error) {
	if err := r.tx.Run("PRAGMA foreign_keys = off", "BEGIN IMMEDIATE"); err != nil {
		return report, err
	}
	if err := r.copyTables(); err != nil {
		return report, err
	}
	if err := r.copyStray(log); err != nil {
		return report, err
	}
	report, err = r.salvage.Mend(r.ctx, r.tx, Wreck{From: r.from, Aside: aside, Unreadable: r.unreadable, Gone: r.gone})
	if err != nil {
		return report, err
	}
	if err := r.tx.Notify(report.Notice); err != nil {
		return report, err
	}
	if err := r.tx.Mark("clean", 1); err != nil {
		return report, err
	}
	return report, r.tx.commit()
}
