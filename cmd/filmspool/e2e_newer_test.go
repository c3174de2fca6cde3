package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestANewerQueue: whatever command comes upon the queue of a newer program
// leaves it alone, exits 78, and says how to go on.
func TestANewerQueue(t *testing.T) {
	h := newHousehold(t)
	path := makeQueue(t, filepath.Join(h.dir, "state"))
	queue, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	queue[63] = 99 // user_version
	if err := os.WriteFile(path, queue, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"run", "add movie 604", "queue list", "queue export", "queue retry --all", "pause", "kodi scan"} {
		said := h.try(strings.Fields(line)...)
		for _, want := range []string{"error: ", "a newer version", "hint:  install the newer version of Filmspool again", "(exit status 78)"} {
			if !strings.Contains(said, want) {
				t.Errorf("%s: no %q in: %s", line, want, said)
			}
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, queue) {
		t.Errorf("the queue was changed, %v", err)
	}
}
