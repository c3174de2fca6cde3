package watch

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/fsnotify/fsnotify"
)

// One change that no event came for may be an accident, and one with an event
// clears those before. Two in a row prove that no events come.
func TestSilentFolderIsReported(t *testing.T) {
	var reported []Ears
	l := newLoop(Options{Dir: t.TempDir(), Ears: func(e Ears) { reported = append(reported, e) }}, func(context.Context) {})
	for n, heard := range []bool{false, true, false, true, false, false} {
		if len(reported) > 0 {
			t.Fatalf("reported before change %d", n)
		}
		l.heard, l.found = heard, true
		l.judge()
	}
	if len(reported) != 1 || reported[0].Deaf.Code != "deafSilent" {
		t.Errorf("reported %+v", reported)
	}
}

func TestFarFolderIsReported(t *testing.T) {
	var reported []Ears
	l := newLoop(Options{Dir: t.TempDir(), Ears: func(e Ears) { reported = append(reported, e) }}, func(context.Context) {})
	defer l.close()
	l.far = func(string) string { return "NFS" }
	l.aim()
	if len(reported) != 1 || reported[0].Deaf.Args["name"] != "NFS" {
		t.Errorf("reported %+v", reported)
	}
}

// A limit is reported with what to do, and so is its end.
func TestLimitIsReported(t *testing.T) {
	var reported []Ears
	l := newLoop(Options{Dir: t.TempDir(), Ears: func(e Ears) { reported = append(reported, e) }}, func(context.Context) {})
	defer l.close()
	l.open = func(string) (*fsnotify.Watcher, error) { return nil, fmt.Errorf("open: %w", syscall.EMFILE) }
	l.aim()
	l.open = listen
	l.aim()
	if len(reported) != 2 || !strings.Contains(reported[0].Limit, "max_user_instances") || reported[1].Deaf.Code != "" {
		t.Errorf("reported %+v", reported)
	}
}
