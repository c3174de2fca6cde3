package kodi

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

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
			"review Beta (2010) 2026-11-21T05:44:25Z",      // 1 to 9, the time unmoved
			"review Alpha One (1999) 2026-11-21T05:55:30Z", // played, but refreshed before: it could be its NFO
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

// logged is one line of a log that was taken while that evening happened.
type logged struct {
	at   time.Time
	id   int64
	name string
	gone bool
	file library.File // count and time only
}

// readLog reads the rows that changed, in the form
// "05:44:25.662 ROW CHG 3 Beta (2010).mkv {…} -> {pc:2 lp:2026-11-21 00:44:25 bm:}".
func readLog(t *testing.T, name string) (all []logged) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(realKodi(t), "event-logs", name))
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^(\S+) ROW (CHG|NEW|DEL) (\d+) (.*?) (?:\{[^}]*\} -> )?\{pc:(\S+) lp:(.*?) bm:`)
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		at, err := time.Parse("2006-01-02 15:04:05.000", "2026-11-21 "+m[1])
		if err != nil {
			t.Fatal(err)
		}
		id, _ := strconv.ParseInt(m[3], 10, 64)
		l := logged{at: at, id: id, name: m[4], gone: m[2] == "DEL"}
		l.file.PlayCount, _ = strconv.Atoi(m[5]) // NULL is 0
		if m[6] != "NULL" {
			l.file.LastPlayed = m[6]
		}
		all = append(all, l)
	}
	return all
}

// apply changes a library as a line says. Rows that are new there are files
// that moved; other new rows lie outside of the library.
func (l logged) apply(files []library.File) []library.File {
	files = slices.Clone(files)
	at := slices.IndexFunc(files, func(f library.File) bool { return f.ID == l.id })
	switch {
	case l.gone && at >= 0:
		return slices.Delete(files, at, at+1)
	case l.gone:
		return files
	case at < 0:
		from := slices.IndexFunc(files, func(f library.File) bool { return filepath.Base(f.Path) == l.name })
		if from < 0 {
			return files
		}
		moved := files[from]
		moved.ID, moved.Path = l.id, "/moved/"+l.name
		files, at = append(files, moved), len(files)
	}
	files[at].PlayCount, files[at].LastPlayed = l.file.PlayCount, l.file.LastPlayed
	return files
}

// The same evening as it happened, row by row, with the importer running: each
// run of changes is read half a second after its end.
func TestRealEveningLive(t *testing.T) {
	z := zones{machine: location(t, "America/New_York")}
	snap := readReal(t, "MyVideos121.before-watched.db", "MyVideos121.db")
	lines := slices.Concat(readLog(t, "watch2.log"), readLog(t, "watch3.log"), readLog(t, "watch4.log"))
	known := &memory{meta: meta{ID: "lib"}, files: map[string]record{}}
	known.apply(decide(known, snap, moment(t, "2026-11-21 05:41:00"), z))
	labels := map[string]string{}
	var got []string
	for i, l := range lines {
		snap.Files = l.apply(snap.Files)
		if i+1 < len(lines) && lines[i+1].at.Sub(l.at) < 500*time.Millisecond {
			continue
		}
		if rested := l.at.Add(-30 * time.Second).UnixMilli(); rested > known.meta.GoodAt {
			known.meta.GoodAt = rested // a poll
		}
		v := decide(known, snap, l.at.Add(500*time.Millisecond), z)
		got = append(got, tell(v, labels)...)
		known = reload(t, known, v)
	}
	want := []string{
		"backdated Alpha Two (2003) 2026-11-21T02:05:00Z", // JSON-RPC with an older time
		"live Gamma (2014) 2026-11-21T05:41:15Z",          // marked
		"bulk Show Red S01E02 2026-11-21T05:41:16Z",       // and this a second later
		"review Gamma (2014) 2026-11-21T05:41:15Z",        // count 2, the time unmoved
		"live Show Red S01E04+Show Red S01E05 2026-11-21T05:41:20Z",
		"live Beta (2010) 2026-11-21T05:43:02Z",
		"drop Gamma (2014)", // unmarked at 05:41:18
		"drop Gamma (2014)",
		"live Alpha One (1999) 2026-11-21T05:44:55Z",
		"live Alpha One (1999) 2026-11-21T05:46:46Z = Alpha One (1999)", // a clip of 4 minutes
		"live Show Red S01E04+Show Red S01E05 2026-11-21T05:47:15Z",
		"live Alpha One (1999) 2026-11-21T05:48:05Z = Alpha One (1999)",
		"bulk Show Red S00E01 2026-11-21T05:48:59Z", // the show marked, and unmarked
		"bulk Show Red S01E01 2026-11-21T05:48:59Z",
		"bulk Show Red S01E03 2026-11-21T05:48:59Z",
		"review Show Red S01E01 2026-07-16T03:30:00Z", // JSON-RPC with times older than those of the marks
		"review Show Red S00E01 2026-11-01T06:30:00Z",
		"review Show Red S01E04+Show Red S01E05 2026-11-03T01:00:00Z",
		"drop Show Red S01E01",
		"drop Show Red S00E01",
		"drop Show Red S01E02",
		"drop Show Red S01E03",
		"drop Show Red S01E04+Show Red S01E05",
		"drop Show Red S01E04+Show Red S01E05",
		"live Alpha One (1999) 2026-11-21T05:55:30Z", // after a refresh, a rename and a clean
	}
	slices.Sort(want) // several rows of one transaction have no order
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
}
