package disk

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

// tidyEvery is how often a log that grew large is made small again.
const tidyEvery = 24 * time.Hour

// job is one change that waits for the writer.
type job struct {
	do    func(*Tx) error // may be called again; only the last call counts
	taken atomic.Bool     // by the writer, or by a caller who will not wait for it
	done  chan error      // one slot
	err   error
}

// Write has a change written and waits until it is on disk. When ctx ends
// before that has begun, the change is withdrawn; after that its end is waited
// for, so that the caller always knows what happened. While nobody else
// writes, the caller does it itself, in its turn: that saves handing over to
// another goroutine and back.
func (f *File) Write(ctx context.Context, do func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if f.reading {
		return fmt.Errorf("%w: the queue is open for reading only", ErrStorage)
	}
	j := &job{do: do, done: make(chan error, 1)}
	if f.crowd.Load() {
		return f.handOver(ctx, j)
	}
	select {
	case <-f.turn:
		f.inTurn(func() { f.batch(j) })
		return <-j.done
	default:
		return f.handOver(ctx, j)
	}
}

// inTurn works for whoever has taken the turn, and gives it back. A panic
// leaves a transaction open, and must not leave others waiting for ever.
func (f *File) inTurn(work func()) {
	whole := false
	defer func() {
		if !whole {
			f.disconnect()
		}
		f.turn <- struct{}{}
	}()
	work()
	whole = true
}

// handOver gives a job to Run and waits for its end.
func (f *File) handOver(ctx context.Context, j *job) error {
	select {
	case f.jobs <- j:
	case <-ctx.Done():
		return ctx.Err()
	case <-f.done:
		return ErrClosed
	}
	var withdrawn error
	select {
	case err := <-j.done:
		return err
	case <-ctx.Done():
		withdrawn = ctx.Err()
	case <-f.done:
		withdrawn = ErrClosed
	}
	if j.taken.CompareAndSwap(false, true) {
		return withdrawn
	}
	return <-j.done
}

// Run is the writer: it blocks until ctx or the store ends, finishes what
// waits, and returns nil; or until the database turns out to be damaged, with
// an error wrapping [ErrDamaged]. Until it runs, writes wait. It runs once.
func (f *File) Run(ctx context.Context) error {
	if !f.started.CompareAndSwap(false, true) {
		return errors.New("run queue: it runs already, or has ended")
	}
	defer close(f.done)
	f.turn <- struct{}{}
	defer func() {
		<-f.turn // for good
		f.finish()
	}()
	grow := time.NewTimer(growDelay)
	defer grow.Stop()
	tidy := time.NewTicker(tidyEvery)
	defer tidy.Stop()
	for {
		select {
		case j := <-f.jobs:
			f.serve(j)
		case answered := <-f.asked:
			<-f.turn
			f.turn <- struct{}{}
			close(answered)
		case <-tidy.C:
			<-f.turn
			f.inTurn(f.tidyLog)
		case fault := <-f.damage:
			return fmt.Errorf("run queue: %w: %w", ErrDamaged, fault)
		case <-grow.C:
			<-f.turn
			f.inTurn(f.growLog)
		case <-ctx.Done():
			return nil
		case <-f.closing:
			return nil
		}
	}
}

// serve does a job on behalf of Run, with what else waits.
func (f *File) serve(j *job) {
	<-f.turn
	f.inTurn(func() { f.batch(j) })
}

// finish does what waits.
func (f *File) finish() {
	for {
		select {
		case j := <-f.jobs:
			f.batch(j)
		default:
			return
		}
	}
}

// batch does first and whatever else waits in one transaction, and answers
// each job once the disk has it all.
func (f *File) batch(first *job) {
	done, err := f.transact(first)
	if err != nil {
		f.failed(err)
	} else {
		f.works(false)
		f.ledger.Done() // who is answered finds it told
	}
	for _, j := range done {
		if err != nil {
			j.err = err
		}
		j.done <- j.err
	}
}

// failed draws the consequences of a failure.
func (f *File) failed(err error) {
	if f.trouble.begin(f.now(), err) {
		f.logger.Error("storage failed", "error", err)
	}
	f.disconnect()
	if isDamage(err) {
		f.suspect(err)
	}
}

// transact runs jobs in one transaction. With an error nothing of it was kept.
// As long as none fails, none is given a savepoint: that would cost a fifth of
// the whole. At the first failure the transaction is begun again, with care.
func (f *File) transact(first *job) (done []*job, err error) {
	t, err := f.begin()
	careful := false
	defer func() { f.crowd.Store(len(done) > 1) }()
	for j := first; j != nil; j = f.next(len(done)) {
		if !j.taken.CompareAndSwap(false, true) {
			continue
		}
		done = append(done, j)
		switch {
		case err != nil:
		case careful:
			err = f.attempt(t, j)
		default:
			err = perform(t, j)
			if careful = j.err != nil; careful && err == nil {
				err = f.repeat(t, done)
			}
		}
	}
	if err == nil {
		err = f.ledger.Flush(t)
	}
	if err == nil {
		err = t.commit()
	}
	return done, err
}

// next is another job that waits already, or nil. Where the last transaction
// had several, callers that were just answered get one chance to come back,
// which fills this one; a caller alone does not pay for that.
func (f *File) next(taken int) *job {
	for tries := 0; taken < maxBatch; tries++ {
		select {
		case j := <-f.jobs:
			return j
		default:
		}
		if tries > 0 || !f.crowd.Load() && taken < 2 {
			return nil
		}
		runtime.Gosched()
	}
	return nil
}

// begin opens a transaction, on a new connection when the last one failed.
func (f *File) begin() (*Tx, error) {
	if f.writer == nil {
		var err error
		if f.writer, err = connect(f.path, f.busy); err != nil {
			return nil, err
		}
	}
	if _, err := f.writer.Exec("BEGIN IMMEDIATE"); err != nil {
		return nil, fmt.Errorf("begin: %w", err)
	}
	return &Tx{connection: f.writer, Now: f.now().UnixMilli()}, nil
}

// alone runs one change in a transaction of its own, on the writer's side.
func (f *File) alone(do func(*Tx) error) error {
	t, err := f.begin()
	if err != nil {
		return err
	}
	for _, stage := range []func() error{
		func() error { return do(t) },
		func() error { return f.ledger.Flush(t) },
		t.commit,
	} {
		if err := stage(); err != nil {
			return err
		}
	}
	f.ledger.Done()
	return nil
}

// disconnect gives up a connection after a failure. A failed flush must not be
// tried again: the system may have forgotten the pages, and report success.
func (f *File) disconnect() {
	f.ledger.Back(nil)
	if f.writer != nil {
		_ = f.writer.close() // it has failed already; what it held is undone
		f.writer = nil
	}
}

// perform runs one job. Its own error goes into the job; an error that spoils
// all is returned.
func perform(t *Tx, j *job) error {
	j.err = j.do(t)
	if j.err == nil || SpoilsOnlyItself(j.err) {
		return nil
	}
	return j.err
}

// attempt runs one job within a savepoint, so that a bad one harms no other.
func (f *File) attempt(t *Tx, j *job) error {
	if err := t.Run("SAVEPOINT job"); err != nil {
		return err
	}
	before := f.ledger.Mark()
	if err := perform(t, j); err != nil {
		return err
	}
	if j.err == nil {
		return t.Run("RELEASE job")
	}
	f.ledger.Back(before)
	return t.Run("ROLLBACK TO job", "RELEASE job")
}

// repeat begins the transaction again after the last of done has failed, and
// attempts those before it once more.
func (f *File) repeat(t *Tx, done []*job) error {
	if err := t.Run("ROLLBACK", "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	f.ledger.Back(nil)
	for _, j := range done[:len(done)-1] {
		if err := f.attempt(t, j); err != nil {
			return err
		}
	}
	return nil
}
