//go:build unix

package queue

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// harms are what somebody may do to the files of a queue that runs.
func harms() map[string]func(path string) error {
	remove := func(part string) func(string) error {
		return func(path string) error { return os.Remove(path + part) }
	}
	return map[string]func(path string) error{
		"file deleted":  remove(""),
		"log deleted":   remove("-wal"),
		"index deleted": remove("-shm"),
		"file and log deleted": func(path string) error {
			return errors.Join(os.Remove(path), os.Remove(path+"-wal"), os.Remove(path+"-shm"))
		},
		"folder renamed":    func(path string) error { return os.Rename(filepath.Dir(path), filepath.Dir(path)+".away") },
		"file made empty":   func(path string) error { return os.Truncate(path, 0) },
		"file cut in half":  func(path string) error { return halve(path) },
		"log made empty":    func(path string) error { return os.Truncate(path+"-wal", 0) },
		"log cut in half":   func(path string) error { return halve(path + "-wal") },
		"file replaced":     func(path string) error { return replace(path, []byte("not a database")) },
		"log replaced":      func(path string) error { return replace(path+"-wal", nil) },
		"replaced by ours":  replaceByOurs,
		"renamed, and back": func(path string) error { return errors.Join(os.Rename(path, path+".x"), os.Rename(path+".x", path)) },
	}
}

func halve(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.Truncate(path, info.Size()/2)
}

func replace(path string, content []byte) error {
	return errors.Join(os.WriteFile(path+".other", content, 0o600), os.Rename(path+".other", path))
}

// replaceByOurs puts an empty queue in place of a queue.
func replaceByOurs(path string) error {
	other := path + ".other"
	s, err := Open(context.Background(), Options{Path: other})
	if err != nil {
		return err
	}
	return errors.Join(s.Close(), os.Remove(other+"-run"), os.Rename(other, path))
}

// reborn is what a program does over a state folder: when the queue ends by
// itself, it opens it again.
type reborn struct {
	t     *testing.T
	path  string
	clock *clock
	store *Store
	ended chan error
}

func (r *reborn) open() {
	r.t.Helper()
	s, err := openAt(r.t.Context(), Options{Path: r.path}, r.clock.now)
	if err != nil {
		r.t.Fatal(err)
	}
	r.store, r.ended = s, make(chan error, 1)
	go func() { r.ended <- s.Run(context.Background()) }()
}

// again waits for the queue's own end and opens it anew.
func (r *reborn) again() {
	r.t.Helper()
	if err := <-r.ended; !errors.Is(err, disk.ErrDamaged) {
		r.t.Fatalf("run: %v", err)
	}
	if err := r.store.Close(); err != nil {
		r.t.Logf("close: %v", err)
	}
	r.open()
}

// gone reports whether the queue says that its file is gone.
func (r *reborn) gone() bool {
	trouble, ok := r.store.Trouble()
	return ok && strings.Contains(trouble.Text(), "gone from its place")
}

// take commits a film until it is taken, opening the queue anew when it ends.
func (r *reborn) take(event string, item int) {
	r.t.Helper()
	for range 4 {
		_, err := r.store.Commit(r.t.Context(), viewing.Batch{Source: "browser:b1", Events: []viewing.Event{film(event, int64(item), -item)}})
		switch {
		case err == nil:
			return
		case !errors.Is(err, disk.ErrStorage) && !errors.Is(err, disk.ErrClosed):
			r.t.Fatal(err)
		case !r.gone() && !errors.Is(err, disk.ErrClosed):
			r.t.Fatalf("refused, and nothing is gone: %v", err)
		}
		r.again()
	}
	r.t.Fatalf("event %s is never taken", event)
}

// Whatever is done to the files of a running queue: what was acknowledged is
// there after a crash, or its loss is told. Nothing is acknowledged into a file
// that nobody finds again.
func TestFilesThatAreTakenAwayFromARunningQueue(t *testing.T) {
	cut := map[string]bool{"file made empty": true, "file cut in half": true, "log made empty": true, "log cut in half": true}
	for name, harm := range harms() {
		t.Run(name, func(t *testing.T) {
			r := &reborn{t: t, path: filepath.Join(t.TempDir(), "state", "queue.db"), clock: newClock()}
			r.open()
			for i := range 60 {
				r.take(fmt.Sprint("early", i), i+1)
			}
			if err := harm(r.path); err != nil {
				t.Fatal(err)
			}
			for i := range 20 {
				r.take(fmt.Sprint("late", i), i+1_001)
			}
			crashedAt := filepath.Join(t.TempDir(), "queue.db")
			for _, part := range []string{"", "-wal", "-run"} {
				copyAs(t, r.path+part, crashedAt+part)
			}
			defer func() {
				if err := r.store.Close(); err != nil {
					t.Error(err)
				}
			}()
			after := open(t, crashedAt, r.clock)
			states, early, late := after.states(t), 0, 0
			for i := range 60 {
				if state := states[fmt.Sprint("early", i)]; state == viewing.StatePending || cut[name] && state != "" {
					early++
				}
			}
			for i := range 20 {
				if states[fmt.Sprint("late", i)] == viewing.StatePending {
					late++
				}
			}
			notices, err := after.Notices(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d of 60 early, %d of 20 late, %d notices", early, late, len(notices))
			if late != 20 || !cut[name] && early != 60 {
				t.Errorf("lost %d of 60 early and %d of 20 late events", 60-early, 20-late)
			}
			told, nothing := len(notices) > 0, name == "renamed, and back"
			switch {
			case told && nothing, // it is all there
				!told && !nothing && (early < 60 || !cut[name]), // a cut that SQLite has made good loses nothing
				len(notices) > 1 && !cut[name]:
				t.Errorf("notices %+v", notices)
			}
			after.checkCounters(t)
			after.quickCheck(t)
		})
	}
}

// A file that goes while nothing is written is noticed by a look.
func TestALookNoticesThatTheFileIsGone(t *testing.T) {
	r := &reborn{t: t, path: filepath.Join(t.TempDir(), "queue.db"), clock: newClock()}
	r.open()
	r.take("e1", 1)
	if err := os.Remove(r.path); err != nil {
		t.Fatal(err)
	}
	for range 3 { // whoever has the turn just then, as after a commit, makes a look do nothing
		if err := r.store.Alive(t.Context()); err == nil {
			r.store.Look()
		}
	}
	if !r.gone() {
		t.Error("not noticed")
	}
	r.again()
	e, err := r.store.Entries(t.Context(), entry.Filter{})
	if err != nil || len(e) != 1 {
		t.Errorf("entries %+v, %v", e, err)
	}
	if err := r.store.Close(); err != nil {
		t.Error(err)
	}
}

// Another program that copies the file away may empty the log. That is no loss.
func TestALogThatWasEmptiedInOrderIsNoLoss(t *testing.T) {
	s := fresh(t)
	s.all(t, "e", 20)
	s.awaitLog(t)
	change(t, s.path, "PRAGMA wal_checkpoint(TRUNCATE)")
	if info, err := os.Stat(s.path + "-wal"); err != nil || info.Size() != 0 {
		t.Fatalf("the log has %d bytes, %v", info.Size(), err)
	}
	s.all(t, "late", 5)
	if notices, err := s.Notices(t.Context()); err != nil || len(notices) > 0 {
		t.Errorf("notices %+v, %v", notices, err)
	}
	if s = s.reopen(t); len(s.states(t)) != 25 {
		t.Errorf("%d events", len(s.states(t)))
	}
}

// Where the file cannot be written anew, nothing is acknowledged. It is tried
// again, and the queue says what is wrong.
func TestNothingIsAcknowledgedIntoAFileThatIsGone(t *testing.T) {
	r := &reborn{t: t, path: filepath.Join(t.TempDir(), "queue.db"), clock: newClock()}
	r.open()
	r.take("e1", 1)
	blocked := r.path + ".salvaging"
	if err := errors.Join(os.MkdirAll(filepath.Join(blocked, "in the way"), 0o700), os.Remove(r.path)); err != nil {
		t.Fatal(err)
	}
	batch := viewing.Batch{Source: "browser:b1", Events: []viewing.Event{film("e2", 2, -2)}}
	for range 3 {
		if _, err := r.store.Commit(t.Context(), batch); !errors.Is(err, disk.ErrStorage) {
			t.Fatalf("commit: %v, want that it is refused", err)
		}
	}
	trouble, ok := r.store.Trouble()
	if !ok || trouble.Refused != 3 || !r.gone() {
		t.Errorf("trouble %+v, %v", trouble, ok)
	}
	if err := os.RemoveAll(blocked); err != nil {
		t.Fatal(err)
	}
	r.clock.advance(time.Minute)
	r.take("e2", 2)
	e, err := r.store.Entries(t.Context(), entry.Filter{})
	if err != nil || len(e) != 2 {
		t.Errorf("entries %+v, %v", e, err)
	}
	if err := r.store.Close(); err != nil {
		t.Error(err)
	}
}
