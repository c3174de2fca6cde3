//go:build long

package config

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A key file is flushed before it is renamed: after a power cut there is the old or the new key,
// never an empty file.
func TestKeyFileIsFlushedBeforeRename(t *testing.T) {
	if dir := os.Getenv("FILMSPOOL_TEST_FLUSH"); dir != "" {
		must(t, WriteFile(filepath.Join(dir, "key"), []byte("sk")))
		return
	}
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Fatal("strace is not installed: apt-get install strace")
	}
	dir := t.TempDir()
	log := filepath.Join(dir, "calls")
	again := exec.Command(strace, "-f", "-qq", "-o", log, "-e", "trace=fsync,fdatasync,rename,renameat,renameat2",
		os.Args[0], "-test.run=^TestKeyFileIsFlushedBeforeRename$")
	again.Env = append(os.Environ(), "FILMSPOOL_TEST_FLUSH="+dir)
	if out, err := again.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	calls, err := os.ReadFile(log)
	must(t, err)
	flushed, named := strings.Index(string(calls), "sync("), strings.Index(string(calls), "rename")
	if flushed < 0 || named < 0 || flushed > named {
		t.Errorf("the calls were\n%s", calls)
	}
}
