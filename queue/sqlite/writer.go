package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// maxBatch limits the jobs of one transaction, so that the first of many does not wait for all.
const maxBatch = 512

// retryInterval is how often the writer tests whether writing works again after a failure.
const retryInterval = time.Second

// job is a function that waits for the writer.
type job struct {
	do   func(*Tx) error
	done chan error // buffer of one: the result
}

// Write calls do within a transaction and returns once that is on disk. do may be called several
// times; only the last call takes effect. If ctx ends before the writer has received the job,
// nothing is done. After that Write waits for the result, so that the caller always knows whether
// the change was made.
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

// Alive returns nil once the writer is waiting for the next job. It uses neither disk nor
// database. If the writer hangs, it returns when ctx ends.
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

// Run is the writer. It returns nil when ctx ends or the DB is closed, or an error wrapping
// [ErrDamaged] when the database turns out to be damaged. Writes block until it runs. It can be
// called once.
func (db *DB) Run(ctx context.Context) error {
	if !db.started.CompareAndSwap(false, true) {
		return errors.New("run queue: it already runs, or has ended")
	}
	defer close(db.done)
	var trial <-chan time.Time // set only after a failure
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

// writeNow runs a job in the calling goroutine, before or after Run.
func (db *DB) writeNow(do func(*Tx) error) error {
	j := &job{do, make(chan error, 1)}
	db.commit([]*job{j}, false)
	return <-j.done
}

// commit runs jobs in one transaction and sends their results once it is on disk. With more set,
// it adds the jobs that are waiting. If one job fails, the transaction is rolled back and each
// job gets its own.
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

// attempt runs a batch in one transaction. After an error nothing is committed: jobErr is the
// error of one job, err that of the storage.
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

// addWaiting adds the jobs that are waiting now to a batch.
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

// begin starts a transaction, on a new connection after a failure.
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

// handleFailure records the trouble and closes the connection. A failed fsync must not be
// repeated on it: the kernel may have dropped the dirty pages and report success.
func (db *DB) handleFailure(err error) {
	if db.beginTrouble(err) {
		db.logger.Error("storage failed", "error", err)
	}
	if db.writer != nil {
		_ = db.writer.close() // it has failed already; closing rolls back
		db.writer = nil
	}
	db.reportDamage(err)
}

// tryWriting writes 64 kB, about as much as events need, and deletes it. If both succeed, the
// trouble is over; a smaller write may succeed on a disk that is still too full for events.
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
	logSize   = 5 << 20 // more than SQLite writes before a checkpoint restarts the log
	growAfter = 8       // transactions of a run, so that a short command does not wait for it
)

// growLog extends the write-ahead log with zeros to its full size. It runs inside a transaction,
// when nothing else writes to the log. Overwriting a file halves the cost of an fsync, because
// the file size does not change. SQLite ignores the zeros: they are no valid frame.
func (db *DB) growLog() {
	if db.transactions++; db.transactions != growAfter {
		return
	}
	log, err := os.OpenFile(db.path+"-wal", os.O_WRONLY, 0)
	if err != nil {
		return // commits are slower without it
	}
	defer log.Close()
	if end, err := log.Seek(0, io.SeekEnd); err == nil && end < logSize {
		if _, err := log.Write(make([]byte, logSize-end)); err != nil {
			_ = log.Truncate(end) // the disk is full
		}
	}
}

// counts are the numbers of [Options.Count].
type counts struct {
	events  int64
	changes int64
}

// The file NAME-count contains the counts as of the last commit. It is written without
// fsync. SQLite silently ends a damaged write-ahead log at the damage: the commits after it
// are lost, and only this file shows that.

// openCounter opens the counter file and reads it; an unreadable one counts as zero.
func (db *DB) openCounter() (last counts) {
	file, err := os.OpenFile(db.path+"-count", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		db.logger.Warn("the number of events cannot be noted", "error", err)
		return last
	}
	db.counter = file
	if _, err := fmt.Fscan(file, &last.events, &last.changes); err != nil { // it may be garbage after a power cut
		return counts{}
	}
	return last
}

// writeCounter writes the counts. If that fails, the older counts stay and detect less.
func (db *DB) writeCounter(c counts) {
	if db.counter != nil {
		_, _ = db.counter.WriteAt(fmt.Appendf(nil, "%20d %20d\n", c.events, c.changes), 0)
	}
}
