package sqlite

import (
	"fmt"
	"os"
)

// counts are how much was ever committed.
type counts struct {
	events  int64
	changes int64
}

// The file NAME-count holds the counts as of the last commit. It is written without a
// flush. A log that is damaged in the middle ends there for SQLite, without a word:
// what followed is gone, and only this file tells.

// openCounter opens the file and reads it; nothing counts as nothing.
func (db *DB) openCounter() (was counts) {
	file, err := os.OpenFile(db.path+"-count", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		db.logger.Warn("the number of events cannot be noted", "error", err)
		return was
	}
	db.counter = file
	if _, err := fmt.Fscan(file, &was.events, &was.changes); err != nil { // after a power cut it may be noise
		return counts{}
	}
	return was
}

// keepCounter writes the counts. Where that fails, older ones stay: they find less.
func (db *DB) keepCounter(c counts) {
	if db.counter != nil {
		_, _ = db.counter.WriteAt(fmt.Appendf(nil, "%20d %20d\n", c.events, c.changes), 0)
	}
}
