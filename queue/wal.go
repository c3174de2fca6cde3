package queue

import (
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
func (s *Store) growLog() {
	if info, err := os.Stat(s.path + "-wal"); err == nil && info.Size() >= logSize {
		return
	}
	if err := s.writeBallast(); err != nil {
		s.logger.Warn("write-ahead log not grown", "error", err)
		s.disconnect()
	}
}

// writeBallast passes one large row through a log, with hardly any memory to
// keep it in, and takes it back: the log is long then, and the database is as
// it was. The commit after it has the system put the new length on disk.
func (s *Store) writeBallast() error {
	t, err := s.begin()
	if err != nil {
		return err
	}
	err = t.run([]string{
		"ROLLBACK", "PRAGMA cache_size = 10", "BEGIN IMMEDIATE",
		"INSERT INTO ballast (data) VALUES (zeroblob(4050000))", // 1,000 pages with their overhead
		"ROLLBACK", "PRAGMA cache_size = -2000",
	})
	if err != nil {
		return err
	}
	return s.alone(func(t *tx) error { return t.mark("clean", 0) })
}
