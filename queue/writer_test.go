package queue

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// unopened is a store whose writer does not run yet.
func unopened(t testing.TB) *Store {
	t.Helper()
	s, err := openAt(t.Context(), Options{Path: filepath.Join(t.TempDir(), "queue.db")}, newClock().now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// enqueue puts jobs before the writer without waiting for them.
func (s *Store) enqueue(changes ...func(*tx) error) []*job {
	var jobs []*job
	for _, do := range changes {
		j := &job{do: do, done: make(chan error, 1)}
		s.jobs <- j
		jobs = append(jobs, j)
	}
	return jobs
}

// drain runs the writer until nothing waits.
func (s *Store) drain(t testing.TB) {
	t.Helper()
	ended, end := context.WithCancel(context.Background())
	end()
	if err := s.Run(ended); err != nil {
		t.Fatal(err)
	}
}

// mark writes one row that can be looked for.
func mark(key string) func(*tx) error {
	return func(t *tx) error {
		_, err := t.exec("INSERT INTO source_state (source, key, value) VALUES ('test', ?, x'00')", key)
		return err
	}
}

// marks reads which rows of mark are there, and closes the store.
func (s *Store) marks(t testing.TB) map[string]bool {
	t.Helper()
	state, err := s.State(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for key := range state {
		there[key] = true
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return there
}

func TestABadJobHarmsNoOther(t *testing.T) {
	own := errors.New("own trouble")
	half := func(err error) func(*tx) error {
		return func(t *tx) error {
			t.enter(viewing.StatePending)
			if e := mark("half")(t); e != nil {
				return e
			}
			return err
		}
	}
	tests := map[string]struct {
		bad  func(*tx) error
		want error
	}{
		"own error":  {half(own), own},
		"constraint": {func(t *tx) error { return errors.Join(half(nil)(t), mark("half")(t)) }, ErrStorage},
	}
	for name, tt := range tests {
		for at := range 3 {
			t.Run(fmt.Sprint(name, " at ", at), func(t *testing.T) {
				s := unopened(t)
				changes := []func(*tx) error{mark("a"), mark("b"), mark("c")}
				changes[at] = tt.bad
				jobs := s.enqueue(changes...)
				s.drain(t)
				for i, j := range jobs {
					err := <-j.done
					if i == at && !errors.Is(err, tt.want) || i != at && err != nil {
						t.Errorf("job %d: %v", i, err)
					}
				}
				counts, err := s.Counts(t.Context())
				if err != nil || counts != (Counts{}) {
					t.Errorf("the bad job counted: %+v, %v", counts, err)
				}
				if there := s.marks(t); len(there) != 2 || there["half"] {
					t.Errorf("kept %v", there)
				}
			})
		}
	}
}

// Neither a full disk nor a commit that fails may acknowledge anything; once
// the trouble is over the same store works again.
func TestNothingIsAcknowledgedWhenStorageFails(t *testing.T) {
	full := func(t *tx) error {
		if _, err := t.conn.ExecContext(context.Background(), "PRAGMA max_page_count = 1"); err != nil {
			return err
		}
		_, err := t.exec("INSERT INTO ballast (data) VALUES (zeroblob(1000000))")
		return err
	}
	failingCommit := func(t *tx) error {
		if _, err := t.conn.ExecContext(context.Background(), "PRAGMA defer_foreign_keys = on"); err != nil {
			return err
		}
		_, err := t.exec("INSERT INTO witnesses (event, entry) VALUES (99, 99)")
		return err
	}
	for name, fault := range map[string]func(*tx) error{"full disk": full, "commit": failingCommit} {
		t.Run(name, func(t *testing.T) {
			s := unopened(t)
			nudged, stop := s.Subscribe()
			defer stop()
			jobs := s.enqueue(mark("before"), fault, mark("after"))
			s.batch(<-s.jobs)
			for i, j := range jobs {
				if err := <-j.done; !errors.Is(err, ErrStorage) {
					t.Errorf("job %d: %v, want failed storage", i, err)
				}
			}
			again := s.enqueue(mark("later"))
			s.batch(<-s.jobs)
			if err := <-again[0].done; err != nil {
				t.Errorf("after the failure: %v", err)
			}
			select {
			case <-nudged:
				t.Error("nudged for nothing")
			default:
			}
			if there := s.marks(t); len(there) != 1 || !there["later"] {
				t.Errorf("kept %v", there)
			}
		})
	}
}

func TestAWithdrawnWriteIsNotDone(t *testing.T) {
	s := unopened(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := s.Commit(ctx, viewing.Batch{Source: "browser:b1", Viewings: []viewing.Viewing{film("e1", 1, -1)}})
		ended <- err
	}()
	waiting := <-s.jobs // the call waits
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("commit: %v", err)
	}
	s.jobs <- waiting
	s.drain(t)
	if counts, err := s.Counts(t.Context()); err != nil || counts != (Counts{}) {
		t.Errorf("counts %+v, %v: the caller was told that nothing was kept", counts, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A caller whose context ends while the writer works learns the true end.
func TestAWriteThatHasBegunIsWaitedFor(t *testing.T) {
	s := fresh(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := s.write(ctx, func(t *tx) error {
		cancel()
		return mark("kept")(t)
	})
	if err != nil {
		t.Errorf("write: %v, want its success", err)
	}
	if state, err := s.State(t.Context(), "test"); err != nil || len(state) != 1 {
		t.Errorf("state %v, %v", state, err)
	}
}

func TestRunFinishesWhatWaits(t *testing.T) {
	s := unopened(t)
	jobs := s.enqueue(mark("a"), mark("b"))
	s.drain(t)
	for _, j := range jobs {
		if err := <-j.done; err != nil {
			t.Error(err)
		}
	}
	if err := s.write(t.Context(), mark("late")); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
	if err := s.Run(t.Context()); err == nil {
		t.Error("ran twice")
	}
	if there := s.marks(t); len(there) != 2 {
		t.Errorf("kept %v", there)
	}
}

func TestCloseWithoutRunFreesWhoWaits(t *testing.T) {
	s := unopened(t)
	ended := make(chan error, 1)
	go func() { ended <- s.write(context.Background(), mark("a")) }()
	waiting := <-s.jobs
	s.jobs <- waiting
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, ErrClosed) {
		t.Errorf("waiting write: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}

func TestSubscribersAreNudged(t *testing.T) {
	s := fresh(t)
	nudged, stop := s.Subscribe()
	quiet := func(what string) {
		t.Helper()
		select {
		case <-nudged:
			t.Errorf("%s nudged", what)
		default:
		}
	}
	s.commit(t, film("e1", 1, -1))
	s.commit(t, film("e2", 2, -1)) // melts into the first
	<-nudged
	quiet("nothing")
	s.commit(t, film("e1", 1, -1))
	quiet("a duplicate")
	s.commitBatch(t, viewing.Batch{Source: "kodi:/a", State: map[string][]byte{"k": {}}})
	quiet("a source's state")
	leased := s.lease(t)
	if err := s.Release(t.Context(), leased); err != nil {
		t.Fatal(err)
	}
	quiet("a lease")
	attempt := s.send(t, s.lease(t)[0])
	<-nudged
	s.settle(t, Settlement{Entry: leased[0].ID, Attempt: attempt, State: viewing.StateDelivered})
	<-nudged
	stop()
	s.commit(t, film("e3", 3, -1))
	quiet("a commit after stop")
}

func TestManyCallersAtOnce(t *testing.T) {
	const callers, each = 32, 20
	s := fresh(t)
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			for i := range each {
				v := film(fmt.Sprintf("%d-%d", caller, i), int64(caller*each+i+1), -i)
				for _, want := range []viewing.Status{viewing.StatusQueued, viewing.StatusDuplicate} {
					o, err := s.Commit(t.Context(), viewing.Batch{Source: "browser:b1", Viewings: []viewing.Viewing{v}})
					if err != nil || o[0].Status != want {
						t.Errorf("commit: %+v, %v", o, err)
						return
					}
				}
			}
		})
	}
	delivered := 0
	for delivered < callers*each && !t.Failed() {
		leased, err := s.Lease(t.Context(), "default", 50, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range leased {
			s.settle(t, Settlement{Entry: e.ID, Attempt: s.send(t, e), State: viewing.StateDelivered})
			delivered++
		}
	}
	all.Wait()
	if counts := s.checkCounters(t); counts != (Counts{Delivered: callers * each}) {
		t.Errorf("counts %+v", counts)
	}
}

func TestLogIsGrownOnceAndKept(t *testing.T) {
	s := unopened(t)
	size := func() int64 {
		info, err := os.Stat(s.path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	s.growLog()
	grown := size()
	if grown < logSize || grown > logSize+1<<18 {
		t.Errorf("log has %d bytes, want about %d", grown, logSize)
	}
	s.growLog()
	for i := range 200 {
		jobs := s.enqueue(mark(fmt.Sprint(i)))
		s.batch(<-s.jobs)
		if err := <-jobs[0].done; err != nil {
			t.Fatal(err)
		}
	}
	if now := size(); now != grown {
		t.Errorf("log has %d bytes after 200 commits, had %d", now, grown)
	}
	if there := s.marks(t); len(there) != 200 {
		t.Errorf("%d rows kept", len(there))
	}
}

// A log that a reader made long is made short again.
func TestALogThatGrewTooLargeIsTidied(t *testing.T) {
	s := unopened(t)
	s.growLog()
	size := func() int64 {
		info, err := os.Stat(s.path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	moment, err := s.reader.Begin()
	if err != nil {
		t.Fatal(err)
	}
	var one int
	if err := moment.QueryRow("SELECT count(*) FROM meta").Scan(&one); err != nil {
		t.Fatal(err)
	}
	for i := 0; size() <= logLarge; i++ {
		err := s.alone(func(x *tx) error {
			_, err := x.exec("INSERT OR REPLACE INTO source_state (source, key, value) VALUES ('test', ?, zeroblob(1000000))", fmt.Sprint(i%4))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := moment.Rollback(); err != nil {
		t.Fatal(err)
	}
	s.tidyLog()
	if now := size(); now > logSize+1<<18 || now < logSize {
		t.Errorf("log has %d bytes, want about %d", now, logSize)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A transaction that is begun again for a bad job's sake counts each good one
// once, and answers it once.
func TestARepeatedJobCountsOnce(t *testing.T) {
	s := unopened(t)
	nudged, stop := s.Subscribe()
	defer stop()
	answers := make(chan []viewing.Outcome, 2)
	for i := range 2 {
		go func() {
			o, err := s.Commit(context.Background(), viewing.Batch{Source: "browser:b1", Viewings: []viewing.Viewing{film(fmt.Sprint(i), int64(i+1), -1)}})
			if err != nil {
				t.Error(err)
			}
			answers <- o
		}()
	}
	good := []*job{<-s.jobs, <-s.jobs}
	bad := func() *job {
		return &job{done: make(chan error, 1), do: func(t *tx) error { return t.settle(Settlement{Entry: 99, State: viewing.StateDropped}) }}
	}
	for _, j := range []*job{good[0], bad(), good[1], bad()} {
		s.jobs <- j
	}
	s.batch(<-s.jobs)
	ids := map[int64]bool{}
	for range 2 {
		o := <-answers
		if len(o) != 1 || o[0].Status != viewing.StatusQueued || len(o[0].Entries) != 1 {
			t.Fatalf("answered %+v", o)
		}
		ids[o[0].Entries[0]] = true
	}
	<-nudged
	if counts, err := s.Counts(t.Context()); err != nil || counts != (Counts{Pending: 2}) || !ids[1] || !ids[2] {
		t.Errorf("counts %+v, %v, entries %v", counts, err, ids)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
