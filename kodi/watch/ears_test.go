package watch

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// hear waits to be told of other ears.
func hear(t *testing.T, told <-chan Ears, want string) {
	t.Helper()
	select {
	case e := <-told:
		if !strings.Contains(e.Deaf+" "+e.Hint, want) || (want == "") != (e == Ears{}) {
			t.Fatalf("told %+v, want %q", e, want)
		}
	case <-time.After(patience):
		t.Fatalf("not told of %q", want)
	}
}

// One change without an event may be an accident, and one with an event clears
// those before.
func TestOneSilenceIsNone(t *testing.T) {
	told := make(chan Ears, 1)
	l := newLoop(Options{Dir: t.TempDir(), Ears: func(e Ears) { told <- e }}, func(context.Context) {})
	for n, heard := range []bool{false, true, false, true, false, false} {
		if len(told) > 0 {
			t.Fatalf("told before change %d", n)
		}
		l.heard, l.found = heard, true
		l.judge()
	}
	hear(t, told, "no event told of")
}

// Events that come are believed, however often the poll looks.
func TestHearingIsNotDoubted(t *testing.T) {
	told := make(chan Ears, 10)
	w := start(t, t.TempDir(), func(o *Options, _ *loop) { o.Poll, o.Ears = time.Millisecond, func(e Ears) { told <- e } })
	for n := range 10 {
		text := strings.Repeat("x", n+1)
		w.write(t, "MyVideos121.db", text)
		w.wait(t, text)
	}
	select {
	case e := <-told:
		t.Errorf("told %+v", e)
	default:
	}
}

// Limits are told of with what to do, and so is their end.
func TestLimitsAreTold(t *testing.T) {
	told := make(chan Ears, 10)
	tries := 0
	start(t, t.TempDir(), func(o *Options, l *loop) {
		o.Poll, o.Ears = 20*time.Millisecond, func(e Ears) { told <- e }
		l.open = func(dir string) (*fsnotify.Watcher, error) {
			if tries++; tries < 3 {
				return nil, fmt.Errorf("open: %w", syscall.ENOSPC)
			}
			return listen(dir)
		}
	})
	hear(t, told, "max_user_watches")
	hear(t, told, "")
}

func TestFarFoldersAreTold(t *testing.T) {
	told := make(chan Ears, 1)
	l := newLoop(Options{Dir: t.TempDir(), Ears: func(e Ears) { told <- e }}, func(context.Context) {})
	defer l.close()
	l.far = func(string) string { return "it lies on NFS" }
	l.aim()
	hear(t, told, "it lies on NFS")
}
