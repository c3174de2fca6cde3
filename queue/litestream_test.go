//go:build long

package queue

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/viewing"
)

// TestRestoreFromLitestream: Litestream replicates a running queue, and the restored file is
// complete.
func TestRestoreFromLitestream(t *testing.T) {
	program, err := exec.LookPath("litestream")
	if err != nil {
		t.Fatalf("%v; go install github.com/benbjohnson/litestream/cmd/litestream@v0.5.18 makes it", err)
	}
	s := openNew(t)
	if _, err := s.commitAll(t, "before", 300); err != nil {
		t.Fatal(err)
	}
	under := s.due(t)[0]
	s.send(t, under)
	replica := "file://" + filepath.Join(t.TempDir(), "replica")
	replicate := exec.Command(program, "replicate", s.path, replica)
	output, err := replicate.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	replicate.Stderr = replicate.Stdout
	if err := replicate.Start(); err != nil {
		t.Fatal(err)
	}
	first := make(chan struct{})
	var log strings.Builder
	ended := make(chan error, 1)
	go func() {
		for lines := bufio.NewScanner(output); lines.Scan(); {
			if log.Len() == 0 {
				close(first)
			}
			fmt.Fprintln(&log, lines.Text())
		}
		ended <- replicate.Wait()
	}()
	<-first
	// More than the log holds, so that it starts again from its beginning.
	if kept, err := s.commitAll(t, "meanwhile", 700); err != nil {
		t.Fatalf("after %d: %v", len(kept), err)
	}
	s.finishAll(t)
	if err := replicate.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatalf("replicate: %v\n%s", err, log.String())
	}
	// Where the machine is slow it ends before it has begun to copy.
	if out, err := exec.Command(program, "replicate", "-once", s.path, replica).CombinedOutput(); err != nil {
		t.Fatalf("replicate once: %v\n%s", err, out)
	}
	path := filepath.Join(t.TempDir(), "queue.db")
	if out, err := exec.Command(program, "restore", "-o", path, replica).CombinedOutput(); err != nil {
		t.Fatalf("restore: %v\n%s", err, out)
	}
	c := open(t, path, s.clock)
	c.quickCheck(t)
	want, got := s.states(t), c.states(t)
	for event, state := range want {
		if state == viewing.StateSending {
			want[event] = viewing.StateInDoubt // by the restart
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) != 1_000 {
		t.Errorf("%d events came back (-want +got):\n%s", len(got), diff)
	}
	c.checkCounters(t)
	s.checkCounters(t)
}
