package disk

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// parts are the suffixes of the files that a database consists of.
func parts() []string { return []string{"", "-wal", "-shm"} }

// Recovery describes a damaged database whose readable rows were copied.
type Recovery struct {
	Aside  string // where the damaged file is put
	Copied int64  // rows
	Lost   int64  // rows that could not be read or kept
}

// recover copies every readable row of a damaged database into a fresh one and
// puts that in its place. The damaged file is only read; it stays beside the
// fresh one under another name. A crash at any moment leaves either the damaged
// file where it was, or a whole fresh one that [File.finishSwap] finds.
func (f *File) recover(ctx context.Context, cause string) error {
	stamp := f.freeStamp()
	f.logger.Error("the database is damaged; its readable rows are copied", "path", f.path, "cause", cause)
	fresh := f.path + ".recovering"
	if err := removeDatabase(fresh); err != nil {
		return fmt.Errorf("recover database: %w: %w", ErrStorage, err)
	}
	found, err := f.copyReadable(ctx, fresh, f.aside(stamp))
	if err != nil {
		return fmt.Errorf("recover database: %w", err)
	}
	if err := errors.Join(flush(fresh), os.Rename(fresh, f.recovered(stamp))); err != nil {
		return fmt.Errorf("recover database: %w: %w", ErrStorage, err)
	}
	syncFolder(filepath.Dir(f.path))
	if err := f.finishSwap(); err != nil {
		return err
	}
	f.logger.Error("the damaged database was set aside", "aside", found.Aside, "copied", found.Copied, "lost", found.Lost)
	return nil
}

// copyReadable makes the fresh database and fills it.
func (f *File) copyReadable(ctx context.Context, fresh, aside string) (found Recovery, err error) {
	found.Aside = aside
	if err := makeFile(fresh); err != nil {
		return found, err
	}
	to, err := connect(fresh, f.busy)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, to.close()) }()
	if err := migrate(ctx, to.conn, f.schema); err != nil {
		return found, err
	}
	from, err := openPool(1, f.path, "ro", f.busy, "writable_schema(1)") // it reads what it can of a broken schema
	if err != nil {
		return found, err
	}
	defer from.Close()
	c := copier{ctx: ctx, from: from, tx: &Tx{connection: to, Now: f.now().UnixMilli()}, most: rowsFit(f.path), found: &found}
	if err := c.tx.Run("PRAGMA foreign_keys = off", "BEGIN IMMEDIATE"); err != nil {
		return found, err
	}
	var tables int
	err = from.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables)
	if err == nil { // else nothing can be read
		err = c.copyTables()
	}
	if err != nil && !isUnreadable(err) {
		return found, err
	}
	notice, err := f.repair(c.tx, found)
	if err != nil {
		return found, err
	}
	if err := errors.Join(c.tx.Notify(notice), c.tx.Mark("clean", 1)); err != nil {
		return found, err
	}
	return found, c.tx.commit()
}

// rowsFit is a number that no row of a table has reached: numbers are given one
// after the other, and a row needs more than 16 bytes.
func rowsFit(path string) int64 {
	var bytes int64
	for _, part := range parts()[:2] {
		if info, err := os.Stat(path + part); err == nil {
			bytes += info.Size()
		}
	}
	return bytes / 16
}

// copier copies tables from a damaged database.
type copier struct {
	ctx     context.Context
	from    *sql.DB
	tx      *Tx
	most    int64
	pending int // rows since the last commit
	found   *Recovery
}

// copied is a table of the fresh database.
type copied struct {
	name, columns, insert string
	key                   []string // its primary key
	numbered              bool     // that is the row's number
}

// copyTables copies every table but the counters, which are counted, and the ballast.
func (c *copier) copyTables() error {
	rows, err := c.tx.Query(`SELECT name, NOT wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
		AND name NOT LIKE 'sqlite_%' AND name NOT IN ('ballast', 'counters') ORDER BY name`)
	tables, err := Collect(rows, err, func(r *sql.Rows) (t copied, err error) { return t, r.Scan(&t.name, &t.numbered) })
	if err != nil {
		return err
	}
	for _, t := range tables {
		rows, err := c.tx.Query("SELECT name, pk FROM pragma_table_info(?) ORDER BY pk = 0, pk", t.name)
		columns, err := Collect(rows, err, func(r *sql.Rows) (name string, err error) {
			var pk int
			if err = r.Scan(&name, &pk); pk > 0 {
				t.key = append(t.key, name)
			}
			return name, err
		})
		if err != nil {
			return err
		}
		t.columns = strings.Join(columns, ", ")
		t.insert = fmt.Sprintf("INSERT OR IGNORE INTO %s (%s) VALUES (?%s)", t.name, t.columns, strings.Repeat(", ?", len(columns)-1))
		if t.numbered {
			err = c.copyNumbered(t)
		} else {
			err = c.copyFromBothEnds(t)
		}
		if err != nil {
			return fmt.Errorf("copy table %s: %w", t.name, err)
		}
	}
	return nil
}

// The bounds of copying by numbers.
const (
	rangeRows = 500
	maxFaults = 5_000 // rows in a row that cannot be read, before a table is given up
)

// copyNumbered copies a table by ranges of its numbers. A range with an
// unreadable row is halved until only that row is left out.
func (c *copier) copyNumbered(t copied) error {
	last, faults := c.most, 0
	query := fmt.Sprintf("SELECT max(%s) FROM %s", t.key[0], t.name)
	var found sql.NullInt64
	if err := c.from.QueryRowContext(c.ctx, query).Scan(&found); err == nil {
		last = found.Int64
	}
	query = fmt.Sprintf("SELECT %s FROM %s WHERE %s BETWEEN ? AND ? ORDER BY %[3]s", t.columns, t.name, t.key[0])
	var copyRange func(first, last int64) error
	copyRange = func(first, last int64) error {
		err := c.keepAll(t, query, first, last)
		switch {
		case err == nil:
			faults = 0
			return nil
		case !isUnreadable(err):
			return err
		case first == last:
			c.found.Lost++
			faults++
			return nil
		}
		middle := (first + last) / 2
		for _, half := range [][2]int64{{first, middle}, {middle + 1, last}} {
			if faults > maxFaults {
				return nil
			}
			if err := copyRange(half[0], half[1]); err != nil {
				return err
			}
		}
		return nil
	}
	for first := int64(1); first <= last && faults <= maxFaults; first += rangeRows {
		if err := copyRange(first, first+rangeRows-1); err != nil {
			return err
		}
	}
	return nil
}

// copyFromBothEnds copies a table without numbers: forward as far as it can be
// read, then backward.
func (c *copier) copyFromBothEnds(t copied) error {
	for _, direction := range []string{" ASC", " DESC"} {
		order := strings.Join(t.key, direction+", ") + direction
		err := c.keepAll(t, fmt.Sprintf("SELECT %s FROM %s ORDER BY %s", t.columns, t.name, order))
		if err == nil || !isUnreadable(err) {
			return err
		}
		c.found.Lost++
	}
	return nil
}

// keepAll writes the rows of a query until one cannot be read. One that is there
// already, or does not fit the table, is left out.
func (c *copier) keepAll(t copied, query string, args ...any) error {
	rows, err := c.from.QueryContext(c.ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		kept, err := c.tx.Affect(t.insert, values...)
		switch {
		case err != nil && SpoilsOnlyItself(err):
			c.found.Lost++
		case err != nil:
			return err
		}
		c.found.Copied += kept
		if c.pending++; c.pending%2_000 == 0 { // a transaction as large as the queue would need its room twice
			if err := c.tx.Run("COMMIT", "BEGIN IMMEDIATE"); err != nil {
				return err
			}
		}
	}
	return rows.Err()
}

// isUnreadable reports whether an error is about the damaged file, and not about
// the disk or the fresh one.
func isUnreadable(err error) bool {
	said, ok := errors.AsType[*sqlite.Error](err)
	return isDamage(err) || ok && said.Code() == sqlite3.SQLITE_ERROR // a table that is not there
}

// freeStamp is the time now for names of files, or the next second at which
// nothing was set aside yet.
func (f *File) freeStamp() string {
	return stampFor(f.now(), func(stamp string) bool {
		return nothing(f.aside(stamp)) && nothing(f.aside(stamp)+"-wal") && nothing(f.recovered(stamp))
	})
}

// aside is where a damaged database is put.
func (f *File) aside(stamp string) string { return f.path + ".damaged-" + stamp }

// recovered is a whole fresh database that is to take the damaged one's place.
func (f *File) recovered(stamp string) string { return f.path + ".recovered-" + stamp }

// finishSwap puts a recovered database in its place, if there is one.
func (f *File) finishSwap() error {
	ready, err := filepath.Glob(f.recovered("*"))
	if err != nil || len(ready) == 0 {
		return err
	}
	stamp := strings.TrimPrefix(ready[0], f.recovered(""))
	if err := f.setAside(stamp, parts()...); err != nil {
		return err
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

// setAside renames some of the database's files.
func (f *File) setAside(stamp string, parts ...string) error {
	for _, part := range parts {
		if err := os.Rename(f.path+part, f.aside(stamp)+part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("set database aside: %w: %w", ErrStorage, err)
		}
	}
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

// setStrayLogAside keeps a write-ahead log whose database is missing, or was
// replaced by a copy: SQLite would discard it, or write it over the copy.
func (f *File) setStrayLogAside() error {
	info, err := os.Stat(f.path + "-wal")
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("read log: %w: %w", ErrStorage, err)
	case err != nil || info.Size() == 0:
		return nil
	}
	header, err := head(f.path)
	if err != nil {
		return fmt.Errorf("read database: %w: %w", ErrStorage, err)
	}
	const writtenBy = 18 // 1 where it was written without a log, as a copy is
	isCopy := bytes.HasPrefix(header, []byte("SQLite format 3\x00")) && len(header) > writtenBy && header[writtenBy] == 1
	if len(header) > 0 && !isCopy {
		return nil
	}
	stamp := f.freeStamp()
	if err := f.setAside(stamp, "-wal", "-shm"); err != nil {
		return err
	}
	name := filepath.Base(f.aside(stamp)) + "-wal"
	f.logger.Error("the log of another database was set aside", "aside", name)
	f.tidings = append(f.tidings, Notice{
		Text: fmt.Sprintf("A write-ahead log was found that does not belong to the queue's file. It was set aside as %s: "+
			"the newest events may exist only in that log.", name),
		Hint: "filmspool queue list",
	})
	return nil
}

// head reads the beginning of a file; nothing when it is missing or empty.
func head(path string) ([]byte, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	header := make([]byte, 100)
	n, err := file.Read(header)
	if n == 0 {
		if info, err := file.Stat(); err != nil || info.Size() > 0 {
			return nil, errors.Join(err, errors.New("nothing can be read"))
		}
		return nil, nil
	}
	return slices.Clip(header[:n]), err
}
