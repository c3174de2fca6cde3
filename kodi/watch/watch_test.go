package watch

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for a call before it gives up.
const patience = 20 * time.Second

// watched is a Run over a folder, with the calls it made.
type watched struct {
	dir       string
	settled   chan string // what the call saw
	unchanged chan struct{}
	log       *safeBuffer
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// start runs a loop on dir until the test ends; change may set its options
// and its parts.
func start(t *testing.T, dir string, change func(*Options, *loop)) *watched {
	t.Helper()
	w := &watched{dir: dir, settled: make(chan string, 1000), unchanged: make(chan struct{}, 1), log: &safeBuffer{}}
	o := Options{
		Dir: dir, Quiet: 20 * time.Millisecond, Ceiling: 200 * time.Millisecond, Poll: time.Hour,
		Match: func(name string) bool { return strings.HasPrefix(name, "MyVideos") },
		Unchanged: func() {
			select {
			case w.unchanged <- struct{}{}:
			default:
			}
		},
		Logger: slog.New(slog.NewTextHandler(w.log, nil)),
	}
	var hooks loop
	if change != nil {
		change(&o, &hooks)
	}
	l := newLoop(o, func(context.Context) { w.settled <- w.see() })
	if hooks.open != nil {
		l.open = hooks.open
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	l.aim() // before the test touches a file
	go func() {
		defer l.close()
		l.settle(ctx)
		done <- l.run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run ended with %v, want nil", err)
		}
	})
	w.wait(t, w.see())
	return w
}

// wait waits for a call that saw the file as wanted; gone means no file. What
// an act of several steps causes may be more than one call.
func (w *watched) wait(t *testing.T, want string) {
	t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case got := <-w.settled:
			if got == want {
				return
			}
		case <-timeout:
			t.Fatalf("no call saw %q; log:\n%s", want, w.log)
		}
	}
}

// Two things that are no content of the file.
const (
	gone   = "no file"
	absent = "no folder"
)

// see is what a call sees.
func (w *watched) see() string {
	text, err := os.ReadFile(filepath.Join(w.dir, "MyVideos121.db"))
	if err == nil {
		return string(text)
	}
	if _, err := os.Stat(w.dir); err != nil {
		return absent
	}
	return gone
}

func (w *watched) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRunCallsAtStartAndStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err := Run(ctx, Options{Dir: t.TempDir()}, func(context.Context) { n++; cancel() })
	if err != nil || n != 1 {
		t.Errorf("Run = %v after %d calls, want nil after 1", err, n)
	}
}

func TestChangeSettles(t *testing.T) {
	w := start(t, t.TempDir(), nil)
	w.write(t, "MyVideos121.db", "one")
	w.wait(t, "one")
	w.write(t, "MyVideos121.db", "two")
	w.wait(t, "two")
	if err := os.Remove(filepath.Join(w.dir, "MyVideos121.db")); err != nil {
		t.Fatal(err)
	}
	w.wait(t, gone)
}

// Other names and changed permissions are no change.
func TestOtherEventsDoNotCount(t *testing.T) {
	l := newLoop(Options{Dir: t.TempDir(), Match: func(name string) bool { return name == "MyVideos121.db" }}, func(context.Context) {})
	defer l.close()
	l.aim()
	for _, e := range []fsnotify.Event{{Name: "Textures13.db", Op: fsnotify.Write}, {Name: "MyVideos121.db", Op: fsnotify.Chmod}} {
		e.Name = filepath.Join(l.o.Dir, e.Name)
		if l.event(e, true); l.pace.armed() {
			t.Errorf("%v armed the timer", e)
		}
	}
	l.event(fsnotify.Event{Name: filepath.Join(l.o.Dir, "MyVideos121.db"), Op: fsnotify.Write}, true)
	if !l.pace.armed() {
		t.Error("our file's write did not arm the timer")
	}
}

func TestFolderAppearsLater(t *testing.T) {
	root := t.TempDir()
	w := start(t, filepath.Join(root, "a", "userdata", "Database"), nil)
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	w.wait(t, gone)
	w.write(t, "MyVideos121.db", "x")
	w.wait(t, "x")
}

func TestFolderReplaced(t *testing.T) {
	for _, how := range []string{"removed", "renamed"} {
		t.Run(how, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "Database")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			w := start(t, dir, nil)
			var err error
			if how == "removed" {
				err = os.Remove(dir)
			} else {
				err = os.Rename(dir, dir+".old")
			}
			if err != nil {
				t.Fatal(err)
			}
			w.wait(t, absent)
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			w.wait(t, gone)
			w.write(t, "MyVideos121.db", "x")
			w.wait(t, "x")
		})
	}
}

// Without events the poll finds changes within a minute, and the log says once
// what to do.
func TestPollAloneFindsChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, t.TempDir(), func(o *Options, l *loop) {
			o.Poll = time.Minute
			l.open = func(string) (*fsnotify.Watcher, error) { return nil, fmt.Errorf("watch: %w", syscall.ENOSPC) }
		})
		time.Sleep(2 * time.Minute)
		if len(w.unchanged) == 0 || len(w.settled) > 0 {
			t.Error("a poll of a quiet folder did not say that nothing has changed")
		}
		w.write(t, "MyVideos121.db", "x")
		time.Sleep(time.Minute + time.Second)
		if len(w.settled) != 1 || <-w.settled != "x" {
			t.Error("the poll has not found a change")
		}
		if log := w.log.String(); strings.Count(log, "max_user_watches") != 1 {
			t.Errorf("the sysctl should be named once:\n%s", log)
		}
	})
}

func TestOverflowIsAChange(t *testing.T) {
	l := newLoop(Options{Dir: t.TempDir()}, func(context.Context) {})
	defer l.close()
	l.aim()
	l.fault(fmt.Errorf("inotify: %w", fsnotify.ErrEventOverflow), true)
	if !l.pace.armed() {
		t.Error("an overflow did not arm the timer")
	}
	l.pace.reset()
	l.fault(os.ErrInvalid, true)
	if !l.pace.armed() || !l.aimed() {
		t.Error("another error did not lead to a fresh look")
	}
}

// The parent's other children must not make us look again.
func TestParentEventsOfOthers(t *testing.T) {
	root := t.TempDir()
	l := newLoop(Options{Dir: filepath.Join(root, "a", "Database")}, func(context.Context) {})
	defer l.close()
	l.aim()
	eyes := l.eyes
	l.event(fsnotify.Event{Name: filepath.Join(root, "ab"), Op: fsnotify.Create}, true)
	if l.eyes != eyes || l.pace.armed() {
		t.Error("a stranger's event was taken for ours")
	}
	if err := os.MkdirAll(l.o.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l.event(fsnotify.Event{Name: filepath.Join(root, "a"), Op: fsnotify.Create}, true)
	if !l.aimed() || !l.pace.armed() {
		t.Error("the folder's appearance was missed")
	}
}
