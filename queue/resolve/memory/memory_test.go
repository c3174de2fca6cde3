package memory

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/viewing"
)

var (
	aboutFilm = identity.Question{Ask: identity.AskIMDB, Text: "tt0000001"}
	search    = identity.Question{Ask: identity.SearchFor, Text: "Alpha 1"}
	season    = identity.Question{Ask: identity.AskSeason, Number: 7, Season: 1}
	aboutNone = identity.Question{Ask: identity.AskFilm, Number: 5}
	film      = identity.Answer{Films: []identity.Work{{Kind: viewing.Movie, TMDB: 603, Title: "Alpha 1", Names: []string{"Alfa"}, Year: 1999}}}
)

func opened(t *testing.T, file string) *Memory {
	t.Helper()
	m, err := Open(t.Context(), file, "https://a.example")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// What was answered is known after the file is opened again, until it is too
// old, and not before it was answered.
func TestAnswersAreRememberedForATime(t *testing.T) {
	file := filepath.Join(t.TempDir(), "answers.db")
	m := opened(t, file)
	now := time.Now()
	m.now = func() time.Time { return now }
	kept := map[identity.Question]identity.Answer{aboutFilm: film, aboutNone: {}, search: film, season: {Episodes: []identity.Part{{Number: 1}}}}
	if err := m.Keep(t.Context(), kept); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	m = opened(t, file)
	defer m.Close()
	for later, want := range map[time.Duration]map[identity.Question]identity.Answer{
		0:                      kept,
		grows - time.Second:    kept,
		grows:                  {aboutFilm: film},
		foundFor - time.Second: {aboutFilm: film},
		foundFor:               {},
		-time.Hour:             {}, // the clock was set back
	} {
		m.now = func() time.Time { return now.Add(later) }
		got, err := m.Recall(t.Context(), []identity.Question{aboutFilm, aboutNone, search, season, {Ask: identity.AskFilm, Number: 6}})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("after %s: %v, %s", later, err, diff)
		}
	}
	other, err := Open(t.Context(), file, "https://b.example")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if got, err := other.Recall(t.Context(), []identity.Question{aboutFilm}); err != nil || len(got) > 0 {
		t.Errorf("another address has the answers of the first: %v, %v", got, err)
	}
}

// What is too old leaves the file, too: TMDB's terms ask for that.
func TestOldAnswersLeaveTheFile(t *testing.T) {
	m := opened(t, filepath.Join(t.TempDir(), "answers.db"))
	defer m.Close()
	now := time.Now()
	for _, at := range []time.Time{now.Add(-foundFor - time.Second), now} {
		m.now = func() time.Time { return at }
		if err := m.Keep(t.Context(), map[identity.Question]identity.Answer{{Ask: identity.AskFilm, Number: at.Unix()}: film}); err != nil {
			t.Fatal(err)
		}
	}
	var rows int
	if err := m.db.QueryRowContext(t.Context(), "SELECT count(*) FROM answers").Scan(&rows); err != nil || rows != 1 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// A file that is no memory is made anew, for the owner alone.
func TestBrokenFileIsMadeAnew(t *testing.T) {
	file := filepath.Join(t.TempDir(), "answers.db")
	if err := os.WriteFile(file, []byte("this is no database, but a text that is long enough to be read as one"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := opened(t, file)
	if err := m.Keep(t.Context(), map[identity.Question]identity.Answer{aboutFilm: film}); err != nil {
		t.Error(err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("%v, %v", info, err)
	}
	if err := Remove(file); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("not removed: %v", err)
	}
	if err := Remove(file); err != nil {
		t.Errorf("removed again: %v", err)
	}
}

// What is no plain file of ours is left alone.
func TestOtherThingsAreLeftAlone(t *testing.T) {
	folder := t.TempDir()
	theirs := filepath.Join(folder, "theirs")
	text := []byte("a file of somebody else's that is long enough to be read")
	if err := os.WriteFile(theirs, text, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(folder, "link.db")
	others := []string{folder}
	if os.Symlink(theirs, link) == nil { // not everybody may make one on Windows
		others = append(others, link)
	}
	for _, file := range others {
		if m, err := Open(t.Context(), file, "a"); err == nil {
			t.Errorf("%s is opened", file)
			m.Close()
		}
	}
	if now, err := os.ReadFile(theirs); err != nil || !bytes.Equal(now, text) {
		t.Errorf("%q, %v", now, err)
	}
}
