package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestBackupDuringWrites(t *testing.T) {
	s := openWithEntries(t, 300)
	before := s.states(t)
	file := filepath.Join(t.TempDir(), "copy of the queue.db")
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := range 50 {
			s.commit(t, film(fmt.Sprint("meanwhile", i), int64(i+9_000), -1))
		}
	})
	err := s.Backup(t.Context(), file)
	writer.Wait()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("the copy has mode %v, %v", info.Mode(), err)
	}
	if left := files(t, file); len(left) != 1 {
		t.Errorf("left %v", left)
	}
	if err := s.Backup(t.Context(), file); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over an earlier copy: %v", err)
	}
	if err := s.Backup(t.Context(), filepath.Join(filepath.Dir(file), "absent", "copy.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("into no folder: %v", err)
	}
	if s.checkCounters(t); len(s.due(t)) == 0 {
		t.Error("nothing is due in the queue that was copied")
	}

	// What was pending in the copy may have been sent since; all else stands.
	c := open(t, file, s.clock)
	c.checkCounters(t)
	after := c.states(t)
	for event, was := range before {
		want := map[viewing.State]viewing.State{viewing.StatePending: viewing.StateHeld, viewing.StateSending: viewing.StateInDoubt}[was]
		if want == "" {
			want = was
		}
		if after[event] != want {
			t.Errorf("event %s was %s and is %s in the copy", event, was, after[event])
		}
	}
	if ready := c.due(t); len(ready) != 0 || c.InstallationID() != s.InstallationID() {
		t.Errorf("ready %v from a copy", ids(ready))
	}
	notices, err := c.Notices(t.Context())
	if err != nil || len(notices) != 1 || notices[0].What.Args["at"] != entry.Time(noon()) {
		t.Errorf("notices %+v, %v", notices, err)
	}
	did, err := c.order(t.Context(), entry.VerbRelease, entry.Selection{Filter: entry.Filter{Reason: viewing.ReasonRestored}}, false)
	if err != nil || did.Changed == 0 || len(c.due(t)) == 0 {
		t.Errorf("released %+v, %v", did, err)
	}
	if c = c.reopen(t); len(c.due(t)) == 0 {
		t.Error("held once more by a restart")
	}
}
