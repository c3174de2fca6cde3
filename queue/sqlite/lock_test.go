package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// holdLock is the child process: it locks dir, prints a line, and keeps the lock until its input
// ends.
func holdLock(dir string) error {
	lock, err := AwaitLock(context.Background(), dir, 0)
	if err != nil {
		return err
	}
	defer lock.Release()
	fmt.Println("held")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func TestLockHeldByAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"="+dir)
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "held\n" {
		t.Fatalf("the child printed %q, %v", line, err)
	}
	_, err = AwaitLock(t.Context(), dir, 0)
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), dir) {
		t.Errorf("second lock: %v, want one that names %s", err, dir)
	}
	in.Close()
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	lock, err := AwaitLock(t.Context(), dir, 0)
	if err != nil {
		t.Fatalf("after the other process ended: %v", err)
	}
	if err := lock.Release(); err != nil {
		t.Error(err)
	}
}

// TestAwaitLock: it waits for the lock up to the timeout.
func TestAwaitLock(t *testing.T) {
	const patience = 2 * time.Second
	tests := []struct {
		name  string
		held  time.Duration
		want  error
		after time.Duration
	}{
		{"free", 0, nil, 0},
		{"held for a moment", time.Second + 5*time.Millisecond, nil, time.Second + lockInterval},
		{"held for long", time.Minute, ErrLocked, patience},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				first, err := AwaitLock(t.Context(), dir, 0)
				if err != nil {
					t.Fatal(err)
				}
				release := func() {
					if err := first.Release(); err != nil {
						t.Error(err)
					}
				}
				if tt.held == 0 {
					release()
				} else {
					end := time.AfterFunc(tt.held, release)
					defer func() {
						if end.Stop() {
							release()
						}
					}()
				}
				began := time.Now()
				lock, err := AwaitLock(t.Context(), dir, patience)
				if !errors.Is(err, tt.want) || time.Since(began) != tt.after {
					t.Errorf("after %v: %v, want %v after %v", time.Since(began), err, tt.want, tt.after)
				}
				if lock != nil {
					lock.Release()
				}
			})
		})
	}
}
