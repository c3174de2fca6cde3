//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOpenFoldersAreRefused: where others may write the state folder, neither the
// daemon nor a command uses it.
func TestOpenFoldersAreRefused(t *testing.T) {
	t.Parallel()
	h := newHousehold(t)
	state := filepath.Join(h.dir, "state")
	makeQueue(t, state)
	must(t, os.Chmod(state, 0o777))
	for _, line := range []string{"diary", "login --key-stdin --base-url https://tracker.example/api/v1", "run"} {
		out, code := h.pipe(secretKey, strings.Fields(line)...)
		if code == exitDone || !strings.Contains(out, "can be changed by other users") {
			t.Errorf("%s: exit %d\n%s", line, code, out)
		}
	}
}
