package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestOtherProcessors runs the programs that a release has for other
// processors, as far as qemu's emulators go.
func TestOtherProcessors(t *testing.T) {
	programs, binary := os.Getenv("FILMSPOOL_PROGRAMS"), os.Getenv("FILMSPOOL_BINARY")
	if programs == "" || binary == "" {
		t.Skip("FILMSPOOL_PROGRAMS or FILMSPOOL_BINARY is not set; see the package comment")
	}
	for _, p := range []struct {
		platform, emulator string
		must               bool // there has to be a program
	}{
		{"linux-arm64", "qemu-aarch64", true},
		{"linux-armv7", "qemu-arm", true},
		{"linux-riscv64", "qemu-riscv64", true},
		{"linux-armv6", "qemu-arm", false},
		{"linux-loong64", "qemu-loongarch64", false},
		{"linux-386", "", false}, // qemu-i386 breaks Go's signals; an amd64 runs it by itself
	} {
		found, err := filepath.Glob(filepath.Join(programs, "filmspool-*-"+p.platform, "filmspool"))
		if err != nil || len(found) > 1 || p.must && len(found) == 0 {
			t.Fatalf("programs for %s: %v, %v", p.platform, found, err)
		}
		if len(found) == 0 || p.emulator == "" && runtime.GOARCH != "amd64" {
			t.Logf("nothing to run for %s", p.platform)
			continue
		}
		t.Run(p.platform, func(t *testing.T) {
			l := &local{t: t, words: []string{found[0]}, env: folders(t.TempDir()), tracker: beginTracker(t, binary)}
			if p.emulator != "" {
				emulator, err := exec.LookPath(p.emulator)
				if err != nil {
					t.Fatalf("%v; Debian has it in qemu-user", err)
				}
				l.words = []string{emulator, found[0]}
			}
			l.smoke()
		})
	}
}

// smoke shows that SQLite, the network and the clock work there.
func (l *local) smoke() {
	l.t.Helper()
	if out := l.run("", "version"); !strings.HasPrefix(out, "filmspool ") {
		l.t.Errorf("version: %s", out)
	}
	l.start("run")
	l.run(secretKey+"\n", "login", "--key-stdin", "--base-url", l.tracker.origin+"/api/v1")
	l.run("", "add", "movie", "603", "--json")
	l.tracker.delivered(l.t, 1)
	l.settled() // or the kill could come before the answer is on disk, which is doubt
	l.end(syscall.SIGKILL)
	l.start("run")
	if got := l.entries(); !slices.Equal(got, []string{"delivered"}) {
		l.t.Errorf("after a kill: %v", got)
	}
	l.run("", "add", "episode", "--show", "1396", "--season", "1", "--episode", "2", "--json")
	l.tracker.delivered(l.t, 2) // and the first not twice
	if code := l.end(syscall.SIGTERM); code != 0 {
		l.t.Errorf("asked to end, it ended with %d", code)
	}
}
