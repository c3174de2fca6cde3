//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestPipesInPlaceOfFiles: what stands in the place of a file of Kodi's and is
// no file is refused in words, and the program ends when it is told to.
func TestPipesInPlaceOfFiles(t *testing.T) {
	refused := "What stands in the place of a file of Kodi's is no file"
	for name, c := range map[string]struct {
		pipe   string // under the source
		config string
		says   string // of the source, in status
	}{
		"library":  {"Database/MyVideos121.db", "[[kodi.libraries]]\nuserdata = %q\n", refused},
		"journal":  {"Database/MyVideos121.db-journal", "[[kodi.libraries]]\nuserdata = %q\n", refused},
		"settings": {"advancedsettings.xml", "[[kodi.libraries]]\nuserdata = %q\n", refused},
		"export":   {"videodb.xml", "[[kodi.nfo]]\npath = %q\n", refused},
		"folder":   {"Database", "[[kodi.libraries]]\nuserdata = %q\n", "The library could not be read"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHousehold(t)
			source := filepath.Join(t.TempDir(), "source") // not in the household, whose files are all read in the end
			pipe := filepath.Join(source, filepath.FromSlash(c.pipe))
			if err := os.MkdirAll(filepath.Dir(pipe), 0o755); err != nil {
				t.Fatal(err)
			}
			if db, journal := strings.CutSuffix(pipe, "-journal"); journal {
				if err := os.WriteFile(db, []byte("SQLite format 3\x00"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			if name == "export" {
				source = pipe
			}
			config := filepath.Join(h.dir, "config.toml")
			if err := os.WriteFile(config, fmt.Appendf(nil, c.config, source), 0o600); err != nil {
				t.Fatal(err)
			}
			h.env = append(h.env, "FILMSPOOL_CONFIG="+config)
			p := h.start("run")
			h.until("a word about the source", func() bool { return strings.Contains(h.try("status", "--json"), c.says) })
			limit := time.AfterFunc(patience, func() {
				t.Errorf("it did not end within %s", patience)
				_ = p.cmd.Process.Kill()
			})
			p.end(syscall.SIGTERM)
			limit.Stop()
			if code := p.cmd.ProcessState.ExitCode(); code != 0 {
				t.Errorf("it ended with %d:\n%s", code, p.log.String())
			}
		})
	}
}
