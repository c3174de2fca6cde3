//go:build unix

package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestLockSurvivesDeletionOfItsFile: a second process that creates a new file finds the folder
// locked.
func TestLockSurvivesDeletionOfItsFile(t *testing.T) {
	dir := t.TempDir()
	first, err := AwaitLock(t.Context(), dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "lock")); err != nil {
		t.Fatal(err)
	}
	if !IsLocked(dir) {
		t.Error("the lock is reported as free")
	}
	if _, err := AwaitLock(t.Context(), dir, 0); !errors.Is(err, ErrLocked) {
		t.Errorf("a second one: %v", err)
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	if IsLocked(dir) {
		t.Error("held after its release")
	}
	again, err := AwaitLock(t.Context(), dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Release(); err != nil {
		t.Error(err)
	}
}
