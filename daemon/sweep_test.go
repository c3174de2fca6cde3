package daemon

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAStartSweeps what a process that was killed while it wrote has left, and nothing else.
func TestAStartSweeps(t *testing.T) {
	o := testOptions(t)
	o.Paths.File = filepath.Join(t.TempDir(), "config.toml")
	in := func(folder string, names ...string) (all []string) {
		for _, name := range names {
			file := filepath.Join(folder, name)
			must(t, os.MkdirAll(filepath.Dir(file), 0o700))
			must(t, os.WriteFile(file, nil, 0o600))
			all = append(all, file)
		}
		return all
	}
	left := in(o.Paths.State, ".sessions.json.123", "keys/.default.45", ".copy-6/copy.db", ".settings.toml.78")
	mine := append(in(o.Paths.State, ".hidden", "pages.2", ".filmspool.db-litestream/x"), in(filepath.Dir(o.Paths.File), ".other.toml.9")...)
	opened(t, o)
	for there, files := range map[bool][]string{false: left, true: mine} {
		for _, file := range files {
			if _, err := os.Stat(file); (err == nil) != there {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}
