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

// checkTime limits the check at start: 400 MB take 1 to 7 s. Damage on pages that it does not
// reach is found when SQLite reads them.
const checkTime = 10 * time.Second

// reportDamage ends the run if err means that the database is damaged: only the next start can
// recover it. It is called with the errors of reads and of the writer.
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

// damageMarker is the path of the file that makes the next start recover the database.
func (db *DB) damageMarker() string { return db.path + ".suspect" }

// findDamage returns why the database must be recovered; "" if it is sound. The structure is only
// checked after an unclean stop.
func (db *DB) findDamage(ctx context.Context) (cause string, err error) {
	if cause, err := os.ReadFile(db.damageMarker()); err == nil {
		return string(cause), nil
	}
	pool, err := db.pool(db.path, readWrite) // a first start that was interrupted needs a rollback
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

// quickCheck runs SQLite's quick_check; verdict is "" if the structure is sound, or if the check
// took too long.
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

// Recovery describes the recovery of a damaged database.
type Recovery struct {
	File string // the quarantine path of the damaged file
	Lost int64  // number of rows that could not be copied
}

const (
	damagedInfix    = ".damaged-"  // in the name of a quarantined file, before the time
	recoveredSuffix = ".recovered" // at the end of the name of a complete new file
)

// recover copies every readable row of a damaged database into a new file and replaces the old
// one, which is kept under a quarantine name. It only reads the damaged file. After a crash at
// any point, either the damaged file is unchanged, or finishRecovery finds a complete new file.
func (db *DB) recover(ctx context.Context, cause string) error {
	db.logger.Error("the database is damaged; its readable rows are copied", "path", db.path, "cause", cause)
	found := Recovery{File: db.quarantinePath()}
	newPath := db.path + ".recovering"
	for _, part := range fileSuffixes { // left by an interrupted attempt
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
	select { // a start that found the damage has reported it
	case <-db.damage: //nolint:errcheck // it has been recovered now
	default:
	}
	db.endTrouble()
	db.logger.Error("the damaged database was set aside", "aside", found.File, "lost", found.Lost)
	return nil
}

// finishRecovery replaces the damaged database by the recovered one, if there is one.
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

// quarantine renames the existing files of the database.
func (db *DB) quarantine(aside string, parts ...string) error {
	for _, part := range parts {
		if err := os.Rename(db.path+part, aside+part); err != nil && exists(db.path+part) {
			return err
		}
	}
	return nil
}

// quarantineStrayLog renames a write-ahead log whose database is missing, empty, or was replaced
// by a backup. SQLite would delete it, or apply it to the backup.
func (db *DB) quarantineStrayLog() error {
	if size(db.path+"-wal") == 0 || size(db.path) > 0 && !db.usesRollbackJournal() {
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

// usesRollbackJournal reports whether the file is a database that is not in WAL mode, such as a backup: its
// write version is 1.
func (db *DB) usesRollbackJournal() bool {
	file, err := os.Open(db.path)
	if err != nil {
		return false
	}
	defer file.Close()
	header := make([]byte, 19)
	_, err = io.ReadFull(file, header)
	return err == nil && string(header[:16]) == "SQLite format 3\x00" && header[18] == 1
}

// copyReadable creates the new database and copies the readable rows into it.
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
	maxFaults = 50_000 // consecutive unreadable rows after which a table ends
)

// selectTables returns the tables, their columns, and the column by whose ranges they are copied:
// the rowid, or the first column of the primary key. Repair recalculates the counters.
const selectTables = `SELECT l.name, group_concat(i.name), iif(l.wr, max(iif(i.pk = 1, i.name, '')), 'rowid')
	FROM pragma_table_list AS l, pragma_table_info(l.name) AS i
	WHERE l.schema = 'main' AND l.type = 'table' AND l.name NOT LIKE 'sqlite_%' AND l.name <> 'counters' GROUP BY l.name`

// copyTables copies every table of the database at from, with row numbers up to most.
func (c *copier) copyTables(from string, most int64) error {
	copies, err := All(c.Tx, func(r *sql.Rows) (string, error) {
		var name, columns, number string
		err := r.Scan(&name, &columns, &number)
		return fmt.Sprintf("INSERT OR IGNORE INTO main.%[1]s (%[2]s) SELECT %[2]s FROM damaged.%[1]s WHERE %[3]s BETWEEN ? AND ? LIMIT ?", name, columns, number), err
	}, selectTables)
	if err != nil {
		return err
	}
	// With writable_schema, SQLite reads a damaged schema up to the damage. The new file is
	// synced at the end.
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
	_ = c.Run("DETACH damaged") // ATTACH may have failed
	return nil
}

// copyTable copies a table by ranges of row numbers up to most. A range that is incomplete is
// copied row by row, because a damaged number can end a query without an error.
func (c *copier) copyTable(statement string, most int64) error {
	var faults, last int64
	for first := int64(1); first <= most && faults <= maxFaults; first += rangeRows {
		n, complete, err := c.copyRange(statement, first, first+rangeRows-1, noLimit)
		if n > 0 {
			last = first + rangeRows
		}
		rowByRow := !complete || n < rangeRows && first <= last+rangeRows
		for id := first; err == nil && rowByRow && id < first+rangeRows; id++ {
			_, complete, err = c.copyRange(statement, id, id, noLimit)
			for limit, more := 1, !complete; err == nil && more; limit++ { // rows of one number, up to the unreadable one
				n, _, err = c.copyRange(statement, id, id, limit)
				more = n > 0
				complete = complete || more
			}
			if !complete {
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
	c.found.Lost += min(faults, 1) // the number of rows lost at the end is unknown
	return nil
}

// noLimit is the LIMIT that SQLite ignores.
const noLimit = -1

// copyRange copies up to limit rows of a range and returns their number. whole is false if one of
// them is unreadable or violates the schema; then no row is copied.
func (c *copier) copyRange(statement string, first, last int64, limit int) (n int64, complete bool, err error) {
	n, err = c.Affect(statement, first, last, limit)
	if err != nil && (isDamage(err) || isJobError(err)) {
		return 0, false, nil
	}
	return n, err == nil, err
}
