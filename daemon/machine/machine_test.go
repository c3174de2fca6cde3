package machine

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestFreeRoom(t *testing.T) {
	dir := t.TempDir()
	if n, err := Free(dir); err != nil || n <= 0 {
		t.Errorf("%d bytes, %v", n, err)
	}
	if _, err := Free(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there has room")
	}
}

func TestRightsOfOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("rights are lists there")
	}
	dir := filepath.Join(t.TempDir(), "state")
	for mode, others := range map[os.FileMode]os.FileMode{0o700: 0, 0o750: 0o050, 0o777: 0o077, 0o500: 0} {
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.Chmod(dir, mode)); err != nil {
			t.Fatal(err)
		}
		if got := Others(dir); got != others {
			t.Errorf("%o: %o", mode, got)
		}
	}
	if Others(filepath.Join(dir, "none")) != 0 {
		t.Error("a folder that is not there is open")
	}
	if os.Geteuid() != 0 && Others("/") != 0 {
		t.Error("another user's folder is taken for ours")
	}
}
