package sqlite

import (
	"io"
	"os"
)

const (
	logSize  = 5 << 20 // more than SQLite fills before it begins at the front again
	growFrom = 8       // commits of a run: a command that adds one viewing does not wait for it
)

// growLog gives the write-ahead log its full size, in the open transaction t, when
// nobody else writes there: a flush of what overwrites a file costs half of one that
// makes it longer. SQLite ends a log at the first frame that is none.
func (db *DB) growLog() {
	if db.commits++; db.commits != growFrom {
		return
	}
	log, err := os.OpenFile(db.path+"-wal", os.O_WRONLY, 0)
	if err != nil {
		return // it only costs time
	}
	defer log.Close()
	if end, err := log.Seek(0, io.SeekEnd); err == nil && end < logSize {
		_, _ = log.Write(make([]byte, logSize-end))
	}
}
