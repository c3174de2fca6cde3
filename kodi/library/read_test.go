package library_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite"

	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// testLibrary is a library file that tests can also change by SQL.
type testLibrary struct {
	*kodisim.Sim
	t  testing.TB
	db *sql.DB
}

func newTestLibrary(t testing.TB, version int) testLibrary {
	t.Helper()
	sim := kodisim.Create(t.TempDir(), version)
	t.Cleanup(func() { _ = sim.Close() })
	db, err := sql.Open("sqlite", sim.Path)
	ok(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return testLibrary{sim, t, db}
}

func (s testLibrary) exec(query string, args ...any) {
	s.t.Helper()
	_, err := s.db.Exec(query, args...)
	ok(s.t, err)
}

// film adds a film of 100 minutes.
func (s testLibrary) film(title string, ids viewing.IDs) kodisim.Ref {
	s.t.Helper()
	path := fmt.Sprintf("/media/films/%s (1999)/%[1]s (1999).mkv", title)
	return s.AddFilm(kodisim.Film{Title: title, Year: 1999, Path: path, IDs: ids, Duration: 100 * time.Minute})
}

// version adds a file to a film; an extra is a trailer or the like.
func (s testLibrary) version(film kodisim.Ref, address string, extra bool) {
	s.exec(`insert into videoversion values (?, ?, 'movie', ?, 40407)`, s.File(address), film.ID, extra)
}

// renumber copies the library to a file with another schema number in its name and version table.
func (s testLibrary) renumber(version int) string {
	s.t.Helper()
	s.exec(`update version set idVersion = ?`, version)
	path := filepath.Join(s.t.TempDir(), fmt.Sprintf("MyVideos%d.db", version))
	s.exec(`vacuum into ?`, path)
	return path
}

// TestIdentify: of several identifiers in a namespace the default one is used, else the first.
func TestIdentify(t *testing.T) {
	for given, want := range map[string]string{
		"tmdb=603 imdb=tt0133093 tvdb=169": " tmdb:603 tvdb:169 tt0133093",
		"":                                 "",
		"unknown=603":                      "",
		"tmdb=603x tvdb=-5 imdb=0133093":   "",
		"tmdb=tt0133093":                   "",
		"imdb=ttx":                         "",
		"TMDB=603":                         "",
		"tmdb=0":                           "",
		"tmdb=9007199254740992":            "", // too large
		"tmdb=9007199254740991":            " tmdb:9007199254740991",
		"tmdb=603 tmdb=604*":               " tmdb:604",
		"tmdb=603 tmdb=?*":                 " tmdb:603",
		"imdb=tt1 tmdb=603 tmdb=604":       " tmdb:603 tt1",
	} {
		var all []library.Identifier
		for word := range strings.FieldsSeq(given) {
			namespace, value, _ := strings.Cut(word, "=")
			value, standard := strings.CutSuffix(value, "*")
			all = append(all, library.Identifier{Namespace: namespace, Value: value, Default: standard})
		}
		if got := identifiers(library.Identify(all)); got != want {
			t.Errorf("%s: got %q, want %q", given, got, want)
		}
	}
}

func TestReadEpisodes(t *testing.T) {
	s := newTestLibrary(t, 121)
	show := s.AddShow("Show Red", "2008-01-20", viewing.IDs{TMDB: 1396, TVDB: 81189})
	add := func(episodes ...kodisim.Episode) { s.AddEpisodes(show, "Show Red", time.Hour, episodes...) }
	add(kodisim.Episode{Season: 0, Number: 1})
	add(kodisim.Episode{Season: 1, Number: 2, IDs: viewing.IDs{TMDB: 62086}}, kodisim.Episode{Season: 1, Number: 1, IDs: viewing.IDs{TMDB: 62085}})
	add(kodisim.Episode{Season: 2, Number: 1, IDs: viewing.IDs{TMDB: 1396, TVDB: 81189}}) // the show's ids
	add(kodisim.Episode{Season: 3, Number: 1})
	add(kodisim.Episode{Season: 4, Number: 1, IDs: viewing.IDs{TMDB: 77}}) // some scrapers give all the same
	add(kodisim.Episode{Season: 4, Number: 2, IDs: viewing.IDs{TMDB: 77}})
	s.exec(`update episode set c12 = '', c13 = 'x' where c12 = '3'`)
	compareFiles(t, `
1 Show Red S00E01.mkv | 0  | 1h0m0s | episode 1 Show Red S00E01 of tmdb:1396 tvdb:81189
2 Show Red S01E02E01.mkv | 0  | 1h0m0s | episode 3 Show Red S01E01 tmdb:62085 of tmdb:1396 tvdb:81189 | episode 2 Show Red S01E02 tmdb:62086 of tmdb:1396 tvdb:81189
3 Show Red S02E01.mkv | 0  | 1h0m0s | episode 4 Show Red S02E01 of tmdb:1396 tvdb:81189
4 Show Red S03E01.mkv | 0  | 1h0m0s | episode 5 Show Red of tmdb:1396 tvdb:81189
5 Show Red S04E01.mkv | 0  | 1h0m0s | episode 6 Show Red S04E01 of tmdb:1396 tvdb:81189
6 Show Red S04E02.mkv | 0  | 1h0m0s | episode 7 Show Red S04E02 of tmdb:1396 tvdb:81189
`, read(t, s.Path))
}

func TestReadFilesWithoutItem(t *testing.T) {
	s := newTestLibrary(t, 121)
	s.film("Alpha One", viewing.IDs{TMDB: 603})
	when := time.Date(2026, 3, 1, 20, 5, 0, 0, time.UTC)
	for _, path := range []string{
		"/media/films/New (2020)/New.mkv", // not scanned yet
		"/elsewhere/Loose.mkv",            // outside the sources
		"/media/films/Samples/Short.mkv",  // excluded below
		"/media/clips/Song.mkv",           // a source of music videos
		"/media/clips/films/Film.mkv",     // a source of films below it
	} {
		s.Play(s.File(path), when)
	}
	s.exec(`update path set exclude = 1 where strPath = '/media/films/Samples/'`)
	s.exec(`update path set strContent = 'musicvideos' where strPath = '/media/clips/'`)
	s.exec(`update path set strContent = 'movies' where strPath = '/media/clips/films/'`)
	s.exec(`insert into files (idPath, strFilename, playCount) values (1, '', 1), (1, 'VIDEO_TS/', 1)`)
	s.exec(`insert into files (idPath, strFilename) values (1, 'stack:///media/films/a.avi , /media/films/b.avi')`)
	got := read(t, s.Path)
	compareFiles(t, `
1 Alpha One (1999).mkv | 0  | 1h40m0s | movie 1 Alpha One (1999) tmdb:603
2 New.mkv | 1 2026-03-01 20:05:00 | 0s
6 Film.mkv | 1 2026-03-01 20:05:00 | 0s
9 b.avi | 0  | 0s
`, got)
	if got.Files[1].Folder != "/media/films/" || got.Files[2].Folder != "/media/clips/films/" {
		t.Errorf("the source is the nearest folder above that Kodi scans: %q, %q", got.Files[1].Folder, got.Files[2].Folder)
	}
	if path := got.Files[3].Path; path != "stack:///media/films/a.avi , /media/films/b.avi" {
		t.Errorf("a stack keeps its own address, got %s", path)
	}
	s.exec(`update path set strContent = ''`)
	compareFiles(t, `1 Alpha One (1999).mkv | 0  | 1h40m0s | elsewhere | movie 1 Alpha One (1999) tmdb:603`, read(t, s.Path))
}

func TestReadDefaultIdentifier(t *testing.T) {
	s := newTestLibrary(t, 121)
	s.film("Alpha One", viewing.IDs{TMDB: 603})
	s.exec(`insert into uniqueid (media_id, media_type, type, value) values (1, 'movie', 'tmdb', '604')`)
	for row, want := range map[int]int64{1: 603, 2: 604} {
		s.exec(`update movie set c09 = ?`, fmt.Sprint(row))
		if got := read(t, s.Path).Files[0].Items[0].Media.IDs.TMDB; got != want {
			t.Errorf("row %d is the default: got %d, want %d", row, got, want)
		}
	}
}

func TestReadDuration(t *testing.T) {
	s := newTestLibrary(t, 121)
	s.film("Alpha One", viewing.IDs{})
	s.exec(`update movie set c11 = '7000'`)
	if got := read(t, s.Path).Files[0].Duration; got != 100*time.Minute {
		t.Errorf("the streams have 100 minutes, got %v", got)
	}
	s.exec(`delete from streamdetails`)
	if got := read(t, s.Path).Files[0].Duration; got != 7000*time.Second {
		t.Errorf("the film has 7000 s, got %v", got)
	}
	s.exec(`update movie set c11 = '2 hours'`)
	if got := read(t, s.Path).Files[0].Duration; got != 0 {
		t.Errorf("unknown running time, got %v", got)
	}
}

func TestReadVersions(t *testing.T) {
	s := newTestLibrary(t, 131)
	film := s.film("Alpha One", viewing.IDs{TMDB: 603})
	s.version(film, "/media/films/Alpha One (1999)/Cut.mkv", false)
	s.version(film, "/media/films/Alpha One (1999)/Trailer.mkv", true)
	s.Play(s.File("/media/films/Alpha One (1999)/Cut.mkv"), time.Date(2026, 3, 1, 20, 5, 0, 0, time.UTC))
	want := `
1 Alpha One (1999).mkv | 0  | 1h40m0s | movie 1 Alpha One (1999) tmdb:603
2 Cut.mkv | 1 2026-03-01 20:05:00 | 0s | movie 1 Alpha One (1999) tmdb:603
3 Trailer.mkv | 0  | 0s | movie 1 Alpha One (1999) tmdb:603 (extra)
`
	compareFiles(t, want, read(t, s.Path))
	s.exec(`update videoversion set itemType = itemType + 1`)
	later := read(t, s.renumber(134)) // where versions count from 1
	compareFiles(t, want, later)
	s.exec(`update videoversion set itemType = itemType - 1`)
	s.exec(`alter table videoversion rename column media_type to mediaType`)
	compareFiles(t, want, read(t, s.renumber(125)))
}

// TestReadDetailsOfPickedFiles: files that are not picked have only counts and ids.
func TestReadDetailsOfPickedFiles(t *testing.T) {
	s := newTestLibrary(t, 121)
	s.film("Alpha One", viewing.IDs{TMDB: 603})
	s.film("Beta", viewing.IDs{TMDB: 604})
	got, err := at(s.Path).Read(t.Context(), func(f library.File) bool {
		return f.ID == 2 && f.Items[0].IDRow > 0 && strings.HasSuffix(f.Path, "Beta (1999).mkv")
	})
	ok(t, err)
	want := read(t, s.Path)
	want.Files[0].Duration, want.Files[0].Items[0].Media = 0, viewing.Media{Type: viewing.Movie}
	if diff := cmp.Diff(want.Files, got.Files); diff != "" {
		t.Error(diff)
	}
}

// TestReadSeesConsistentState: a read sees one state if Kodi writes between its steps, and fails if Kodi
// never stops writing.
func TestReadSeesConsistentState(t *testing.T) {
	for _, times := range []int{1, 100} {
		s := newTestLibrary(t, 121)
		s.film("Alpha One", viewing.IDs{TMDB: 603})
		s.film("Beta", viewing.IDs{TMDB: 604})
		s.db.SetMaxOpenConns(1)
		s.exec(`pragma busy_timeout = 0`)
		n := 0
		got, err := at(s.Path).Read(t.Context(), func(f library.File) bool {
			if n++; n <= times {
				s.exec(`update files set playCount = ?1; update movie set c00 = ?1`, n)
			}
			return true
		})
		if times == 100 {
			if !errors.Is(err, library.ErrBusy) {
				t.Errorf("read with %v while Kodi keeps writing", err)
			}
			continue
		}
		ok(t, err)
		for _, f := range got.Files {
			if title := f.Items[0].Media.Title; f.PlayCount != 1 || title != "1" {
				t.Errorf("%d plays, %q", f.PlayCount, title)
			}
		}
	}
}

func TestReadUnsupported(t *testing.T) {
	s := newTestLibrary(t, 121)
	s.film("Alpha One", viewing.IDs{TMDB: 603})
	if _, err := at(s.renumber(106)).Read(t.Context(), nil); !errors.Is(err, library.ErrUnsupported) {
		t.Errorf("106: got %v, want ErrUnsupported", err)
	}
	s.exec(`alter table movie drop column premiered`)
	if _, err := at(s.renumber(121)).Read(context.Background(), nil); !errors.Is(err, library.ErrUnsupported) {
		t.Errorf("a column is missing: got %v, want ErrUnsupported", err)
	}
}

func TestReadErrors(t *testing.T) {
	s := newTestLibrary(t, 121)
	cut, missing := filepath.Join(filepath.Dir(s.Path), "MyVideos123.db"), filepath.Join(filepath.Dir(s.Path), "MyVideos100.db")
	s.exec(`vacuum into ?`, cut)
	ok(t, os.Truncate(cut, 8192))
	for path, want := range map[string]error{cut: library.ErrNotDatabase, missing: library.ErrNotFound} {
		if _, err := at(path).Read(t.Context(), nil); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", path, err, want)
		}
	}
	if _, err := os.Stat(missing); !errors.Is(err, os.ErrNotExist) {
		t.Error("the read created a file")
	}
}

func TestReadBusy(t *testing.T) {
	s := newTestLibrary(t, 121)
	s.db.SetMaxOpenConns(1)
	s.exec(`begin exclusive`)
	_, err := at(s.Path).Read(context.Background(), nil)
	if !errors.Is(err, library.ErrBusy) || strings.Contains(err.Error(), "not read within") {
		t.Errorf("got %v, want ErrBusy before the time limit of a read", err)
	}
	s.exec(`commit`)
	read(t, s.Path)
}

func TestReadStopsWithItsContext(t *testing.T) {
	s := newTestLibrary(t, 121)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := at(s.Path).Read(ctx, nil); !errors.Is(err, context.Canceled) || errors.Is(err, library.ErrBusy) {
		t.Errorf("got %v, want context.Canceled alone", err)
	}
}

// TestReadLeavesNoFilesOrLocks: a read does not change the folder, and a writer that does not wait
// gets the lock at once.
func TestReadLeavesNoFilesOrLocks(t *testing.T) {
	s := newTestLibrary(t, 121)
	s.film("Alpha One", viewing.IDs{TMDB: 603})
	before := listing(t, filepath.Dir(s.Path))
	for range 3 {
		read(t, s.Path)
		s.exec(`pragma busy_timeout = 0`)
		s.exec(`begin exclusive; commit`)
	}
	if diff := cmp.Diff(before, listing(t, filepath.Dir(s.Path))); diff != "" {
		t.Error("the folder changed:\n" + diff)
	}
}

// TestReadFolderWithSpecialCharacters: the folder name has characters with a meaning in SQLite's URIs.
func TestReadFolderWithSpecialCharacters(t *testing.T) {
	name := "a b%20c#d?mode=rw&é"
	if runtime.GOOS == "windows" {
		name = "a b%20c#d&é"
	}
	dir := filepath.Join(t.TempDir(), name)
	makeLibrary(t, dir, 121)
	found, err := library.Find(dir)
	ok(t, err)
	read(t, found.Path)
}
