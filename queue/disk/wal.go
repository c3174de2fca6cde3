package disk

import (
	"database/sql"
	"os"
	"time"
)

// The write-ahead log is grown once and kept: a commit that overwrites costs
// about 40% less than one that makes the file longer. The size is that at
// which SQLite starts again from the log's beginning, 1,000 pages.
const (
	logSize   = 1000 * 4096
	growDelay = 300 * time.Millisecond // a single command never pays for it
)

// growLog writes the log to its full size, unless it has that already.
func (f *File) growLog() {
	if info, err := os.Stat(f.path + "-wal"); err == nil && info.Size() >= logSize {
		return
	}
	if err := f.writeBallast(); err != nil {
		f.logger.Warn("write-ahead log not grown", "error", err)
		f.disconnect()
	}
}

// logLarge is what the log may have after a burst, or after somebody read one
// moment for long: a program that copies the file away, say.
const logLarge = 4 * logSize

// tidyLog makes a log small again that grew far beyond its size.
func (f *File) tidyLog() {
	info, err := os.Stat(f.path + "-wal")
	if err != nil || info.Size() <= logLarge || f.writer == nil {
		return
	}
	rows, err := f.writer.Query("PRAGMA wal_checkpoint(TRUNCATE)")
	_, err = Collect(rows, err, func(*sql.Rows) (struct{}, error) { return struct{}{}, nil })
	if err != nil {
		f.logger.Warn("write-ahead log not emptied", "error", err)
		f.disconnect()
		return
	}
	f.growLog()
}

// writeBallast passes one large row through a log, with hardly any memory to
// keep it in, and takes it back: the log is long then, and the database is as
// it was. The commit after it has the system put the new length on disk.
func (f *File) writeBallast() error {
	t, err := f.begin()
	if err != nil {
		return err
	}
	err = t.Run(
		"ROLLBACK", "PRAGMA cache_size = 10", "BEGIN IMMEDIATE",
		"INSERT INTO ballast (data) VALUES (zeroblob(4150000))", // 1,000 pages and some that stay in memory
		"ROLLBACK", "PRAGMA cache_size = -2000",
	)
	if err != nil {
		return err
	}
	return f.alone(func(t *Tx) error { return t.Mark("clean", 0) })
}
