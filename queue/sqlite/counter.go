package sqlite

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// The file NAME-count holds how many events were added, as of the last commit.
// It is written without a flush. A log that is damaged in the middle ends there
// for SQLite, without a word: what followed is gone, and only this number tells.

// openCounter opens the file and reads the number; 0 when there is none.
func (db *DB) openCounter() (counted int64) {
	file, err := os.OpenFile(db.path+"-count", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		db.logger.Warn("the number of events cannot be noted", "error", err)
		return 0
	}
	db.counter = file
	text, _ := io.ReadAll(io.LimitReader(file, 32))
	counted, _ = strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // after a power cut it may be noise
	return counted
}

// keepCounter writes the number. Where that fails, an older one stays: it finds
// less.
func (db *DB) keepCounter(n int64) {
	if db.counter != nil {
		_, _ = db.counter.WriteAt(fmt.Appendf(nil, "%20d\n", n), 0)
	}
}
