package sqlite

import (
	"io"
	"os"
)

const (
	logSize  = 5 << 20 // more than SQLite fills before it begins at the front again
	growFrom = 8       // transactions of a run: a command that adds one viewing does not wait for it
)

// growLog gives the write-ahead log its full size, in an open transaction, when nobody
// else writes there: to flush what overwrites a file costs half of what makes it longer.
// SQLite ends a log at the first frame that is none.
func (db *DB) growLog() {
	if db.begun++; db.begun != growFrom {
		return
	}
	log, err := os.OpenFile(db.path+"-wal", os.O_WRONLY, 0)
	if err != nil {
		return // it only costs time
	}
	defer log.Close()
	if end, err := log.Seek(0, io.SeekEnd); err == nil && end < logSize {
		if _, err := log.Write(make([]byte, logSize-end)); err != nil {
			_ = log.Truncate(end) // the disk is full
		}
	}
}
