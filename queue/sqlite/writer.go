package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// maxBatch bounds one transaction, so that the first of a flood does not wait
// for all of it.
const maxBatch = 512

// retryInterval is how often the writer tries to write while there is trouble.
const retryInterval = time.Second

// job is one change that waits for the writer.
type job struct {
	do   func(*Tx) error
	done chan error // one slot
}

// Write has do called within a transaction and returns once that is on disk. do
// may be called again; only the last call counts. When ctx ends before the
// writer has taken the job, nothing is done; after that its end is waited for,
// so that the caller always knows what happened.
func (db *DB) Write(ctx context.Context, do func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j := &job{do, make(chan error, 1)}
	select {
	case db.jobs <- j:
		return <-j.done
	case <-ctx.Done():
		return ctx.Err()
	case <-db.done:
		return ErrClosed
	}
}

// Alive returns once the writer has finished what it is doing. It touches
// neither disk nor database. Where one of them hangs it returns when ctx ends.
func (db *DB) Alive(ctx context.Context) error {
	select {
	case <-db.idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-db.done:
		return ErrClosed
	}
}

// Run is the writer. It returns nil when ctx or the DB ends, or an error
// wrapping [ErrDamaged] when the database turns out to be damaged. Until it
// runs, writes wait. It runs once.
func (db *DB) Run(ctx context.Context) error {
	if !db.started.CompareAndSwap(false, true) {
		return errors.New("run queue: it already runs, or has ended")
	}
	defer close(db.done)
	var trial <-chan time.Time // only while there is trouble
	for {
		if _, troubled := db.Trouble(); troubled && trial == nil {
			trial = time.After(retryInterval)
		}
		select {
		case j := <-db.jobs:
			db.commit([]*job{j}, true)
		case db.idle <- struct{}{}:
		case <-trial:
			trial = nil
			db.tryWriting()
		case err := <-db.damage:
			return fmt.Errorf("run queue: %w: %w", ErrDamaged, err)
		case <-ctx.Done():
			return nil
		case <-db.closing:
			return nil
		}
	}
}

// writeNow runs a job while Run does not.
func (db *DB) writeNow(do func(*Tx) error) error {
	j := &job{do, make(chan error, 1)}
	db.commit([]*job{j}, false)
	return <-j.done
}

// commit runs jobs, and those that wait meanwhile if more may join, in one transaction,
// and answers them once it is on disk. When one of them fails, each is run in its own.
func (db *DB) commit(batch []*job, more bool) {
	jobErr, err := db.attempt(&batch, more)
	switch {
	case err != nil:
		db.handleFailure(err)
		jobErr = err
	case jobErr != nil && len(batch) > 1:
		for i := range batch {
			db.commit(batch[i:i+1], false)
		}
		return
	}
	for _, j := range batch {
		j.done <- jobErr
	}
}

// attempt runs a batch in one transaction. With an error nothing was kept: bad is that
// of one job, err is that of the storage.
func (db *DB) attempt(batch *[]*job, more bool) (jobErr, err error) {
	t, err := db.begin()
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(*batch); i++ {
		if more {
			*batch = db.addWaiting(*batch)
		}
		switch err := (*batch)[i].do(t); {
		case err == nil:
		case isJobError(err):
			return err, t.Run("ROLLBACK")
		default:
			return nil, err
		}
	}
	var counted counts
	if _, err := t.Find(db.o.Count, nil, &counted.events, &counted.changes); err != nil {
		return nil, err
	}
	if err := t.Run("COMMIT"); err != nil {
		return nil, fmt.Errorf("commit: %w", err)
	}
	db.writeCounter(counted)
	for _, do := range t.afterCommit {
		do()
	}
	return nil, nil
}

// addWaiting appends the jobs that wait now.
func (db *DB) addWaiting(batch []*job) []*job {
	for len(batch) < maxBatch {
		select {
		case j := <-db.jobs:
			batch = append(batch, j)
		default:
			return batch
		}
	}
	return batch
}

// begin opens a transaction, on a new connection after a failure.
func (db *DB) begin() (*Tx, error) {
	if db.writer == nil {
		var err error
		if db.writer, err = db.connect(db.path); err != nil {
			return nil, err
		}
	}
	t := &Tx{connection: db.writer, Now: db.o.Now().UnixMilli()}
	if err := t.Run("BEGIN IMMEDIATE"); err != nil {
		return nil, fmt.Errorf("begin: %w", err)
	}
	db.growLog()
	return t, nil
}

// handleFailure records trouble and closes the connection. A failed flush must not be
// tried again on it: the system may have forgotten the pages, and report success.
func (db *DB) handleFailure(err error) {
	if db.beginTrouble(err) {
		db.logger.Error("storage failed", "error", err)
	}
	if db.writer != nil {
		_ = db.writer.close() // it has failed already; what it held is undone
		db.writer = nil
	}
	db.reportDamage(err)
}

// tryWriting writes as much as events would need, and takes it back. Trouble
// ends when that succeeds; a small commit may still find room where events do not.
func (db *DB) tryWriting() {
	for _, statement := range []string{
		"INSERT OR REPLACE INTO meta (key, value) VALUES ('trial', zeroblob(65536))", "DELETE FROM meta WHERE key = 'trial'",
	} {
		if db.writeNow(func(t *Tx) error { return t.Run(statement) }) != nil {
			return
		}
	}
	ended := db.endTrouble()
	db.logger.Info("storage works again", "after", db.o.Now().Sub(ended.Since), "refused", ended.Refused)
}

const (
	logSize   = 5 << 20 // more than SQLite fills before it begins at the front again
	growAfter = 8       // transactions of a run: a command that adds one viewing does not wait for it
)

// growLog gives the write-ahead log its full size, in an open transaction, when nothing
// else writes there: to flush what overwrites a file costs half of what makes it longer.
// SQLite ends a log at the first frame that is none.
func (db *DB) growLog() {
	if db.transactions++; db.transactions != growAfter {
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

// counts are how much was ever committed.
type counts struct {
	events  int64
	changes int64
}

// The file NAME-count holds the counts as of the last commit. It is written without a
// flush. A log that is damaged in the middle ends there for SQLite, without a word:
// what followed is gone, and only this file tells.

// openCounter opens the file and reads it; nothing counts as nothing.
func (db *DB) openCounter() (last counts) {
	file, err := os.OpenFile(db.path+"-count", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		db.logger.Warn("the number of events cannot be noted", "error", err)
		return last
	}
	db.counter = file
	if _, err := fmt.Fscan(file, &last.events, &last.changes); err != nil { // after a power cut it may be noise
		return counts{}
	}
	return last
}

// writeCounter writes the counts. Where that fails, older ones stay: they find less.
func (db *DB) writeCounter(c counts) {
	if db.counter != nil {
		_, _ = db.counter.WriteAt(fmt.Appendf(nil, "%20d %20d\n", c.events, c.changes), 0)
	}
}
