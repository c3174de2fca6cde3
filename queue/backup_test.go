package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

func TestBackupWhileEverythingGoesOn(t *testing.T) {
	s := peopled(t, 300)
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
	if s.checkCounters(t); len(s.lease(t)) == 0 {
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
	if leased := c.lease(t); len(leased) != 0 || c.InstallationID() != s.InstallationID() {
		t.Errorf("leased %v from a copy", ids(leased))
	}
	notices, err := c.Notices(t.Context())
	if err != nil || len(notices) != 1 || !strings.Contains(notices[0].Text, "2026-03-01T12:00:00Z") {
		t.Errorf("notices %+v, %v", notices, err)
	}
	did, err := c.ReleaseHeld(t.Context(), Selection{Filter: Filter{Reason: viewing.ReasonRestored}}, false)
	if err != nil || did.Changed == 0 || len(c.lease(t)) == 0 {
		t.Errorf("released %+v, %v", did, err)
	}
	if c = c.reopen(t); len(c.lease(t)) == 0 {
		t.Error("held once more by a restart")
	}
}

// Every migration is preceded by a copy; the last two are kept.
func TestABackupBeforeAMigration(t *testing.T) {
	s := peopled(t, 20)
	s.stop()
	scripts, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	last := len(scripts)
	for n := range 3 {
		scripts = append(scripts, fmt.Sprintf("CREATE TABLE later%d (x INTEGER) STRICT;", n))
		s.clock.advance(time.Second)
		again := &Store{path: s.path, now: s.clock.now, logger: s.logger}
		if err := again.start(t.Context(), scripts); err != nil {
			t.Fatal(err)
		}
		if err := again.disclose(); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := filepath.Glob(s.path + ".before-schema-*")
	want := []string{
		fmt.Sprintf("%s.before-schema-%d-20260301T120002Z", s.path, last+2),
		fmt.Sprintf("%s.before-schema-%d-20260301T120003Z", s.path, last+3),
	}
	if err != nil || !slices.Equal(kept, want) {
		t.Fatalf("kept %v, %v, want %v", kept, err, want)
	}
	change(t, kept[0], "SELECT x FROM later0", "PRAGMA user_version")
	if err := os.Rename(kept[0], filepath.Join(filepath.Dir(s.path), "back.db")); err != nil {
		t.Fatal(err)
	}
}

// A copy that cannot be made stops the migration, and not a byte is changed.
func TestNoMigrationWithoutABackup(t *testing.T) {
	s := peopled(t, 5)
	s.stop()
	scripts, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	scripts = append(scripts, "CREATE TABLE later (x INTEGER) STRICT;")
	again := &Store{path: s.path, now: func() time.Time { return noon() }, logger: s.logger}
	if err := os.MkdirAll(filepath.Join(s.path+halfCopy, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	err = again.start(t.Context(), scripts)
	if err := errors.Join(again.disclose()); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(err, ErrStorage) {
		t.Errorf("migrated without a copy: %v", err)
	}
	if s = open(t, s.path, s.clock); len(s.states(t)) != 5 {
		t.Error("the database was changed")
	}
}

// A start within the second of an earlier one gives its copy another name. What
// a crash has left of a copy goes, and is none of the two that are kept.
func TestHalfCopiesGoAndNamesDiffer(t *testing.T) {
	s := peopled(t, 20)
	s.stop()
	scripts, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	last := len(scripts)
	name := func(schema, second int) string {
		return fmt.Sprintf("%s.before-schema-%d-20260301T1200%02dZ", s.path, schema, second)
	}
	migrated := func() {
		t.Helper()
		scripts = append(scripts, fmt.Sprintf("CREATE TABLE later%d (x INTEGER) STRICT;", len(scripts)))
		again := &Store{path: s.path, now: s.clock.now, logger: s.logger}
		if err := errors.Join(again.start(t.Context(), scripts), again.disclose()); err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, half := range []string{name(last+1, 0), name(last+1, 0) + "-journal", name(last, 30), s.path + halfCopy} {
		if err := os.WriteFile(half, content[:len(content)/2], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(name(last, 31), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	migrated()
	change(t, s.path, fmt.Sprintf("DROP TABLE later%d", last), fmt.Sprintf("PRAGMA user_version = %d", last))
	scripts = scripts[:last] // the migration is undone, as by a crash
	migrated()
	kept, err := filepath.Glob(s.path + ".*")
	want := []string{name(last+1, 0), name(last+1, 1)}
	if err != nil || !slices.Equal(kept, want) {
		t.Errorf("kept %v, %v, want %v", kept, err, want)
	}
	for _, file := range kept {
		if !isCopy(t.Context(), file) {
			t.Errorf("%s is no whole copy", file)
		}
	}
}
