package test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// join is a shell that puts itself into the control groups before "--", and
// becomes the command after it.
const join = `while [ "$1" != -- ]; do echo $$ >"$1/cgroup.procs"; shift; done 2>/dev/null; shift; exec "$@"`

// trees are the places of the control groups that systemd uses: whichever kind
// this computer has, or both.
func trees() map[string]string {
	trees := map[string]string{"name=systemd": "/sys/fs/cgroup/systemd", "": "/sys/fs/cgroup/unified"}
	for kind, tree := range trees {
		if _, err := os.Stat(tree); err != nil {
			delete(trees, kind)
		}
	}
	if len(trees) == 0 {
		trees[""] = "/sys/fs/cgroup"
	}
	return trees
}

// apart is a command in control groups of its own. Machines that are booted
// from the same group would share all groups below: each would wait for the end
// of the other's processes when it stops its own.
func apart(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	words := []string{"-c", join, "apart"}
	for _, tree := range trees() {
		group, err := os.MkdirTemp(tree, "filmspool-test-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { removeGroup(group) })
		words = append(words, group)
	}
	return exec.Command("sh", append(append(words, "--", name), args...)...)
}

// removeGroup removes an empty control group and those in it. The kernel may
// still be at work on the last process; what cannot be removed does no harm.
func removeGroup(group string) {
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		var groups []string
		_ = filepath.WalkDir(group, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				groups = append(groups, path)
			}
			return nil
		})
		for _, path := range slices.Backward(groups) {
			_ = os.Remove(path)
		}
		if _, err := os.Stat(group); err != nil {
			return
		}
	}
}

// groups are the control groups of the machine's process 1. Who speaks to a
// newer systemd from outside of the machine's is turned away (EUNATCH).
func (m *machine) groups() []string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%s/cgroup", m.leader)) // gone with the machine
	places := trees()
	var groups []string
	for line := range strings.Lines(string(text)) {
		words := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(words) == 3 && places[words[1]] != "" {
			groups = append(groups, filepath.Join(places[words[1]], words[2]))
		}
	}
	return groups
}
