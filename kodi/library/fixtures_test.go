package library_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// describe returns a snapshot as lines: id, name, count, time, running time, items.
func describe(s library.Snapshot) string {
	var b strings.Builder
	for _, f := range s.Files {
		fmt.Fprintf(&b, "%d %s | %d %s | %v", f.ID, f.Path[strings.LastIndex(f.Path, "/")+1:], f.PlayCount, f.LastPlayed, f.Duration)
		if !f.InSource {
			b.WriteString(" | elsewhere")
		}
		for _, i := range f.Items {
			fmt.Fprintf(&b, " | %s %d %s%s", i.Media.Type, i.KodiID, i.Media.Label(), identifiers(i.Media.IDs))
			if i.Media.Show != nil {
				b.WriteString(" of" + identifiers(i.Media.Show.IDs))
			}
			if i.Extra {
				b.WriteString(" (extra)")
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func identifiers(ids viewing.IDs) string {
	var text string
	if ids.TMDB > 0 {
		text += fmt.Sprint(" tmdb:", ids.TMDB)
	}
	if ids.TVDB > 0 {
		text += fmt.Sprint(" tvdb:", ids.TVDB)
	}
	if ids.IMDB != "" {
		text += " " + ids.IMDB
	}
	return text
}

// at returns the database of a library file.
func at(path string) library.Database {
	var d library.Database
	_, _ = fmt.Sscanf(filepath.Base(path), "MyVideos%d.db", &d.Version)
	d.Path = path
	return d
}

func read(t *testing.T, path string) library.Snapshot {
	t.Helper()
	s, err := at(path).Read(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Files {
		for _, i := range f.Items {
			v := viewing.Event{Kind: viewing.KindWatchlist, EventID: "x", Media: []viewing.Media{i.Media}}
			for _, err := range flatten(v.Validate()) {
				if !strings.Contains(err.Error(), "media.type") { // a watchlist rejects episodes, but validates their fields
					t.Errorf("file %d holds an invalid item: %v", f.ID, err)
				}
			}
		}
	}
	return s
}

func flatten(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err != nil {
		return []error{err}
	}
	return nil
}

// compareFiles compares a snapshot with expected lines.
func compareFiles(t *testing.T, want string, got library.Snapshot) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(describe(got))); diff != "" {
		t.Error("wrong files (-want +got):\n" + diff)
	}
}

// TestReadAfterWatched reads a library of a real Kodi 20.1 after playbacks and marks. Row 16 was played from
// outside the sources and row 17 is a folder: both are left out.
func TestReadAfterWatched(t *testing.T) {
	got := read(t, kodisim.Recorded(t, "after-watched"))
	compareFiles(t, `
1 Alpha One (1999).mkv | 3 2026-11-21 00:48:05 | 4m0s | movie 1 Alpha One (1999) tmdb:603 tt0133093
2 Alpha Two (2003).mkv | 1 2026-11-20 21:05:00 | 20s | movie 2 Alpha Two (2003) tmdb:604 tt0234215
3 Beta (2010).mkv | 1 2026-11-21 00:44:25 | 20s | movie 3 Beta (2010) tmdb:27205 tt1375666
4 Beta (2010) - copy.mkv | 0  | 20s | movie 4 Beta (2010) tmdb:27205 tt1375666
5 Delta (1994).mkv | 0  | 20s | movie 5 Delta (1994) tt0111161
6 Epsilon (1972).mkv | 3 2019-02-03 00:00:00 | 20s | movie 6 Epsilon (1972) tmdb:238
7 Gamma (2014).mkv | 0 2026-11-21 00:41:15 | 20s | movie 7 Gamma (2014) tmdb:157336 tt0816692
8 Zeta (2021).mkv | 0  | 20s | movie 8 Zeta (2021)
9 Show Blue S01E01.mkv | 0  | 20s | episode 1 Show Blue S01E01 of tvdb:121361
10 Show Blue S01E02.mkv | 0  | 20s | episode 2 Show Blue S01E02 of tvdb:121361
11 Show Red S00E01.mkv | 1 2026-11-01 01:30:00 | 20s | episode 3 Show Red S00E01 tmdb:61897 tvdb:349233 of tmdb:1396 tvdb:81189 tt0903747
12 Show Red S01E01.mkv | 2 2026-07-15 23:30:00 | 4m0s | episode 4 Show Red S01E01 tmdb:62085 tvdb:349333 of tmdb:1396 tvdb:81189 tt0903747
13 Show Red S01E02.mkv | 0  | 20s | episode 5 Show Red S01E02 tmdb:62086 tvdb:349334 of tmdb:1396 tvdb:81189 tt0903747
14 Show Red S01E03.mkv | 0  | 20s | episode 6 Show Red S01E03 tmdb:62087 tvdb:349335 of tmdb:1396 tvdb:81189 tt0903747
15 Show Red S01E04E05.mkv | 1 2026-11-02 20:00:00 | 1m0s | episode 7 Show Red S01E04 tmdb:62088 of tmdb:1396 tvdb:81189 tt0903747 | episode 8 Show Red S01E05 tmdb:62089 of tmdb:1396 tvdb:81189 tt0903747
`, got)
}

// TestReadMigrated reads a library that a real Kodi 21.2 upgraded to schema 131, after refreshes and renames.
func TestReadMigrated(t *testing.T) {
	got := read(t, kodisim.Recorded(t, "upgraded"))
	if got.Version != 131 {
		t.Errorf("got %d", got.Version)
	}
	compareFiles(t, `
1 Alpha One (1999).mkv | 4 2026-11-21 00:55:30 | 4m0s | movie 9 Alpha One (1999) tmdb:603 tt0133093
2 Alpha Two (2003).mkv | 1 2026-11-20 00:00:00 | 20s | movie 10 Alpha Two (2003) tmdb:604 tt0234215
3 Beta (2010).mkv | 9 2026-11-21 00:44:25 | 20s | movie 3 Beta (2010) tmdb:27205 tt1375666
4 Beta (2010) - copy.mkv | 0  | 20s | movie 4 Beta (2010) tmdb:27205 tt1375666
5 Delta (1994).mkv | 0  | 20s | movie 5 Delta (1994) tt0111161
8 Zeta (2021).mkv | 0  | 20s | movie 8 Zeta (2021)
9 Show Blue S01E01.mkv | 0  | 20s | episode 1 Show Blue S01E01 of tvdb:121361
10 Show Blue S01E02.mkv | 0  | 20s | episode 2 Show Blue S01E02 of tvdb:121361
11 Show Red S00E01.mkv | 1 2026-11-01 01:30:00 | 20s | episode 3 Show Red S00E01 tmdb:61897 tvdb:349233 of tmdb:1396 tvdb:81189 tt0903747
12 Show Red S01E01.mkv | 2 2026-07-15 23:30:00 | 4m0s | episode 4 Show Red S01E01 tmdb:62085 tvdb:349333 of tmdb:1396 tvdb:81189 tt0903747
13 Show Red S01E02.mkv | 0  | 20s | episode 5 Show Red S01E02 tmdb:62086 tvdb:349334 of tmdb:1396 tvdb:81189 tt0903747
14 Show Red S01E03.mkv | 0  | 20s | episode 6 Show Red S01E03 tmdb:62087 tvdb:349335 of tmdb:1396 tvdb:81189 tt0903747
15 Show Red S01E04E05.mkv | 1 2026-11-02 20:00:00 | 1m0s | episode 7 Show Red S01E04 tmdb:62088 of tmdb:1396 tvdb:81189 tt0903747 | episode 8 Show Red S01E05 tmdb:62089 of tmdb:1396 tvdb:81189 tt0903747
18 Epsilon (1972).mkv | 3 2019-02-03 00:00:00 | 20s | movie 11 Epsilon (1972) tmdb:238
19 Gamma (2014).mkv | 0 2026-11-21 00:00:00 | 20s | movie 12 Gamma (2014) tmdb:157336 tt0816692
`, got)
}

// TestReadWAL reads a Kodi 21 library that an add-on switched to WAL mode: the play of file 5 is only in
// the -wal file. Files 3 and 4 are two versions of one film.
func TestReadWAL(t *testing.T) {
	path := kodisim.Recorded(t, "wal")
	want := map[int64]string{
		3: "3 Beta (2010).mkv | 8 2026-11-21 00:57:57 | 20s | movie 3 Beta (2010) tmdb:27205 tt1375666",
		4: "4 Beta (2010) - copy.mkv | 1 2026-11-21 00:58:28 | 20s | movie 3 Beta (2010) tmdb:27205 tt1375666",
		5: "5 Delta (1994).mkv | 1 2026-11-21 01:05:00 | 20s | movie 5 Delta (1994) tt0111161",
	}
	for round := range 2 { // the second round finds the files that the first one created
		got := read(t, path)
		if len(got.Files) != 15 {
			t.Errorf("round %d: %d files", round, len(got.Files))
		}
		for _, f := range got.Files {
			if line, ok := want[f.ID]; ok {
				compareFiles(t, line, library.Snapshot{Files: []library.File{f}})
			}
		}
	}
}

// TestReadHotJournal has a valid hot journal, made by hand from a real file.
func TestReadHotJournal(t *testing.T) {
	path := kodisim.Recorded(t, "hot-journal")
	before := listing(t, filepath.Dir(path))
	if _, err := at(path).Read(context.Background(), nil); !errors.Is(err, library.ErrHotJournal) {
		t.Errorf("got %v, want ErrHotJournal", err)
	}
	if diff := cmp.Diff(before, listing(t, filepath.Dir(path))); diff != "" {
		t.Error("the read changed the folder:\n" + diff)
	}
}

// listing returns the files of a folder, name to content.
func listing(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(content)
	}
	return all
}
