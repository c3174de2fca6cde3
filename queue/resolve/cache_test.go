package resolve

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/viewing"
)

var (
	aboutFilm = Question{Topic: ByIMDB, Text: "tt0000001"}
	search    = Question{Topic: ByTitle, Kind: viewing.Movie, Text: "Alpha 1"}
	season    = Question{Topic: Season, Number: 7, Season: 1}
	aboutNone = Question{Topic: Details, Kind: viewing.Movie, Number: 5}
	one       = &Answer{Works: []Work{film(603, "Alpha 1", 1999, "Alfa")}}
)

func openCache(t *testing.T, dir string, names ...string) (*Cache, bool) {
	t.Helper()
	c, fresh, err := OpenCache(dir, names...)
	if err != nil {
		t.Fatal(err)
	}
	return c, fresh
}

// newCache returns a cache for Wikidata and TMDB.
func newCache(t *testing.T) *Cache {
	c, _ := openCache(t, filepath.Join(t.TempDir(), "answers"), "Wikidata ", "TMDB ")
	return c
}

// Answers are found after the folder is opened again, until they expire. Each provider has
// its own answers. They are deleted when the provider is disabled or has another address.
// Other files in the folder stay.
func TestCachedAnswersExpire(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "answers")
	c, fresh := openCache(t, dir, "TMDB a", "Wikidata b")
	if !fresh {
		t.Error("no provider is new")
	}
	now := time.Now()
	c.now = func() time.Time { return now }
	kept := map[Question]*Answer{aboutFilm: one, aboutNone: {}, search: one, season: {Episodes: []Episode{{Number: 1}}}}
	if err := c.save("TMDB a", kept); err != nil {
		t.Fatal(err)
	}
	otherFile := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(otherFile, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if c, fresh = openCache(t, dir, "TMDB a"); fresh {
		t.Error("a provider is new")
	}
	for later, want := range map[time.Duration]map[Question]*Answer{
		0:                           kept,
		growingMaxAge - time.Second: kept,
		growingMaxAge:               {aboutFilm: one},
		foundMaxAge - time.Second:   {aboutFilm: one},
		foundMaxAge:                 {},
		-time.Hour:                  {}, // the clock was set back
	} {
		c.now = func() time.Time { return now.Add(later) }
		got := c.load("TMDB a", []Question{aboutFilm, aboutNone, search, season, {Topic: Details, Kind: viewing.Movie, Number: 6}})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after %s: %s", later, diff)
		}
	}
	if got := c.load("Wikidata b", []Question{aboutFilm}); len(got) > 0 {
		t.Errorf("a provider has the answers of another: %v", got)
	}
	if _, fresh := openCache(t, dir, "TMDB b"); !fresh || len(filesIn(t, dir)) != 1 {
		t.Errorf("answers of a disabled provider: %v", filesIn(t, dir))
	}
	if _, err := os.Stat(otherFile); err != nil {
		t.Error(err)
	}
}

func filesIn(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if info, infoErr := e.Info(); infoErr == nil && !e.IsDir() {
			all = append(all, path)
			if info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
				t.Errorf("%s may be read by others", path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Expired answers are deleted, as TMDB's terms require. Damaged ones are requested again.
func TestOpenCacheDeletesExpiredAnswers(t *testing.T) {
	c := newCache(t)
	if err := c.save("TMDB ", map[Question]*Answer{aboutFilm: one, search: one}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.file("TMDB ", aboutFilm), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := c.load("TMDB ", []Question{aboutFilm, search}); len(got) != 1 {
		t.Errorf("remembered %v", got)
	}
	past := time.Now().Add(-foundMaxAge)
	if err := os.Chtimes(c.file("TMDB ", search), past, past); err != nil {
		t.Fatal(err)
	}
	openCache(t, c.dir, "TMDB ")
	if len(filesIn(t, c.dir)) != 1 {
		t.Errorf("%v", filesIn(t, c.dir))
	}
}
