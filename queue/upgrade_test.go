package queue

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// first writes a database that a program of the first schema made: it has
// delivered entry 1, 2 to 4 are pending and 5 is held.
func first(t *testing.T) string {
	t.Helper()
	packed, err := os.Open("testdata/schema-1.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	old, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a queue.db")
	if err := os.WriteFile(path, old, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// byID are the states of all entries.
func (o *opened) byID(t *testing.T) map[int64]viewing.State {
	t.Helper()
	entries, err := o.Entries(t.Context(), entry.Filter{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	found := map[int64]viewing.State{}
	for _, e := range entries {
		found[e.ID] = e.State
	}
	return found
}

func wantStates(t *testing.T, o *opened, waiting viewing.State) {
	t.Helper()
	want := map[int64]viewing.State{1: viewing.StateDelivered, 2: waiting, 3: waiting, 4: waiting, 5: viewing.StateHeld}
	got := o.byID(t)
	for id, state := range want {
		if got[id] != state {
			t.Errorf("entry %d is %s, want %s", id, got[id], state)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d entries, want %d", len(got), len(want))
	}
	o.checkCounters(t)
}

// copyBefore is the one copy made before path was migrated.
func copyBefore(t *testing.T, path string) string {
	t.Helper()
	made, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*.before-schema-*"))
	if err != nil || len(made) != 1 {
		t.Fatalf("copies %v, %v, want one", made, err)
	}
	return made[0]
}

// A queue of the first schema goes on where it was. The copy of it, opened as
// the queue, sends nothing by itself: it may have been sent since.
func TestAnUpgradeFromTheFirstSchema(t *testing.T) {
	path := first(t)
	s := open(t, path, newClock())
	wantStates(t, s, viewing.StatePending)
	s.stop()
	back := copyBefore(t, path)
	c := open(t, back, newClock())
	wantStates(t, c, viewing.StateHeld)
	if e, err := c.Explain(t.Context(), 2); err != nil || e.Entry.Reason != viewing.ReasonRestored {
		t.Errorf("held as %q, %v", e.Entry.Reason, err)
	}
}

// A program that is too old names the copy that it can read, and how to go
// back to it; what is done so opens.
func TestANewerDatabaseNamesTheWayBack(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("types the words into a Unix shell")
	}
	path := first(t)
	open(t, path, newClock()).stop()
	change(t, path, "PRAGMA user_version = 999")
	back := copyBefore(t, path)
	_, err := Open(t.Context(), Options{Path: path})
	var advised interface{ Hint() string }
	if !errors.Is(err, disk.ErrNewer) || !errors.As(err, &advised) {
		t.Fatalf("open: %v", err)
	}
	hint := advised.Hint()
	if !strings.Contains(hint, filepath.Base(back)) || !strings.Contains(hint, "newer version") {
		t.Fatalf("hint: %s", hint)
	}
	_, typed, _ := strings.Cut(hint, ": ")
	if out, err := exec.CommandContext(t.Context(), "sh", "-c", typed).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", typed, err, out)
	}
	c := open(t, path, newClock())
	wantStates(t, c, viewing.StateHeld)
	c.stop()

	change(t, path, "PRAGMA user_version = 999")
	if err := os.Rename(copyBefore(t, path), filepath.Join(filepath.Dir(path), "elsewhere")); err != nil {
		t.Fatal(err)
	}
	if _, err = Open(t.Context(), Options{Path: path}); !errors.As(err, &advised) || strings.Contains(advised.Hint(), "mv ") {
		t.Errorf("without a copy: %v", err)
	}
}
