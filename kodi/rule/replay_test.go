package rule

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// logFile returns the path of a log in testdata.
func logFile(name string) string { return filepath.Join("testdata", "evening", name) }

// readRecorded reads a library that a real Kodi wrote.
func readRecorded(t *testing.T, state string) library.Snapshot {
	t.Helper()
	db, err := library.Find(filepath.Dir(filepath.Dir(kodisim.Recorded(t, state))))
	if err != nil {
		t.Fatal(err)
	}
	snap, err := db.Read(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	snap.Path = "/u/Database/" + filepath.Base(db.Path) // the same in each read
	return snap
}

// TestRealLibrarySnapshots reads snapshots of a real Kodi in New York: marks, plays, a show marked and
// unmarked, back-dated marks; then refreshes, renamed folders, a count of 9 set by a remote, one more
// play and the upgrade to Kodi 21.
func TestRealLibrarySnapshots(t *testing.T) {
	z := Environment{Zone: location(t, "America/New_York")}
	reads := []struct {
		at, state string
		want      []string
	}{
		{"2026-11-21 05:37:00", "before-watched", nil},
		{"2026-11-21 05:50:00", "after-watched", []string{
			"backdated Show Red S01E01 2026-07-16T03:30:00Z",
			"backdated Show Red S00E01 2026-11-01T06:30:00Z", // in the repeated hour
			"backdated Show Red S01E04+Show Red S01E05 2026-11-03T01:00:00Z",
			"backdated Alpha Two (2003) 2026-11-21T02:05:00Z",
			"catch-up Beta (2010) 2026-11-21T05:44:25Z",
			"catch-up Alpha One (1999) 2026-11-21T05:48:05Z", // three plays with only one time in Kodi
		}},
		{"2026-11-21 05:57:00", "upgraded", []string{
			"review Beta (2010) 2026-11-21T05:44:25Z unsure", // 1 to 9, the time unchanged
			"review Alpha One (1999) 2026-11-21T05:55:30Z",   // played, but refreshed before: it could be its NFO
		}},
		{"2026-11-21 05:57:10", "upgraded", nil},
		{"2026-11-21 06:10:00", "after-versions", []string{
			"review Beta (2010) 2026-11-21T05:57:57Z", // 9 to 7 by a remote, and played
			"review Beta (2010) 2026-11-21T05:58:28Z", // the other version of the film
			"catch-up Delta (1994) 2026-11-21T06:05:00Z",
		}},
		{"2026-11-21 06:11:00", "after-versions", nil},
	}
	known := NewMemory("lib")
	labels := map[string]string{}
	for _, r := range reads {
		v := Decide(known, readRecorded(t, r.state), parseTime(t, r.at), z)
		if got := describe(v, labels); !slices.Equal(got, r.want) {
			t.Errorf("%s at %s:\n%s", r.state, r.at, cmp.Diff(r.want, got))
		}
		mustBeValid(t, v)
		known = reload(t, known, v)
	}
}

// logLine is one line of a log of the changes in that library.
type logLine struct {
	at   time.Time
	id   int64
	name string
	gone bool
	file library.File // count and time only
}

// readLog reads the changed rows from lines such as
// "05:44:25.662 ROW CHG 3 Beta (2010).mkv {…} -> {pc:2 lp:2026-11-21 00:44:25 bm:}".
func readLog(t *testing.T, name string) (all []logLine) {
	t.Helper()
	text, err := os.ReadFile(logFile(name))
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
		l := logLine{at: at, id: id, name: m[4], gone: m[2] == "DEL"}
		l.file.PlayCount, _ = strconv.Atoi(m[5]) // NULL is 0
		if m[6] != "NULL" {
			l.file.LastPlayed = m[6]
		}
		all = append(all, l)
	}
	return all
}

// apply applies a change to the files of a library. New rows are moved files; other new rows are outside
// the library.
func (l logLine) apply(files []library.File) []library.File {
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

// replayLog applies a log row by row, and reads the library half a second after each burst of changes.
func replayLog(t *testing.T, snap library.Snapshot, from string, lines []logLine) (got []string) {
	t.Helper()
	z := Environment{Zone: location(t, "America/New_York")}
	known := NewMemory("lib")
	known.Apply(Decide(known, snap, parseTime(t, from), z))
	labels := map[string]string{}
	for i, l := range lines {
		snap.Files = l.apply(snap.Files)
		if i+1 < len(lines) && lines[i+1].at.Sub(l.at) < 500*time.Millisecond {
			continue
		}
		if rested := l.at.Add(-30 * time.Second).UnixMilli(); rested > known.Meta.VerifiedAt {
			known.Meta.VerifiedAt = rested // a poll
		}
		v := Decide(known, snap, l.at.Add(500*time.Millisecond), z)
		got = append(got, describe(v, labels)...)
		known = reload(t, known, v)
	}
	return got
}

// TestRealLibraryLog replays the changes between these snapshots.
func TestRealLibraryLog(t *testing.T) {
	got := replayLog(t, readRecorded(t, "before-watched"), "2026-11-21 05:41:00",
		slices.Concat(readLog(t, "watch2.log"), readLog(t, "watch3.log"), readLog(t, "watch4.log")))
	want := []string{
		"backdated Alpha Two (2003) 2026-11-21T02:05:00Z", // JSON-RPC with an older time
		"live Gamma (2014) 2026-11-21T05:41:15Z",          // marked
		"bulk Show Red S01E02 2026-11-21T05:41:16Z",       // and this a second later
		"bulk Gamma (2014) after all",
		"review Gamma (2014) 2026-11-21T05:41:15Z unsure", // count 2, the time unchanged
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

// TestRealFilmVersionsLog replays the last changes, in a Kodi 21: a count lowered by a remote, a film and
// another version of it played, two films marked.
func TestRealFilmVersionsLog(t *testing.T) {
	got := replayLog(t, readRecorded(t, "upgraded"), "2026-11-21 05:57:00",
		slices.Concat(readLog(t, "watch6.log"), readLog(t, "watch7.log")))
	want := []string{
		"live Beta (2010) 2026-11-21T05:57:57Z",
		"live Beta (2010) 2026-11-21T05:58:28Z", // its other version: 31 s later, of a clip of a minute
		"live Delta (1994) 2026-11-21T06:01:16Z",
		"bulk Zeta (2021) 2026-11-21T06:01:18Z", // marked two seconds after that
		"bulk Delta (1994) after all",
	}
	if !slices.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
}

// TestRealLibraryImport imports a library of a real Kodi, before and after the upgrade, where refreshes
// changed the times.
func TestRealLibraryImport(t *testing.T) {
	z := Environment{Zone: location(t, "America/New_York")}
	for _, tt := range []struct {
		state   string
		want    []string
		earlier int
	}{
		{"after-watched", []string{
			"import Epsilon (1972) 2019-02-03T17:00:00Z day",
			"import Show Red S01E01 2026-07-16T03:30:00Z",
			"import Show Red S00E01 2026-11-01T06:30:00Z", // in the repeated hour
			"import Show Red S01E04+Show Red S01E05 2026-11-03T01:00:00Z",
			"import Alpha Two (2003) 2026-11-21T02:05:00Z",
			"import Beta (2010) 2026-11-21T05:44:25Z",
			"import Alpha One (1999) 2026-11-21T05:48:05Z",
		}, 5},
		{"upgraded", []string{
			"import Epsilon (1972) 2019-02-03T17:00:00Z day", // in a renamed folder
			"import Show Red S01E01 2026-07-16T03:30:00Z",
			"import Show Red S00E01 2026-11-01T06:30:00Z",
			"import Show Red S01E04+Show Red S01E05 2026-11-03T01:00:00Z",
			"import Alpha Two (2003) 2026-11-20T17:00:00Z day", // its NFO has only the day
			"import Beta (2010) 2026-11-21T05:44:25Z",
			"import Alpha One (1999) 2026-11-21T05:55:30Z",
		}, 14},
	} {
		snap, now := readRecorded(t, tt.state), parseTime(t, "2026-11-21 06:11:00")
		known := NewMemory("lib")
		known = reload(t, known, Decide(known, snap, now, z))
		p := NewPlan(known, snap, now, z)
		p.Select(nil, PlanOptions{})
		v := p.Verdict(known, 0, len(p.selected), now)
		mustBeValid(t, v)
		if got := describe(v, map[string]string{}); !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n%s", tt.state, cmp.Diff(tt.want, got))
		}
		items := map[viewing.MediaType]int{}
		for _, w := range p.Viewings() {
			for _, m := range w.Media {
				items[m.Type]++
			}
		}
		if items[viewing.Movie] != 4 || items[viewing.Episode] != 4 || p.Earlier != tt.earlier {
			t.Errorf("%s: %v, %d earlier ones", tt.state, items, p.Earlier)
		}
	}
}
