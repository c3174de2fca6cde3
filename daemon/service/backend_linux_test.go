package service

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Where systemd is not process 1 the program must say so, not leave a unit
// that nobody reads.
func TestNewWithoutSystemd(t *testing.T) {
	if exists("/run/systemd/system") || sysvRuns() {
		t.Skip("a service manager runs here")
	}
	_, err := New(Options{})
	if !errors.Is(err, ErrNoManager) || hint(err) != "filmspool run" {
		t.Errorf("got %v, hint %q", err, hint(err))
	}
}

func TestRemoveDangling(t *testing.T) {
	dir := t.TempDir()
	kept, dangling := filepath.Join(dir, "S20other"), filepath.Join(dir, "S20filmspool")
	if err := errors.Join(os.Symlink(dir, kept), os.Symlink(filepath.Join(dir, "gone"), dangling)); err != nil {
		t.Fatal(err)
	}
	if err := removeDangling([]string{kept, dangling}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(dangling); !os.IsNotExist(err) {
		t.Error("the dangling link is still there")
	}
	if _, err := os.Lstat(kept); err != nil {
		t.Error("a link to something was removed")
	}
}
