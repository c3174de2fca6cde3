package kodi

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/kodi/library"
)

// realKodi is the folder of libraries that a real Kodi wrote, beside the
// repository; the test is skipped without it.
func realKodi(t *testing.T) string {
	t.Helper()
	folder, err := filepath.Abs("../../shared/kodi")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no libraries of a real Kodi beside the repository")
	}
	return folder
}

// readReal reads a library under the name that Kodi would give it.
func readReal(t *testing.T, file, name string) library.Snapshot {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(realKodi(t), file))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	snap, err := library.Read(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// An evening at a real Kodi in New York: marks, plays, a show marked and
// unmarked, back-dated marks; then refreshes, renamed folders, a count of 9
// set by a remote, one more play and the upgrade to Kodi 21.
func TestRealEvening(t *testing.T) {
	z := zones{machine: location(t, "America/New_York")}
	readings := []struct {
		at, file, name string
		want           []string
	}{
		{"2026-11-21 05:37:00", "MyVideos121.before-watched.db", "MyVideos121.db", nil},
		{"2026-11-21 05:50:00", "MyVideos121.after-watched.db", "MyVideos121.db", []string{
			"backdated Show Red S01E01 2026-07-16T03:30:00Z",
			"backdated Show Red S00E01 2026-11-01T06:30:00Z", // in the repeated hour
			"backdated Show Red S01E04+Show Red S01E05 2026-11-03T01:00:00Z",
			"backdated Alpha Two (2003) 2026-11-21T02:05:00Z",
			"catch-up Beta (2010) 2026-11-21T05:44:25Z",
			"catch-up Alpha One (1999) 2026-11-21T05:48:05Z", // three plays, of which Kodi kept one time
		}},
		{"2026-11-21 06:10:00", "MyVideos131.migrated-from-121.db", "MyVideos131.db", []string{
			"review Beta (2010) 2026-11-21T05:44:25Z", // 1 to 9, the time unmoved
			"catch-up Alpha One (1999) 2026-11-21T05:55:30Z",
		}},
		{"2026-11-21 06:11:00", "MyVideos131.migrated-from-121.db", "MyVideos131.db", nil},
	}
	known := &memory{meta: meta{ID: "lib"}, files: map[string]record{}}
	labels := map[string]string{}
	for _, r := range readings {
		v := decide(known, readReal(t, r.file, r.name), moment(t, r.at), z)
		if got := tell(v, labels); !slices.Equal(got, r.want) {
			t.Errorf("%s at %s:\n%s", r.file, r.at, cmp.Diff(r.want, got))
		}
		mustBeValid(t, v)
		known = reload(t, known, v)
	}
}
