package disk

import (
	"fmt"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A disk too small for the log is no reason not to work.
func TestALogThatCannotGrowHarmsNothing(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("filmspool", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("needs root and leave to mount a tmpfs: %v", err)
	}
	defer func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	}()
	s := openAt(t, filepath.Join(dir, "queue.db"))
	s.growLog()
	for i := range 20 {
		job := s.enqueue(mark(fmt.Sprint(i)))[0]
		s.batch(<-s.jobs)
		if err := <-job.done; err != nil {
			t.Fatal(err)
		}
	}
	if there := s.marks(t); len(there) != 20 {
		t.Errorf("kept %v", there)
	}
	s.end(t)
}
