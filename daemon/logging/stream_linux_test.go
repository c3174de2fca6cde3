package logging

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A shell in a terminal that systemd started has the variable of that one.
func TestJournalled(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "stream"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var stat syscall.Stat_t
	if err := syscall.Fstat(int(f.Fd()), &stat); err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]bool{"": false, "8:1": false, fmt.Sprintf("%d:%d", stat.Dev, stat.Ino): true} {
		if got := Journalled(f, func(string) string { return value }); got != want {
			t.Errorf("%q: %v", value, got)
		}
	}
}
