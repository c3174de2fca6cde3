package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

// checkTime bounds the check at start: 400 MB take 1 to 7 s. Damage that it does
// not reach is found when SQLite reads that page.
const checkTime = 10 * time.Second

// reportDamage ends the run if err says that the database is damaged: only a
// start can set it aside. It is told the errors of reads, and of the writer.
func (db *DB) reportDamage(err error) {
	if !isDamage(err) {
		return
	}
	select {
	case db.damage <- err:
	default:
		return // reported already
	}
	db.logger.Error("database is damaged; the next start will set it aside", "path", db.path, "error", err)
	if err := os.WriteFile(db.suspicion(), []byte(err.Error()), 0o600); err != nil {
		db.logger.Error("the damage could not be noted for the next start", "error", err)
	}
}

// suspicion is the file that tells the next start of damage.
func (db *DB) suspicion() string { return db.path + ".suspect" }

// findDamage says why the database must be set aside; "" when it need not. Its
// structure is only checked after a run that did not end in order.
func (db *DB) findDamage(ctx context.Context) (cause string, err error) {
	if cause, err := os.ReadFile(db.suspicion()); err == nil {
		return string(cause), nil
	}
	pool, err := db.pool(db.path, reading, nil)
	if err != nil {
		return "", err
	}
	defer pool.Close()
	found, err := db.inspect(ctx, pool)
	if err == nil && found.version > 0 && !found.clean {
		cause, err = db.check(ctx, pool)
	}
	if isDamage(err) {
		return err.Error(), nil
	}
	return cause, err
}

// check has SQLite check the structure of the database; "" when that is sound.
func (db *DB) check(ctx context.Context, pool *sql.DB) (verdict string, err error) {
	bounded, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	begun := time.Now()
	err = pool.QueryRowContext(bounded, "PRAGMA quick_check(1)").Scan(&verdict)
	switch {
	case err == nil && verdict == "ok":
		db.logger.Info("database checked after an unclean stop", "took", time.Since(begun))
		return "", nil
	case ctx.Err() == nil && bounded.Err() != nil:
		db.logger.Warn("database too large to be checked whole", "after", checkTime)
		return "", nil
	}
	return verdict, err
}

// Recovery describes a damaged database whose readable rows were copied.
type Recovery struct {
	Aside  string // where the damaged file is put
	Copied int64  // rows
	Lost   int64  // rows that could not be read or kept
}

const (
	damaged   = ".damaged-"  // in the name of a file that was set aside, with the time
	recovered = ".recovered" // ends the name of a complete new one
)

// recover copies every readable row of a damaged database into a new one and
// puts that in its place. The damaged file is only read; it stays under another
// name. A crash at any moment leaves either the damaged file where it was, or a
// complete new one that finishRecovery finds.
func (db *DB) recover(ctx context.Context, cause string) error {
	db.logger.Error("the database is damaged; its readable rows are copied", "path", db.path, "cause", cause)
	found := Recovery{Aside: db.asidePath()}
	fresh := db.path + ".recovering"
	for _, part := range parts { // of an earlier attempt
		if err := os.Remove(fresh + part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("recover database: %w: %w", ErrStorage, err)
		}
	}
	if err := db.copyReadable(ctx, fresh, &found); err != nil {
		return fmt.Errorf("recover database: %w", err)
	}
	if err := errors.Join(syncFile(fresh), os.Rename(fresh, found.Aside+recovered)); err != nil {
		return fmt.Errorf("recover database: %w: %w", ErrStorage, err)
	}
	syncFolder(filepath.Dir(db.path))
	if err := db.finishRecovery(); err != nil {
		return err
	}
	select { // a start that met the damage has reported it
	case <-db.damage: //nolint:errcheck // it is known already
	default:
	}
	db.trouble.end()
	db.logger.Error("the damaged database was set aside", "aside", found.Aside, "copied", found.Copied, "lost", found.Lost)
	return nil
}

// finishRecovery puts a recovered database in its place, if there is one.
func (db *DB) finishRecovery() error {
	for _, ready := range siblings(db.path + damaged) {
		aside, complete := strings.CutSuffix(ready, recovered)
		if !complete {
			continue
		}
		if err := db.setAside(aside, parts...); err != nil {
			return err
		}
		if err := os.Rename(ready, db.path); err != nil {
			return fmt.Errorf("replace database: %w: %w", ErrStorage, err)
		}
		if err := os.Remove(db.suspicion()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget damage: %w: %w", ErrStorage, err)
		}
		syncFolder(filepath.Dir(db.path))
	}
	return nil
}

// setAside renames some of the database's files.
func (db *DB) setAside(aside string, parts ...string) error {
	for _, part := range parts {
		if err := os.Rename(db.path+part, aside+part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("set database aside: %w: %w", ErrStorage, err)
		}
	}
	return nil
}

// setStrayLogAside keeps a write-ahead log whose database is missing, empty or
// was replaced by a copy: SQLite would delete it, or write it over the copy.
func (db *DB) setStrayLogAside() error {
	log, err := os.Stat(db.path + "-wal")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read log: %w: %w", ErrStorage, err)
	}
	if err != nil || log.Size() == 0 {
		return nil
	}
	if size(db.path) > 0 {
		const writeVersion = 18 // 1 in a database that never had a log, such as a copy
		header := make([]byte, writeVersion+1)
		file, err := os.Open(db.path)
		if err != nil {
			return fmt.Errorf("read database: %w", err)
		}
		_, _ = io.ReadFull(file, header) // what is shorter is no database
		file.Close()
		if string(header[:16]) != "SQLite format 3\x00" || header[writeVersion] != 1 {
			return nil
		}
	}
	aside := db.asidePath()
	if err := db.setAside(aside, "-wal", "-shm"); err != nil {
		return err
	}
	name := filepath.Base(aside) + "-wal"
	db.logger.Error("a write-ahead log without its database was set aside", "aside", name)
	db.startNotices = append(db.startNotices, Notice{
		Text: fmt.Sprintf("A write-ahead log was found that does not belong to the queue's file. It was set aside as %s: "+
			"the newest events may exist only in that log.", name),
		Hint: "filmspool queue list",
	})
	return nil
}

// copyReadable makes the new database and fills it.
func (db *DB) copyReadable(ctx context.Context, fresh string, found *Recovery) (err error) {
	if err := makeFile(fresh); err != nil {
		return err
	}
	to, err := db.connect(fresh)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.close()) }()
	if err := applySchema(ctx, to.conn, db.o.Schema, 0); err != nil {
		return err
	}
	from, err := db.pool(db.path, reading, nil, "writable_schema(1)") // it reads what it can of a broken schema
	if err != nil {
		return err
	}
	defer from.Close()
	c := copier{&Tx{connection: to, Now: db.o.Now().UnixMilli()}, ctx, from, found}
	if err := c.Run("PRAGMA foreign_keys = off", "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err := c.copyTables((size(db.path) + size(db.path+"-wal")) / 16); err != nil { // a row takes more than 16 bytes
		return err
	}
	notice, err := db.o.Repair(c.Tx, *found)
	if err != nil {
		return err
	}
	return errors.Join(c.Notify(notice), c.Mark("clean", 1), c.Mark("recovered", 1), c.Run("COMMIT"))
}

// copier copies tables from a damaged database.
type copier struct {
	*Tx
	ctx   context.Context
	from  *sql.DB
	found *Recovery
}

const (
	rangeRows = 500
	maxFaults = 50_000 // unreadable rows one after the other, before a table is given up
)

// table is a table of the new database, with the first column of its key.
type table struct {
	name, key, columns string
	numbered           bool // that is a number
}

// copyTables copies every table but the counters, which Repair counts anew. A
// table whose key begins with a number is copied by ranges of it, up to most.
func (c *copier) copyTables(most int64) error {
	rows, err := c.Query(`SELECT l.name, max(iif(pk = 1, i.name, '')), group_concat(i.name), max(pk = 1 AND i.type = 'INTEGER')
		FROM pragma_table_list AS l, pragma_table_info(l.name) AS i
		WHERE l.schema = 'main' AND l.type = 'table' AND l.name NOT LIKE 'sqlite_%' AND l.name <> 'counters' GROUP BY l.name ORDER BY l.name`)
	tables, err := Collect(rows, err, func(r *sql.Rows) (t table, err error) {
		return t, r.Scan(&t.name, &t.key, &t.columns, &t.numbered)
	})
	if err != nil {
		return err
	}
	for _, t := range tables {
		if t.numbered {
			err = c.copyByNumber(t, most)
		} else {
			err = c.copyFromBothEnds(t)
		}
		if err != nil {
			return fmt.Errorf("copy table %s: %w", t.name, err)
		}
	}
	return nil
}

// copyByNumber copies a table by ranges of its numbers up to most, and a range that
// is not full row by row: a damaged number can end a range without an error.
func (c *copier) copyByNumber(t table, most int64) error {
	faults, where, last := int64(0), fmt.Sprintf("WHERE %s BETWEEN ? AND ?", t.key), int64(0)
	for first := int64(1); first <= most && faults <= maxFaults; first += rangeRows {
		n, readable, err := c.copyRows(t, where, first, first+rangeRows-1)
		if n > 0 {
			last = first + rangeRows
		}
		alone := !readable || n < rangeRows && first <= last+rangeRows
		for id := first; err == nil && alone && id < first+rangeRows; id++ {
			if _, readable, err = c.copyRows(t, where, id, id); !readable {
				faults++
				continue
			}
			c.found.Lost += faults
			faults = 0
		}
		if err == nil {
			err = c.Run("COMMIT", "BEGIN IMMEDIATE") // one transaction would need all the room twice
		}
		if err != nil {
			return err
		}
	}
	c.found.Lost += min(faults, 1) // nothing says how many rows there were at the end
	return nil
}

// copyFromBothEnds copies a table without numbers forward to the first row that cannot
// be read, then backward.
func (c *copier) copyFromBothEnds(t table) error {
	for _, direction := range []string{"ASC", "DESC"} {
		_, readable, err := c.copyRows(t, "ORDER BY "+t.key+" "+direction)
		if err != nil || readable {
			return err
		}
	}
	c.found.Lost++ // nothing says how many rows there were between
	return nil
}

// copyRows copies some rows of a table, and says how many there were; readable is
// false when one of them cannot be read. Rows that are there already, or do not fit
// the table, are left out.
func (c *copier) copyRows(t table, which string, args ...any) (n int, readable bool, err error) {
	rows, err := c.from.QueryContext(c.ctx, fmt.Sprintf("SELECT %s FROM %s %s", t.columns, t.name, which), args...)
	if err != nil {
		return 0, false, unlessUnreadable(err)
	}
	defer rows.Close()
	row := make([]any, 1+strings.Count(t.columns, ","))
	into := make([]any, len(row))
	for i := range row {
		into[i] = &row[i]
	}
	insert := fmt.Sprintf("INSERT OR IGNORE INTO %s (%s) VALUES (?%s)", t.name, t.columns, strings.Repeat(", ?", len(row)-1))
	for ; rows.Next(); n++ {
		if err := rows.Scan(into...); err != nil {
			return n, false, err
		}
		kept, err := c.Affect(insert, row...)
		switch {
		case err == nil:
			c.found.Copied += kept
		case concernsOneJob(err):
			c.found.Lost++
		default:
			return n, false, err
		}
	}
	return n, rows.Err() == nil, unlessUnreadable(rows.Err())
}

// unlessUnreadable is err, or nil where it only says that the damaged database
// cannot be read there: SQLITE_ERROR is a table that is missing.
func unlessUnreadable(err error) error {
	if isDamage(err) || code(err) == sqlite3.SQLITE_ERROR {
		return nil
	}
	return err
}
