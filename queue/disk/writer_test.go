package disk

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// enqueue puts jobs before the writer without waiting for them.
func (f opened) enqueue(changes ...func(*Tx) error) []*job {
	var jobs []*job
	for _, do := range changes {
		j := &job{do: do, done: make(chan error, 1)}
		f.jobs <- j
		jobs = append(jobs, j)
	}
	return jobs
}

// drain runs the writer until nothing waits.
func (f opened) drain(t testing.TB) {
	t.Helper()
	ended, end := context.WithCancel(context.Background())
	end()
	if err := f.Run(ended); err != nil {
		t.Fatal(err)
	}
}

func TestABadJobHarmsNoOther(t *testing.T) {
	own := errors.New("own trouble")
	var ledger *tally
	half := func(err error) func(*Tx) error {
		return func(t *Tx) error {
			ledger.open++
			if e := mark("half")(t); e != nil {
				return e
			}
			return err
		}
	}
	tests := map[string]struct {
		bad  func(*Tx) error
		want error
	}{
		"own error":  {half(own), own},
		"constraint": {func(t *Tx) error { return errors.Join(half(nil)(t), mark("half")(t)) }, ErrStorage},
	}
	for name, tt := range tests {
		for at := range 3 {
			t.Run(fmt.Sprint(name, " at ", at), func(t *testing.T) {
				s := unopened(t)
				ledger = s.ledger
				changes := []func(*Tx) error{mark("a"), mark("b"), mark("c")}
				changes[at] = tt.bad
				changes = append(changes, tt.bad) // it is met within a savepoint
				jobs := s.enqueue(changes...)
				s.drain(t)
				for i, j := range jobs {
					err := <-j.done
					bad := i == at || i == len(jobs)-1
					if bad && !errors.Is(err, tt.want) || !bad && err != nil {
						t.Errorf("job %d: %v", i, err)
					}
				}
				if n := s.counted(t); n != 0 || ledger.told != 0 {
					t.Errorf("the bad job counted: %d, told %d", n, ledger.told)
				}
				if there := s.marks(t); len(there) != 2 || there["half"] {
					t.Errorf("kept %v", there)
				}
				s.end(t)
			})
		}
	}
}

// Neither a full disk nor a commit that fails may acknowledge anything; once
// the trouble is over the same store works again.
func TestNothingIsAcknowledgedWhenStorageFails(t *testing.T) {
	full := func(t *Tx) error {
		if _, err := t.conn.ExecContext(context.Background(), "PRAGMA max_page_count = 1"); err != nil {
			return err
		}
		_, err := t.Exec("INSERT INTO ballast (data) VALUES (zeroblob(1000000))")
		return err
	}
	failingCommit := func(t *Tx) error {
		_, err := t.Exec("INSERT INTO children (mark) VALUES ('absent')")
		return err
	}
	for name, fault := range map[string]func(*Tx) error{"full disk": full, "commit": failingCommit} {
		t.Run(name, func(t *testing.T) {
			s := unopened(t)
			count := func(*Tx) error { s.ledger.open++; return nil }
			jobs := s.enqueue(count, mark("before"), fault, mark("after"))
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
			if n := s.counted(t); n != 0 || s.ledger.told != 0 {
				t.Errorf("counted %d, told %d of what was not kept", n, s.ledger.told)
			}
			if there := s.marks(t); len(there) != 1 || !there["later"] {
				t.Errorf("kept %v", there)
			}
			s.end(t)
		})
	}
}

func TestAWithdrawnWriteIsNotDone(t *testing.T) {
	s := unopened(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Write(ctx, mark("withdrawn")) }()
	waiting := <-s.jobs // the call waits
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("write: %v", err)
	}
	s.jobs <- waiting
	s.drain(t)
	if there := s.marks(t); len(there) != 0 {
		t.Errorf("kept %v: the caller was told that nothing was kept", there)
	}
	s.end(t)
}

// A caller whose context ends while the writer works learns the true end.
func TestAWriteThatHasBegunIsWaitedFor(t *testing.T) {
	s := running(t, unopened(t))
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Write(ctx, func(t *Tx) error {
		cancel()
		return mark("kept")(t)
	})
	if err != nil {
		t.Errorf("write: %v, want its success", err)
	}
	if there := s.marks(t); !there["kept"] {
		t.Errorf("kept %v", there)
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
	if err := s.Write(t.Context(), mark("late")); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
	if err := s.Run(t.Context()); err == nil {
		t.Error("ran twice")
	}
	if there := s.marks(t); len(there) != 2 {
		t.Errorf("kept %v", there)
	}
	s.end(t)
}

func TestCloseWithoutRunFreesWhoWaits(t *testing.T) {
	s := unopened(t)
	ended := make(chan error, 1)
	go func() { ended <- s.Write(context.Background(), mark("a")) }()
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
