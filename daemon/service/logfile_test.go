package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestLogKeepsToTwoFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "filmspool.log")
	for range 2 { // said again by a program that was started again
		l, err := openLog(path, 100)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 30 {
			fmt.Fprintf(l, "line %d\n", i)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{path, path + ".1"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > 100 || info.Size() < 8 || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has %d bytes, mode %v", name, info.Size(), info.Mode())
		}
	}
	var out bytes.Buffer
	if err := showLog(t.Context(), path, &out, 5, false); err != nil {
		t.Fatal(err)
	}
	if out.String() != "line 25\nline 26\nline 27\nline 28\nline 29\n" {
		t.Errorf("shown: %q", out.String())
	}
}

func TestLogOfNothingSaysSo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "filmspool.log")
	var told *Error
	if err := showLog(t.Context(), path, os.Stdout, 5, false); !errors.As(err, &told) || told.Hint() == "" {
		t.Errorf("got %v", err)
	}
}

func TestLogGoesOnWhereItCannotTurn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "filmspool.log")
	if err := os.MkdirAll(filepath.Join(path+".1", "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := openLog(path, 10)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(l, "first line")
	fmt.Fprintln(l, "second line")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(path); string(text) != "first line\nsecond line\n" {
		t.Errorf("the log is %q", text)
	}
}

// heard is what a reader was shown.
type heard struct {
	mu   sync.Mutex
	text strings.Builder
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(p)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

func TestLogIsFollowedOverATurn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "filmspool.log")
	l, err := openLog(path, 60)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var out heard
	done := make(chan error, 1)
	go func() { done <- showLog(ctx, path, &out, 10, true) }()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	var want strings.Builder
	for i := range 8 {
		line := fmt.Sprintf("line number %d\n", i)
		fmt.Fprint(l, line)
		want.WriteString(line)
		for !strings.HasSuffix(out.String(), line) && ctx.Err() == nil {
			<-tick.C
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if out.String() != want.String() {
		t.Errorf("followed: %q", out.String())
	}
}
