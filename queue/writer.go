package queue

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// maxBatch bounds one transaction, so that the first of a flood does not wait
// for all of it.
const maxBatch = 512

// lookEvery is how often it is looked whether the files are in their place,
// where nothing is written. An idle program hardly wakes.
const lookEvery = 5 * time.Minute

// job is one change that waits for the writer.
type job struct {
	do    func(*tx) error // may be called again; only the last call counts
	taken atomic.Bool     // by the writer, or by a caller who will not wait for it
	done  chan error      // one slot
	err   error
}

// write has a change written and waits until it is on disk. When ctx ends
// before that has begun, the change is withdrawn; after that its end is waited
// for, so that the caller always knows what happened. While nobody else
// writes, the caller does it itself, in its turn: that saves handing over to
// another goroutine and back.
func (s *Store) write(ctx context.Context, do func(*tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.reading {
		return fmt.Errorf("%w: the queue is open for reading only", ErrStorage)
	}
	j := &job{do: do, done: make(chan error, 1)}
	if s.crowd.Load() {
		return s.handOver(ctx, j)
	}
	select {
	case <-s.turn:
		s.inTurn(func() { s.batch(j) })
		return <-j.done
	default:
		return s.handOver(ctx, j)
	}
}

// inTurn works for whoever has taken the turn, and gives it back. A panic
// leaves a transaction open, and must not leave others waiting for ever.
func (s *Store) inTurn(work func()) {
	whole := false
	defer func() {
		if !whole {
			s.disconnect()
		}
		s.turn <- struct{}{}
	}()
	work()
	whole = true
}

// handOver gives a job to Run and waits for its end.
func (s *Store) handOver(ctx context.Context, j *job) error {
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
// waits, and returns nil; or until the database turns out to be damaged, with
// an error wrapping [ErrDamaged]. Until it runs, writes wait. It runs once.
func (s *Store) Run(ctx context.Context) error {
	if !s.started.CompareAndSwap(false, true) {
		return errors.New("run queue: it runs already, or has ended")
	}
	defer close(s.done)
	s.turn <- struct{}{}
	defer func() {
		<-s.turn // for good
		s.finish()
	}()
	grow := time.NewTimer(growDelay)
	defer grow.Stop()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	trim := time.NewTimer(trimFirst)
	defer trim.Stop()
	for {
		select {
		case j := <-s.jobs:
			s.serve(j)
		case answered := <-s.asked:
			<-s.turn
			s.turn <- struct{}{}
			close(answered)
		case <-trim.C:
			s.trim(ctx)
			<-s.turn
			s.inTurn(s.tidyLog)
			trim.Reset(trimEvery)
		case <-look.C:
			<-s.turn
			s.inTurn(s.look)
		case fault := <-s.damage:
			return fmt.Errorf("run queue: %w: %w", ErrDamaged, fault)
		case <-grow.C:
			<-s.turn
			s.inTurn(s.growLog)
		case <-ctx.Done():
			return nil
		case <-s.closing:
			return nil
		}
	}
}

// serve does a job on behalf of Run, with what else waits.
func (s *Store) serve(j *job) {
	<-s.turn
	s.inTurn(func() { s.batch(j) })
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
	done, t, err := s.transact(first)
	if err != nil {
		s.logger.Error("storage failed", "jobs", len(done), "error", err)
		s.failed(err)
	} else {
		s.trouble.end(false)
	}
	for _, j := range done {
		if err != nil {
			j.err = err
		}
		j.done <- j.err
	}
	if t != nil && err == nil {
		s.tell(t)
	}
}

// failed draws the consequences of a failure. The connection to a file that is
// gone is kept: nothing else leads to what is in it.
func (s *Store) failed(err error) {
	s.trouble.begin(s.now(), err)
	if s.gone != nil {
		return
	}
	s.disconnect()
	if isDamage(err) {
		s.suspect(err)
	}
}

// tell passes on what a transaction has changed.
func (s *Store) tell(t *tx) {
	for _, id := range t.again {
		s.oldest.lower(id)
	}
	if t.nudge {
		s.nudge()
	}
}

// transact runs jobs in one transaction. With an error nothing of it was kept.
// As long as none fails, none is given a savepoint: that would cost a fifth of
// the whole. At the first failure the transaction is begun again, with care.
func (s *Store) transact(first *job) (done []*job, t *tx, err error) {
	t, err = s.begin()
	careful := false
	defer func() { s.crowd.Store(len(done) > 1) }()
	for j := first; j != nil; j = s.next(len(done)) {
		if !j.taken.CompareAndSwap(false, true) {
			continue
		}
		done = append(done, j)
		switch {
		case err != nil:
		case careful:
			err = t.attempt(j)
		default:
			err = t.perform(j)
			if careful = j.err != nil; careful && err == nil {
				err = t.repeat(done)
			}
		}
	}
	if err == nil {
		err = t.keepCounts()
	}
	if err == nil {
		err = t.commit()
	}
	if err == nil {
		err = s.kept()
	}
	return done, t, err
}

// kept makes sure after a commit that it can be found again. Where the file is
// gone it is there again, or nothing is acknowledged.
func (s *Store) kept() error {
	gone := s.inPlace()
	if gone == nil {
		return nil
	}
	if err := s.lost(gone); !s.rescued {
		return err
	}
	return nil
}

// next is another job that waits already, or nil. Where the last transaction
// had several, callers that were just answered get one chance to come back,
// which fills this one; a caller alone does not pay for that.
func (s *Store) next(taken int) *job {
	for tries := 0; taken < maxBatch; tries++ {
		select {
		case j := <-s.jobs:
			return j
		default:
		}
		if tries > 0 || !s.crowd.Load() && taken < 2 {
			return nil
		}
		runtime.Gosched()
	}
	return nil
}

// begin opens a transaction, on a new connection when the last one failed.
func (s *Store) begin() (*tx, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	if _, err := s.writer.exec("BEGIN IMMEDIATE"); err != nil {
		return nil, fmt.Errorf("begin: %w", err)
	}
	if !s.place.fresh {
		if err := s.place.learn(s.path); err != nil {
			return nil, errors.Join(s.writer.undo(), s.lost(fmt.Errorf("%w: %w", errGone, err)))
		}
	}
	return &tx{connection: s.writer, settings: s.settings, now: s.now().UnixMilli(), moved: map[viewing.State]count{}}, nil
}

// alone runs one change in a transaction of its own, on the writer's side.
func (s *Store) alone(do func(*tx) error) error {
	t, err := s.begin()
	if err != nil {
		return err
	}
	for _, stage := range []func() error{
		func() error { return do(t) },
		t.keepCounts,
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
		s.writer, s.place.fresh = nil, false
	}
}

// perform runs one job. Its own error goes into the job; an error that spoils
// all is returned.
func (t *tx) perform(j *job) error {
	j.err = j.do(t)
	if j.err == nil || spoilsOnlyItself(j.err) {
		return nil
	}
	return j.err
}

// attempt runs one job within a savepoint, so that a bad one harms no other.
func (t *tx) attempt(j *job) error {
	if err := t.run("SAVEPOINT job"); err != nil {
		return err
	}
	nudged, again, moved := t.nudge, len(t.again), maps.Clone(t.moved)
	if err := t.perform(j); err != nil {
		return err
	}
	if j.err == nil {
		return t.run("RELEASE job")
	}
	t.nudge, t.again, t.moved, t.newest.known = nudged, t.again[:again], moved, false
	return t.run("ROLLBACK TO job", "RELEASE job")
}

// repeat begins the transaction again after the last of done has failed, and
// attempts those before it once more.
func (t *tx) repeat(done []*job) error {
	if err := t.run("ROLLBACK", "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	t.nudge, t.again, t.moved, t.newest.known = false, nil, map[viewing.State]count{}, false
	for _, j := range done[:len(done)-1] {
		if err := t.attempt(j); err != nil {
			return err
		}
	}
	return nil
}

// run runs plain statements in order.
func (t *tx) run(statements ...string) error {
	for _, statement := range statements {
		if _, err := t.exec(statement); err != nil {
			return err
		}
	}
	return nil
}

// keepCounts writes the counters, once for the whole transaction.
func (t *tx) keepCounts() error {
	for state, c := range t.moved {
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
