package daemon

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestWhoMayGiveCommands: the owner of the state folder, and the group of a machine's service,
// whose socket stands in a folder of its own.
func TestWhoMayGiveCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("rights are lists there")
	}
	for folder, want := range map[string]fs.FileMode{"": 0o600, t.TempDir(): 0o660} {
		o := testOptions(t)
		if folder != "" {
			o.Paths.Control = filepath.Join(folder, "s")
		}
		_, done := opened(t, o)
		if info, err := os.Stat(o.Paths.Control); err != nil || info.Mode().Perm() != want {
			t.Errorf("%v, %v; want %o", info, err, want)
		}
		done()
	}
}
