package kodi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sink is a Sink in memory.
type sink struct {
	mu              sync.Mutex
	fail            error // of the next commits
	failAfterCommit bool  // fail after the batch is stored
	state           map[string][]byte
	batches         []viewing.Batch
	got             chan viewing.Event
	others          map[string][]viewing.Instant // what other sources have recorded, by item
}

func newSink() *sink { return &sink{state: map[string][]byte{}, got: make(chan viewing.Event, 2000)} }

func (s *sink) Recorded(_ context.Context, _ string, keys []string) (map[string][]viewing.Instant, error) {
	times := map[string][]viewing.Instant{}
	for key, all := range s.others {
		times[key] = append(times[key], all...)
	}
	for _, v := range s.viewings() {
		for _, m := range v.Media {
			times[m.Key()] = append(times[m.Key()], v.WatchedAt)
		}
	}
	maps.DeleteFunc(times, func(key string, _ []viewing.Instant) bool { return !slices.Contains(keys, key) })
	return times, nil
}

func (s *sink) State(context.Context, string) (map[string][]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.state), nil
}

func (s *sink) Commit(_ context.Context, b viewing.Batch) ([]viewing.Outcome, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil && !s.failAfterCommit {
		return nil, s.fail
	}
	maps.Copy(s.state, b.State)
	maps.DeleteFunc(s.state, func(_ string, value []byte) bool { return value == nil })
	s.batches = append(s.batches, b)
	outcomes := make([]viewing.Outcome, len(b.Events))
	for i, v := range b.Events {
		outcomes[i] = viewing.Outcome{EventID: v.EventID, Status: viewing.StatusQueued}
		s.got <- v
	}
	return outcomes, s.fail
}

func (s *sink) viewings() (all []viewing.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.batches {
		all = append(all, b.Events...)
	}
	return all
}

// fakeReader is a library that the test changes, without file events.
type fakeReader struct {
	files  []library.File
	err    error
	stamp  string
	panics bool // panic on each call

	reads, stamps int
}

func (r *fakeReader) Read(context.Context, func(library.File) bool) (library.Snapshot, error) {
	if r.reads++; r.panics {
		panic("a fault")
	}
	if r.err != nil {
		return library.Snapshot{}, r.err
	}
	snap := snapshot(r.files...)
	snap.Stamp = r.stamp
	return snap, nil
}

func (r *fakeReader) ReadTagged(context.Context, []string) ([]library.Tagged, error) {
	return nil, library.ErrUnsupported
}

func (r *fakeReader) Stamp(context.Context) (string, error) {
	if r.stamps++; r.panics {
		panic("a fault")
	}
	return r.stamp, nil
}

// account predicts that identified playbacks are sent.
type account struct{ hosts []string }

func (a account) Hosts(string) []string { return a.hosts }

func (account) Predict(_ string, v viewing.Event, m viewing.Media, now time.Time) Outcome {
	switch {
	case v.WatchedAt.Earliest().After(now.Add(5 * time.Minute)):
		return Outcome{State: viewing.StateHeld, Reason: viewing.ReasonFuture}
	case !slices.Contains([]viewing.Class{viewing.ClassLive, viewing.ClassCatchUp, viewing.ClassImport}, v.Class):
		return Outcome{State: viewing.StateHeld, Reason: string(v.Class)}
	case !m.Identified():
		return Outcome{State: viewing.StateHeld, Reason: viewing.ReasonUnresolved}
	default:
		return Outcome{State: viewing.StatePending}
	}
}

// openAccess uses the credentials of Kodi's settings.
type openAccess struct{ claim error }

func (openAccess) Login(_ string, s library.Server) (*library.Server, error) { return &s, nil }
func (o openAccess) Claim(string, string) error                              { return o.claim }

// justNow returns the time of a second ago as Kodi writes it.
func justNow() string { return time.Now().Add(-time.Second).UTC().Format(time.DateTime) }

// newImporter returns an importer of a fake library.
func newImporter(t *testing.T, s Sink, r reader) *Importer {
	t.Helper()
	i := newFolderImporter(t, "/u", s)
	i.library = r
	return i
}

// newFolderImporter returns an importer of a userdata folder.
func newFolderImporter(t *testing.T, userdata string, s Sink) *Importer {
	t.Helper()
	return New(Options{Userdata: userdata, Access: openAccess{}, Zone: time.UTC, Sink: s, Account: account{}, Logger: slog.New(slog.DiscardHandler)})
}

func TestRestartKeepsState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := newSink(), &fakeReader{files: list(film(1, 0, "")), stamp: "a"}
		first := newImporter(t, s, r)
		first.runPass(t.Context())
		time.Sleep(20 * time.Minute)
		first.checkUnchanged(t.Context())
		first.saveOnStop(t.Context())
		stopped := time.Now()
		time.Sleep(5 * time.Hour)
		r.files = list(film(1, 1, justNow()), film(2, 1, stopped.Add(-5*time.Minute).UTC().Format(time.DateTime)))
		time.Sleep(5 * time.Hour)
		newImporter(t, s, r).runPass(t.Context())
		newImporter(t, s, r).runPass(t.Context())
		got := s.viewings()
		if len(got) != 1 || got[0].Class != viewing.ClassCatchUp || got[0].Media[0].IDs.TMDB != 1 {
			t.Errorf("got %+v, want film 1 caught up once", got)
		}
	})
}

func TestReadErrorsKeepStateAndBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := newSink(), &fakeReader{files: list(film(1, 0, ""))}
		i := newImporter(t, s, r)
		i.runPass(t.Context())
		r.err = fmt.Errorf("read: %w", library.ErrBusy)
		want := []time.Duration{1, 2, 4, 8, 16, 32, 60, 60}
		for n, seconds := range want {
			if got := i.runPass(t.Context()); got != seconds*time.Second {
				t.Errorf("retry %d after %v, want %v s", n, got, seconds)
			}
		}
		if st := i.Status(); st.State != StateBusy || st.Problem.Code == "" || st.Films != 1 {
			t.Errorf("status %+v", st)
		}
		good := i.memory.Meta.VerifiedAt
		time.Sleep(time.Hour)
		i.checkUnchanged(t.Context()) // must not update the time while reads fail
		if i.memory.Meta.VerifiedAt != good {
			t.Error("an unreadable library was treated as unchanged")
		}
		again := newImporter(t, s, r) // a restart keeps the time of the last read
		if again.runPass(t.Context()); again.Status().ReadAt.UnixMilli() != good {
			t.Errorf("after a restart it was read at %v", again.Status().ReadAt)
		}
		r.err, r.files = nil, list(film(1, 1, justNow()))
		if got := i.runPass(t.Context()); got != 0 || i.Status().State != StateOK {
			t.Errorf("after the errors: again in %v, %+v", got, i.Status())
		}
		if v := s.viewings(); len(v) != 1 || v[0].Class != viewing.ClassCatchUp {
			t.Errorf("got %+v, want one viewing caught up", v)
		}
	})
}

func TestEmptiedLibraryKeepsState(t *testing.T) {
	s, r := newSink(), &fakeReader{files: list(film(1, 1, "2020-01-01 10:00:00"))}
	i := newImporter(t, s, r)
	i.runPass(t.Context())
	r.files = nil
	if again := i.runPass(t.Context()); again == 0 || i.Status().State != StateEmpty {
		t.Errorf("again in %v, status %+v", again, i.Status())
	}
	r.files = list(film(1, 1, "2020-01-01 10:00:00"))
	i.runPass(t.Context())
	if got := s.viewings(); len(got) != 0 || i.Status().State != StateOK {
		t.Errorf("got %v, status %+v", got, i.Status())
	}
}

// TestFailedCommitLosesAndDoublesNothing: the commit fails before or after the batch is stored.
func TestFailedCommitLosesAndDoublesNothing(t *testing.T) {
	for _, late := range []bool{false, true} {
		t.Run(fmt.Sprint("kept=", late), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, r := newSink(), &fakeReader{files: list(film(1, 0, ""))}
				i := newImporter(t, s, r)
				i.runPass(t.Context())
				time.Sleep(time.Minute)
				r.files = list(film(1, 1, justNow()))
				s.fail, s.failAfterCommit = errors.New("disk full"), late
				if i.runPass(t.Context()) == 0 || i.Status().State != StateStorage {
					t.Errorf("status %+v", i.Status())
				}
				s.fail = nil
				i.runPass(t.Context())
				i.runPass(t.Context())
				if got := s.viewings(); len(got) != 1 {
					t.Errorf("%d viewings, want 1", len(got))
				}
			})
		})
	}
}

func TestCheckChangesNothing(t *testing.T) {
	s, r := newSink(), &fakeReader{files: append(films(3, 1, "1999-01-01 10:00:00"), episodes(0, "", 1, 2), film(1, 0, "")), stamp: "a"}
	i := newImporter(t, s, r)
	if got, err := i.Check(t.Context()); err != nil || got.Films != 4 || got.Episodes != 2 || got.Watched != 3 || got.State != StateOK {
		t.Errorf("%+v, %v", got, err)
	}
	if len(s.batches) != 0 || i.checkUnchanged(t.Context()) {
		t.Errorf("%d commits, or the stamp was updated", len(s.batches))
	}
	r.err = library.ErrMySQL
	if got, err := i.Check(t.Context()); !errors.Is(err, library.ErrMySQL) || got.State != StateMySQL {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestSystemClockSetBack: the clock is set back an hour, and the monotonic clock gives the age of the
// last read.
func TestSystemClockSetBack(t *testing.T) {
	i := newImporter(t, newSink(), &fakeReader{})
	now := time.Now()
	i.memory = rule.NewMemory("lib")
	i.memory.Meta.VerifiedAt = now.Add(time.Hour).UnixMilli()
	i.verifiedAt = now.Add(-time.Minute)
	if got := i.adjustedMemory(now).Meta.VerifiedAt; got != now.Add(-time.Minute).UnixMilli() {
		t.Errorf("the last read was %v ago, want a minute", now.Sub(time.UnixMilli(got)))
	}
}

func TestStatusShowsGuard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := newSink(), &fakeReader{files: films(30, 1, "1999-01-01 10:00:00")}
		i := newImporter(t, s, r)
		i.runPass(t.Context())
		r.files = films(30, 0, "")
		i.runPass(t.Context())
		after := i.runPass(t.Context())
		if st := i.Status(); st.State != StateGuarded || st.Hint.Code == "" || after != 24*time.Hour {
			t.Fatalf("again in %v, status %+v", after, st)
		}
		time.Sleep(after)
		i.runPass(t.Context())
		if st := i.Status(); st.State != StateOK {
			t.Errorf("status %+v", st)
		}
	})
}

// TestPanicIsAReadError: a panic sets the status, and the next read works.
func TestPanicIsAReadError(t *testing.T) {
	r := &fakeReader{files: list(film(1, 0, ""))}
	i := newImporter(t, newSink(), r)
	r.panics = true
	if again := i.runPass(t.Context()); again == 0 || i.Status().State != StateFailed {
		t.Errorf("again in %v, state %s", again, i.Status().State)
	}
	if _, err := i.Import(t.Context(), rule.PlanOptions{}); !errors.Is(err, errPanic) {
		t.Errorf("imported with %v", err)
	}
	if !i.checkUnchanged(t.Context()) {
		t.Error("a library with failed reads is read before its retry")
	}
	r.panics = false
	if i.runPass(t.Context()); i.Status().State != StateOK {
		t.Errorf("state %s", i.Status().State)
	}
	if r.panics = true; i.checkUnchanged(t.Context()) {
		t.Error("a panic in Stamp was treated as unchanged")
	}
}
