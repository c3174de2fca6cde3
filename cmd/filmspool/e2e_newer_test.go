package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every command leaves the queue of a newer version unchanged, exits with 78 and has a hint.
func TestNewerQueue(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	path := makeQueue(t, filepath.Join(h.dir, "state"))
	queue, err := os.ReadFile(path)
	must(t, err)
	queue[63] = 99 // user_version
	must(t, os.WriteFile(path, queue, 0o600))
	for _, line := range []string{"run", "add 604", "diary"} {
		said, code := h.try(strings.Fields(line)...)
		if code != exitConfig || !strings.Contains(said, "hint:  install the newer version") {
			t.Errorf("%s: exit %d, want %d: %s", line, code, exitConfig, said)
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, queue) {
		t.Errorf("the queue was changed, %v", err)
	}
}
