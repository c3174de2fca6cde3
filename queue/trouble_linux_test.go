//go:build long

package queue

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/filmspool/filmspool/queue/disk"
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

func TestAFullDiskRefusesAndLosesNothing(t *testing.T) {
	dir := smallDisk(t, "8m")
	s := open(t, filepath.Join(dir, "queue.db"), newClock())
	kept, err := s.commitAll(t, "before", 20)
	if err != nil {
		t.Fatal(err)
	}
	s.awaitLog(t) // or it takes the room that the filler gives back
	filler, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(filler, zeros{}); !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("filling the disk: %v", err)
	}
	more, err := s.commitAll(t, "full", 5_000)
	if !errors.Is(err, disk.ErrStorage) {
		t.Fatalf("on a full disk: %v after %d", err, len(more))
	}
	kept = append(kept, more...)
	if err := s.Backup(t.Context(), filepath.Join(dir, "copy.db")); err == nil {
		t.Error("a copy on a full disk")
	}
	if left := files(t, filepath.Join(dir, "copy.db")); len(left) > 0 {
		t.Errorf("half a copy is left: %v", left)
	}
	s.holdsAll(t, kept)
	if err := errors.Join(filler.Close(), os.Remove(filler.Name())); err != nil {
		t.Fatal(err)
	}
	more, err = s.commitAll(t, "after", 50)
	if err != nil {
		t.Fatalf("after there was room again: %v", err)
	}
	s.holdsAll(t, append(kept, more...))
	s = s.reopen(t)
	s.holdsAll(t, append(kept, more...))
	s.quickCheck(t)
}

// zeros never ends.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestADiskThatTurnsReadOnly(t *testing.T) {
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
	s.holdsAll(t, kept)
}

// Where SQLite can make no file, a copy is read.
func TestReadingOnAReadOnlyDisk(t *testing.T) {
	dir := smallDisk(t, "8m")
	s := peopled(t, 40)
	want := s.states(t)
	path := filepath.Join(dir, "queue.db")
	for _, part := range []string{"", "-wal"} {
		copyAs(t, crashed(t, s)+part, path+part)
	}
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, ""); err != nil {
		t.Fatalf("needs leave to remount: %v", err)
	}
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	r, err := OpenReading(t.Context(), Options{Path: path, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	got := (&opened{Store: r}).states(t)
	var out bytes.Buffer
	if _, err := r.Export(t.Context(), &out); err != nil || bytes.Count(out.Bytes(), []byte("\n")) < len(want) {
		t.Errorf("exported %d bytes, %v", out.Len(), err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	if !strings.Contains(log.String(), "a copy of the database is read") {
		t.Errorf("read elsewhere: %s", log.String())
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
