package queue

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
func (s *Store) growLog() {
	if info, err := os.Stat(s.path + "-wal"); err == nil && info.Size() >= logSize {
		return
	}
	if err := s.writeBallast(); err != nil {
		s.logger.Warn("write-ahead log not grown", "error", err)
		s.disconnect()
	}
}

// writeBallast passes one large row through the log and frees its room, which
// later rows use. The log then starts again from its beginning.
func (s *Store) writeBallast() error {
	for _, change := range []string{
		"INSERT INTO ballast (data) VALUES (zeroblob(4050000))", // 1,000 pages with their overhead
		"DELETE FROM ballast",
	} {
		err := s.alone(func(t *tx) error {
			_, err := t.exec(change)
			return err
		})
		if err != nil {
			return err
		}
	}
	rows, err := s.writer.query("PRAGMA wal_checkpoint(RESTART)")
	_, err = collect(rows, err, func(*sql.Rows) (struct{}, error) { return struct{}{}, nil })
	return err
}
