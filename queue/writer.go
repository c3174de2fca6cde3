package queue

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
)

// maxBatch bounds one transaction, so that the first of a flood does not wait
// for all of it.
const maxBatch = 512

// job is one change that waits for the writer.
type job struct {
	do    func(*tx) error
	taken atomic.Bool // by the writer, or by a caller who will not wait for it
	done  chan error  // one slot
	err   error
}

// write hands a change to the writer and waits until it is on disk. When ctx
// ends before the writer has begun, the change is withdrawn; after that its
// end is waited for, so that the caller always knows what happened.
func (s *Store) write(ctx context.Context, do func(*tx) error) error {
	j := &job{do: do, done: make(chan error, 1)}
	select {
	case s.jobs <- j:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.done:
		return ErrClosed
	}
	var withdrawn error
	select {
	case err := <-j.done:
		return err
	case <-ctx.Done():
		withdrawn = ctx.Err()
	case <-s.done:
		withdrawn = ErrClosed
	}
	if j.taken.CompareAndSwap(false, true) {
		return withdrawn
	}
	return <-j.done
}

// Run is the writer: it blocks until ctx or the store ends, finishes what
// waits, and returns nil. Until it runs, writes wait. It runs once.
func (s *Store) Run(ctx context.Context) error {
	if !s.started.CompareAndSwap(false, true) {
		return errors.New("run queue: it runs already, or has ended")
	}
	defer close(s.done)
	grow := time.NewTimer(growDelay)
	defer grow.Stop()
	for {
		select {
		case j := <-s.jobs:
			s.batch(j)
		case <-grow.C:
			s.growLog()
		case <-ctx.Done():
			s.finish()
			return nil
		case <-s.closing:
			s.finish()
			return nil
		}
	}
}

// finish does what waits.
func (s *Store) finish() {
	for {
		select {
		case j := <-s.jobs:
			s.batch(j)
		default:
			return
		}
	}
}

// batch does first and whatever else waits in one transaction, and answers
// each job once the disk has it all.
func (s *Store) batch(first *job) {
	done, nudge, err := s.transact(first)
	if err != nil {
		s.logger.Error("storage failed", "jobs", len(done), "error", err)
		s.disconnect()
	}
	for _, j := range done {
		if err != nil {
			j.err = err
		}
		j.done <- j.err
	}
	if nudge && err == nil {
		s.nudge()
	}
}

// transact runs jobs in one transaction. With an error nothing of it was kept.
func (s *Store) transact(first *job) (done []*job, nudge bool, err error) {
	t, err := s.begin()
	moved := map[State]count{}
	for j := first; j != nil; j = s.next(len(done)) {
		if !j.taken.CompareAndSwap(false, true) {
			continue
		}
		done = append(done, j)
		if err == nil {
			err = t.attempt(j, moved, len(done) == 1)
		}
	}
	if err == nil {
		err = t.keepCounts(moved)
	}
	if err == nil {
		err = t.commit()
	}
	return done, t != nil && t.nudge, err
}

// next is another job that waits already, or nil. Callers that were just
// answered get one chance to come back, which fills the next transaction.
func (s *Store) next(taken int) *job {
	if taken >= maxBatch {
		return nil
	}
	for range 2 {
		select {
		case j := <-s.jobs:
			return j
		default:
			runtime.Gosched()
		}
	}
	return nil
}

// begin opens a transaction, on a new connection when the last one failed.
func (s *Store) begin() (*tx, error) {
	if s.writer == nil {
		fresh, err := connect(s.path)
		if err != nil {
			return nil, err
		}
		s.writer = fresh
	}
	if _, err := s.writer.exec("BEGIN IMMEDIATE"); err != nil {
		return nil, fmt.Errorf("begin: %w", err)
	}
	return &tx{connection: s.writer, settings: s.settings, now: s.now().UnixMilli()}, nil
}

// alone runs one change in a transaction of its own, on the writer's side.
func (s *Store) alone(do func(*tx) error) error {
	t, err := s.begin()
	if err != nil {
		return err
	}
	t.moved = map[State]count{}
	for _, stage := range []func() error{
		func() error { return do(t) },
		func() error { return t.keepCounts(t.moved) },
		t.commit,
	} {
		if err := stage(); err != nil {
			return err
		}
	}
	return nil
}

// disconnect gives up a connection after a failure. A failed flush must not be
// tried again: the system may have forgotten the pages, and report success.
func (s *Store) disconnect() {
	if s.writer != nil {
		_ = s.writer.close() // it has failed already; what it held is undone
		s.writer = nil
	}
}

// attempt runs one job so that a bad one harms no other: within a savepoint,
// or, as the first, with nothing before it to be saved. The job's own error
// goes into the job; an error that spoils all is returned.
func (t *tx) attempt(j *job, moved map[State]count, first bool) error {
	begin, end, undo := []string{"SAVEPOINT job"}, []string{"RELEASE job"}, []string{"ROLLBACK TO job", "RELEASE job"}
	if first {
		begin, end, undo = nil, nil, []string{"ROLLBACK", "BEGIN IMMEDIATE"}
	}
	if err := t.run(begin); err != nil {
		return err
	}
	nudged := t.nudge
	t.moved = map[State]count{}
	j.err = j.do(t)
	switch {
	case j.err == nil:
		for state, c := range t.moved {
			sum := moved[state]
			moved[state] = count{sum.current + c.current, sum.total + c.total}
		}
		return t.run(end)
	case spoilsOnlyItself(j.err):
		t.nudge = nudged
		return t.run(undo)
	default:
		return j.err
	}
}

// run runs plain statements in order.
func (t *tx) run(statements []string) error {
	for _, statement := range statements {
		if _, err := t.exec(statement); err != nil {
			return err
		}
	}
	return nil
}

// keepCounts writes the counters, once for the whole transaction.
func (t *tx) keepCounts(moved map[State]count) error {
	for state, c := range moved {
		if c == (count{}) {
			continue
		}
		_, err := t.exec("UPDATE counters SET current = current + ?, total = total + ? WHERE state = ?",
			c.current, c.total, string(state))
		if err != nil {
			return err
		}
	}
	return nil
}

// commit puts the transaction on disk.
func (t *tx) commit() error {
	if _, err := t.exec("COMMIT"); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}
