package resolve

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/viewing"
)

var (
	aboutFilm = Question{Ask: ByIMDB, Text: "tt0000001"}
	search    = Question{Ask: ByTitle, Kind: viewing.Movie, Text: "Alpha 1"}
	season    = Question{Ask: Season, Number: 7, Season: 1}
	aboutNone = Question{Ask: Details, Kind: viewing.Movie, Number: 5}
	one       = &Answer{Works: []Work{film(603, "Alpha 1", 1999, "Alfa")}}
)

func opened(t *testing.T, file string, names ...string) *Cache {
	t.Helper()
	c, _, err := OpenCache(t.Context(), file, names...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// cacheIn is a cache of Wikidata's and TMDB's answers.
func cacheIn(t *testing.T) *Cache {
	c := opened(t, filepath.Join(t.TempDir(), "answers.db"), "Wikidata ", "TMDB ")
	t.Cleanup(func() { c.Close() })
	return c
}

// What was answered is known after the file is opened again, until it is too old, and
// not before it was answered. What one has said is not another's answer, and is gone
// once that one is turned off, or has another address.
func TestAnswersAreRememberedForATime(t *testing.T) {
	file := filepath.Join(t.TempDir(), "answers.db")
	c, fresh, err := OpenCache(t.Context(), file, "TMDB a", "Wikidata b")
	if err != nil || !fresh {
		t.Fatal(fresh, err)
	}
	now := time.Now()
	c.now = func() time.Time { return now }
	kept := map[Question]*Answer{aboutFilm: one, aboutNone: {}, search: one, season: {Episodes: []Episode{{Number: 1}}}}
	if err := c.keep(t.Context(), "TMDB a", kept); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c, fresh, err = OpenCache(t.Context(), file, "TMDB a")
	if err != nil || fresh {
		t.Fatal(fresh, err)
	}
	for later, want := range map[time.Duration]map[Question]*Answer{
		0:                      kept,
		growsFor - time.Second: kept,
		growsFor:               {aboutFilm: one},
		foundFor - time.Second: {aboutFilm: one},
		foundFor:               {},
		-time.Hour:             {}, // the clock was set back
	} {
		c.now = func() time.Time { return now.Add(later) }
		got, err := c.recall(t.Context(), "TMDB a", []Question{aboutFilm, aboutNone, search, season, {Ask: Details, Kind: viewing.Movie, Number: 6}})
		of := map[Question]*Answer{}
		for q, a := range got {
			of[q] = a
		}
		if diff := cmp.Diff(want, of); err != nil || diff != "" {
			t.Errorf("after %s: %v, %s", later, err, diff)
		}
	}
	c.now = time.Now
	if got, err := c.recall(t.Context(), "Wikidata b", []Question{aboutFilm}); err != nil || len(got) > 0 {
		t.Errorf("another has the answers of the first: %v, %v", got, err)
	}
	c.Close()
	c, fresh, err = OpenCache(t.Context(), file, "TMDB b", "Wikidata b")
	if err != nil || !fresh {
		t.Fatal(fresh, err)
	}
	defer c.Close()
	var rows int
	if err := c.db.QueryRowContext(t.Context(), "SELECT count(*) FROM answers").Scan(&rows); err != nil || rows != 0 {
		t.Errorf("%d answers of one that is turned off, %v", rows, err)
	}
}

// What is too old leaves the file, too: TMDB's terms ask for that.
func TestOldAnswersLeaveTheFile(t *testing.T) {
	c := cacheIn(t)
	now := time.Now()
	for _, at := range []time.Time{now.Add(-foundFor - time.Second), now} {
		c.now = func() time.Time { return at }
		if err := c.keep(t.Context(), "TMDB ", map[Question]*Answer{{Ask: Details, Kind: viewing.Movie, Number: at.Unix()}: one}); err != nil {
			t.Fatal(err)
		}
	}
	var rows int
	if err := c.db.QueryRowContext(t.Context(), "SELECT count(*) FROM answers").Scan(&rows); err != nil || rows != 1 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// A file that is no cache is made anew, for the owner alone.
func TestBrokenFileIsMadeAnew(t *testing.T) {
	file := filepath.Join(t.TempDir(), "answers.db")
	if err := os.WriteFile(file, []byte("this is no database, but a text that is long enough to be read as one"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := opened(t, file, "TMDB ")
	if err := m.keep(t.Context(), "TMDB ", map[Question]*Answer{aboutFilm: one}); err != nil {
		t.Error(err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("%v, %v", info, err)
	}
	if err := RemoveCache(file); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("not removed: %v", err)
	}
	if err := RemoveCache(file); err != nil {
		t.Errorf("removed again: %v", err)
	}
}

// What is no file of ours is left alone: neither a folder nor what a link leads to.
func TestOtherThingsAreLeftAlone(t *testing.T) {
	folder := t.TempDir()
	if c, _, err := OpenCache(t.Context(), folder, "a"); err == nil {
		t.Error("a folder is opened")
		c.Close()
	}
	theirs, link := filepath.Join(folder, "theirs"), filepath.Join(folder, "link.db")
	text := []byte("a file of somebody else's that is long enough to be read")
	if err := os.WriteFile(theirs, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(theirs, link); err != nil {
		t.Skip(err) // not everybody may make one on Windows
	}
	if c, _, err := OpenCache(t.Context(), link, "a"); err == nil {
		c.Close()
	}
	if now, err := os.ReadFile(theirs); err != nil || !bytes.Equal(now, text) {
		t.Errorf("%q, %v", now, err)
	}
}
