//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
)

// TestFilesTakenAway harms the files of the running program, lets it take films
// before and after, kills it and starts it again: what was acknowledged is there,
// and the status has a notice. What a file held that was cut off may be gone.
func TestFilesTakenAway(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(db string) error{
		"delete":   os.Remove,
		"truncate": func(db string) error { return os.Truncate(db, 0) },
		"replace": func(db string) error {
			return errors.Join(os.WriteFile(db+".other", []byte("something else"), 0o600), os.Rename(db+".other", db))
		},
		"delete all": func(db string) error {
			return errors.Join(os.Remove(db), os.Remove(db+"-wal"), os.Remove(db+"-shm"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHousehold(t)
			daemon := h.start("run")
			h.do("", "pause")
			begun := time.Now().Add(-300 * time.Hour)
			for id := int64(1); id <= 12; id++ {
				if id == 6 {
					if err := harm(filepath.Join(h.dir, "state", "filmspool.db")); err != nil && !errors.Is(err, fs.ErrNotExist) {
						t.Fatal(err)
					}
				}
				// It may be refused at first, until the file is written anew.
				await(t, "an acknowledgement", func() (int64, error) { return id, h.film(id, begun.Add(time.Duration(id)*24*time.Hour)) },
					func(int64) bool { return true })
			}
			daemon.kill()
			daemon = h.start("run")
			entries, err := h.entries()
			must(t, err)
			there := map[int64]bool{}
			for _, e := range entries {
				there[e.Media.IDs.TMDB] = true
			}
			for id := int64(1); id <= 12; id++ {
				if !there[id] && name != "truncate" {
					t.Errorf("film %d was acknowledged and is gone", id)
				}
			}
			h.until("a notice", func(s control.Status) bool { return len(s.Notices) > 0 })
			daemon.end(os.Interrupt)
			// What was cut is no database that could be searched for the key.
			aside, err := filepath.Glob(filepath.Join(h.dir, "state", "*.damaged-*"))
			must(t, err)
			for _, file := range aside {
				if strings.HasPrefix(filepath.Base(file), "filmspool.db") {
					must(t, os.Remove(file))
				}
			}
		})
	}
}

// TestOpenFoldersAreRefused: where others may write the state folder, neither the
// daemon nor a command uses it.
func TestOpenFoldersAreRefused(t *testing.T) {
	t.Parallel()
	h := newHousehold(t)
	state := filepath.Join(h.dir, "state")
	makeQueue(t, state)
	must(t, os.Chmod(state, 0o777))
	for _, line := range []string{"status", "queue list", "login --key-stdin --base-url https://tracker.example/api/v1", "run"} {
		out, code := h.pipe(secretKey, strings.Fields(line)...)
		if code == exitDone || !strings.Contains(out, "can be changed by other users") {
			t.Errorf("%s: exit %d\n%s", line, code, out)
		}
	}
}
