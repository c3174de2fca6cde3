//go:build long

package queue

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/filmspool/filmspool/queue/sqlite"
)

// smallDisk mounts a disk of the given size.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("filmspool", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Fatalf("needs root and leave to mount a tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestFullDiskRejectsWritesAndLosesNothing(t *testing.T) {
	dir := smallDisk(t, "8m")
	s := open(t, filepath.Join(dir, "queue.db"), newClock())
	kept, err := s.commitAll(t, "before", 20)
	if err != nil {
		t.Fatal(err)
	}
	filler, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(filler, zeros{}); !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("filling the disk: %v", err)
	}
	more, err := s.commitAll(t, "full", 5_000)
	if !errors.Is(err, sqlite.ErrStorage) {
		t.Fatalf("on a full disk: %v after %d", err, len(more))
	}
	kept = append(kept, more...)
	if err := s.Backup(t.Context(), filepath.Join(dir, "copy.db")); err == nil {
		t.Error("a copy on a full disk")
	}
	if left := files(t, filepath.Join(dir, "copy.db")); len(left) > 0 {
		t.Errorf("half a copy is left: %v", left)
	}
	s.wantExactly(t, kept)
	if err := errors.Join(filler.Close(), os.Remove(filler.Name())); err != nil {
		t.Fatal(err)
	}
	more, err = s.commitAll(t, "after", 50)
	if err != nil {
		t.Fatalf("after there was room again: %v", err)
	}
	s.wantExactly(t, append(kept, more...))
	s = s.reopen(t)
	s.wantExactly(t, append(kept, more...))
	s.quickCheck(t)
}

// zeros is an endless stream of zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestDiskBecomesReadOnly(t *testing.T) {
	dir := smallDisk(t, "8m")
	s := open(t, filepath.Join(dir, "queue.db"), newClock())
	kept, err := s.commitAll(t, "before", 10)
	if err != nil {
		t.Fatal(err)
	}
	turn := func(flags uintptr) {
		t.Helper()
		if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_BIND|flags, ""); err != nil {
			t.Fatalf("needs leave to remount: %v", err)
		}
	}
	s.stop()
	turn(unix.MS_RDONLY)
	if _, err := Open(t.Context(), Options{Path: s.path}); !errors.Is(err, unix.EROFS) {
		t.Errorf("on a read-only disk: %v", err)
	}
	turn(0)
	s = open(t, s.path, s.clock)
	s.wantExactly(t, kept)
}
