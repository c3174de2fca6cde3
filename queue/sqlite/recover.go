package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/filmspool/filmspool/queue/viewing"
)

// checkTime bounds the check at start: 400 MB take 1 to 7 s. Damage that it does
// not reach is found when SQLite reads that page.
const checkTime = 10 * time.Second

// reportDamage ends the run if err says that the database is damaged: only a
// start can set it aside. It gets the errors of reads, and of the writer.
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
	if err := os.WriteFile(db.damageMarker(), []byte(err.Error()), 0o600); err != nil {
		db.logger.Error("the damage could not be noted for the next start", "error", err)
	}
}

// damageMarker is the file that tells the next start of damage.
func (db *DB) damageMarker() string { return db.path + ".suspect" }

// findDamage says why the database must be set aside; "" when it need not. Its
// structure is only checked after a run that did not end in order.
func (db *DB) findDamage(ctx context.Context) (cause string, err error) {
	if cause, err := os.ReadFile(db.damageMarker()); err == nil {
		return string(cause), nil
	}
	pool, err := db.pool(db.path, readWrite) // to roll back what was cut while the file was made
	if err != nil {
		return "", err
	}
	defer pool.Close()
	version, clean, err := db.inspect(ctx, pool)
	if err == nil && version > 0 && !clean {
		cause, err = db.quickCheck(ctx, pool)
	}
	if isDamage(err) {
		return err.Error(), nil
	}
	return cause, err
}

// quickCheck has SQLite check the structure of the database; "" when that is sound.
func (db *DB) quickCheck(ctx context.Context, pool *sql.DB) (verdict string, err error) {
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
	File string // where the damaged file is put
	Lost int64  // rows that could not be read or kept
}

const (
	damagedInfix    = ".damaged-"  // in the name of a file that was set aside, with the time
	recoveredSuffix = ".recovered" // ends the name of a complete new one
)

// recover copies every readable row of a damaged database into a new one and
// puts that in its place. The damaged file is only read; it stays under another
// name. A crash at any moment leaves either the damaged file where it was, or a
// complete new one that finishRecovery finds.
func (db *DB) recover(ctx context.Context, cause string) error {
	db.logger.Error("the database is damaged; its readable rows are copied", "path", db.path, "cause", cause)
	found := Recovery{File: db.quarantinePath()}
	newPath := db.path + ".recovering"
	for _, part := range fileSuffixes { // of an earlier attempt
		if err := os.RemoveAll(newPath + part); err != nil {
			return err
		}
	}
	if err := db.copyReadable(ctx, newPath, &found); err != nil {
		return err
	}
	if err := errors.Join(syncFile(newPath), os.Rename(newPath, found.File+recoveredSuffix)); err != nil {
		return err
	}
	syncFolder(filepath.Dir(db.path))
	if err := db.finishRecovery(); err != nil {
		return err
	}
	select { // a start that met the damage has reported it
	case <-db.damage: //nolint:errcheck // it is known already
	default:
	}
	db.endTrouble()
	db.logger.Error("the damaged database was set aside", "aside", found.File, "lost", found.Lost)
	return nil
}

// finishRecovery puts a recovered database in its place, if there is one.
func (db *DB) finishRecovery() error {
	for _, newFile := range filesWithPrefix(db.path + damagedInfix) {
		damagedFile, complete := strings.CutSuffix(newFile, recoveredSuffix)
		if !complete {
			continue
		}
		if err := db.quarantine(damagedFile, fileSuffixes...); err != nil {
			return err
		}
		if err := errors.Join(os.Rename(newFile, db.path), os.RemoveAll(db.damageMarker())); err != nil {
			return err
		}
		syncFolder(filepath.Dir(db.path))
	}
	return nil
}

// quarantine renames those of the database's files that are there.
func (db *DB) quarantine(aside string, parts ...string) error {
	for _, part := range parts {
		if err := os.Rename(db.path+part, aside+part); err != nil && exists(db.path+part) {
			return err
		}
	}
	return nil
}

// quarantineStrayLog keeps a write-ahead log whose database is missing, empty or
// was replaced by a copy: SQLite would delete it, or write it over the copy.
func (db *DB) quarantineStrayLog() error {
	if size(db.path+"-wal") == 0 || size(db.path) > 0 && !db.hasNoLog() {
		return nil
	}
	aside := db.quarantinePath()
	if err := db.quarantine(aside, "-wal", "-shm"); err != nil {
		return err
	}
	name := filepath.Base(aside) + "-wal"
	db.logger.Error("a write-ahead log without its database was set aside", "aside", name)
	db.startNotices = append(db.startNotices, Notice{What: viewing.Say("notice.strayLog", "file", name)})
	return nil
}

// hasNoLog reports whether the file is a database that never had a log, such as a
// copy: its write version is 1.
func (db *DB) hasNoLog() bool {
	file, err := os.Open(db.path)
	if err != nil {
		return false
	}
	defer file.Close()
	header := make([]byte, 19)
	_, err = io.ReadFull(file, header)
	return err == nil && string(header[:16]) == "SQLite format 3\x00" && header[18] == 1
}

// copyReadable makes the new database and fills it.
func (db *DB) copyReadable(ctx context.Context, newPath string, found *Recovery) (err error) {
	if err := makeFile(newPath); err != nil {
		return err
	}
	to, err := db.connect(newPath)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.close()) }()
	if err := applySchema(ctx, to.conn, db.o.Schema, 0); err != nil {
		return err
	}
	from, err := fileURL(db.path, readOnly)
	if err != nil {
		return err
	}
	c := copier{&Tx{connection: to, Now: db.o.Now().UnixMilli()}, found}
	if err := c.copyTables(from, (size(db.path)+size(db.path+"-wal"))/16+10_000); err != nil { // a row takes more than 16 bytes
		return err
	}
	if err := c.Run("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err := db.o.Repair(c.Tx, *found); err != nil {
		return err
	}
	return errors.Join(c.SetMeta("clean", 1), c.SetMeta("recovered", 1), c.Run("COMMIT"))
}

// copier copies tables from a damaged database.
type copier struct {
	*Tx
	found *Recovery
}

const (
	rangeRows = 500
	maxFaults = 50_000 // unreadable rows one after the other, before a table is given up
)

// selectTables finds the tables, their columns, and the number that a row has: its
// rowid, or the first column of its key. The counters are left to Repair.
const selectTables = `SELECT l.name, group_concat(i.name), iif(l.wr, max(iif(i.pk = 1, i.name, '')), 'rowid')
	FROM pragma_table_list AS l, pragma_table_info(l.name) AS i
	WHERE l.schema = 'main' AND l.type = 'table' AND l.name NOT LIKE 'sqlite_%' AND l.name <> 'counters' GROUP BY l.name`

// copyTables copies every table of the database at from, with numbers up to most.
func (c *copier) copyTables(from string, most int64) error {
	copies, err := All(c.Tx, func(r *sql.Rows) (string, error) {
		var name, columns, number string
		err := r.Scan(&name, &columns, &number)
		return fmt.Sprintf("INSERT OR IGNORE INTO main.%[1]s (%[2]s) SELECT %[2]s FROM damaged.%[1]s WHERE %[3]s BETWEEN ? AND ? LIMIT ?", name, columns, number), err
	}, selectTables)
	if err != nil {
		return err
	}
	// A writable schema is read as far as it goes. What is copied is flushed at the end.
	if err := c.Run("PRAGMA foreign_keys = off", "PRAGMA writable_schema = on", "PRAGMA synchronous = off"); err != nil {
		return err
	}
	if _, err := c.Exec("ATTACH ? AS damaged", from); err != nil && !isDamage(err) {
		return err
	}
	for _, statement := range copies {
		err := c.copyTable(statement, most)
		if resultCode(err) == sqlite3.SQLITE_ERROR { // the table is missing
			c.found.Lost++
		} else if err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	_ = c.Run("DETACH damaged") // it may not have been opened
	return nil
}

// copyTable copies a table by ranges of its numbers up to most, and a range that is
// not full row by row: a damaged number can end a range without an error.
func (c *copier) copyTable(statement string, most int64) error {
	var faults, last int64
	for first := int64(1); first <= most && faults <= maxFaults; first += rangeRows {
		n, whole, err := c.copyRange(statement, first, first+rangeRows-1, noLimit)
		if n > 0 {
			last = first + rangeRows
		}
		alone := !whole || n < rangeRows && first <= last+rangeRows
		for id := first; err == nil && alone && id < first+rangeRows; id++ {
			_, whole, err = c.copyRange(statement, id, id, noLimit)
			for limit, more := 1, !whole; err == nil && more; limit++ { // those before one that cannot be read
				n, _, err = c.copyRange(statement, id, id, limit)
				more = n > 0
				whole = whole || more
			}
			if !whole {
				faults++
				continue
			}
			c.found.Lost += faults
			faults = 0
		}
		if err != nil {
			return err
		}
	}
	c.found.Lost += min(faults, 1) // nothing says how many rows there were at the end
	return nil
}

// noLimit is no limit.
const noLimit = -1

// copyRange copies the first rows of a range, and says how many; whole is false when one
// of them cannot be read or does not fit the table. Then it copies none.
func (c *copier) copyRange(statement string, first, last int64, limit int) (n int64, whole bool, err error) {
	n, err = c.Affect(statement, first, last, limit)
	if err != nil && (isDamage(err) || isJobError(err)) {
		return 0, false, nil
	}
	return n, err == nil, err
}
