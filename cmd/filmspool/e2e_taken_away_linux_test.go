package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue"
)

// takenAwayEnv names how many rounds [TestFilesTakenAway] goes.
const takenAwayEnv = "FILMSPOOL_TAKEN_AWAY"

// TestFilesTakenAway harms the files of the real program, lets it take events
// meanwhile, kills it and starts it again. What was acknowledged is there.
func TestFilesTakenAway(t *testing.T) {
	rounds := 3
	if text := os.Getenv(takenAwayEnv); text != "" {
		if _, err := fmt.Sscan(text, &rounds); err != nil {
			t.Fatal(err)
		}
	}
	harms := map[string]func(db string) error{
		"delete":       os.Remove,
		"truncate":     func(db string) error { return os.Truncate(db, 0) },
		"replace":      func(db string) error { return overwriteByRename(db, []byte("something else")) },
		"delete log":   func(db string) error { return os.Remove(db + "-wal") },
		"truncate log": func(db string) error { return os.Truncate(db+"-wal", 0) },
		"delete all": func(db string) error {
			return errors.Join(os.Remove(db), os.Remove(db+"-wal"), os.Remove(db+"-shm"))
		},
	}
	for name, harm := range harms {
		t.Run(name, func(t *testing.T) {
			i := newIll(t, "")
			acked, refused, missing := map[int64]bool{}, 0, 0
			for round := range rounds {
				daemon := i.start("run")
				if round == 0 {
					i.do("", "pause")
				}
				at := rand.IntN(10)
				for n := range 10 + rand.IntN(5) {
					if n == at {
						if err := harm(filepath.Join(i.state, "filmspool.db")); err != nil && !errors.Is(err, os.ErrNotExist) {
							t.Fatal(err)
						}
					}
					film := int64(round*100 + n + 1)
					if err := i.command(t.Context(), "add", "movie", fmt.Sprint(film)).Run(); err != nil {
						refused++
						continue
					}
					acked[film] = true
				}
				daemon.kill()
				missing = i.missing(acked)
			}
			t.Logf("%d acknowledged, %d refused, %d missing", len(acked), refused, missing)
			if cut := strings.HasPrefix(name, "truncate"); missing > 0 && !cut || len(acked) < 10*rounds/2 {
				t.Errorf("%d of %d acknowledged films are missing", missing, len(acked))
			}
			i.start("run").end(os.Interrupt)
			daemon := i.start("run")
			if out := i.try("status"); !strings.Contains(out, "notice 1") {
				t.Errorf("nothing is told: %s", out)
			}
			daemon.end(os.Interrupt)
			i.removeAside() // what was cut is no database that could be searched for the key
		})
	}
}

// missing starts the program again after a kill and counts films that were
// acknowledged and are not there.
func (i *ill) missing(acked map[int64]bool) (n int) {
	i.t.Helper()
	daemon := i.start("run")
	var entries []queue.Entry
	if err := json.Unmarshal([]byte(i.do("", "queue", "list", "--json", "--limit", "10000")), &entries); err != nil {
		i.t.Fatal(err)
	}
	daemon.kill()
	there := map[int64]bool{}
	for _, e := range entries {
		if e.Media != nil {
			there[e.Media.IDs.TMDB] = true
		}
	}
	for film := range acked {
		if !there[film] {
			n++
		}
	}
	return n
}

// removeAside removes what was set aside.
func (i *ill) removeAside() {
	i.t.Helper()
	aside, err := filepath.Glob(filepath.Join(i.state, "*.damaged-*"))
	for _, name := range aside {
		err = errors.Join(err, os.Remove(name))
	}
	if err != nil {
		i.t.Error(err)
	}
}

// overwriteByRename puts another file in place of one.
func overwriteByRename(name string, content []byte) error {
	return errors.Join(os.WriteFile(name+".other", content, 0o600), os.Rename(name+".other", name))
}
