package kodisim

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/snapshot"
	"github.com/filmspool/filmspool/queue/viewing"
)

// evening is a wall clock time, as Kodi writes it.
func evening(minute int) time.Time { return time.Date(2026, 3, 1, 20, minute, 0, 0, time.UTC) }

// stage is a library with one film, and one show of three files, one of them
// with two episodes.
type stage struct {
	*Sim
	film, show Ref
	episodes   []Ref
}

func newStage(t *testing.T, version int) stage {
	t.Helper()
	s := stage{Sim: must(Create(t.TempDir(), version))(t)}
	t.Cleanup(func() { _ = s.Close() })
	s.film = must(s.AddFilm(Film{Title: "Alpha One", Year: 1999, IDs: viewing.IDs{TMDB: 603, IMDB: "tt0133093"}, Duration: 100 * time.Minute}, evening(0)))(t)
	s.show = must(s.AddShow(Show{Title: "Show Red", Year: 2008, IDs: viewing.IDs{TMDB: 1396, TVDB: 81189}}, evening(0)))(t)
	for _, numbers := range [][]int{{1}, {2}, {3, 4}} {
		var f EpisodeFile
		for _, n := range numbers {
			f.Episodes = append(f.Episodes, Episode{Season: 1, Number: n, Title: fmt.Sprint("Part ", n)})
		}
		f.Duration = 50 * time.Minute
		s.episodes = append(s.episodes, must(s.AddEpisodeFile(s.show, f, evening(0)))(t)...)
	}
	return s
}

func must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// state is what the reader sees, one line for each file: name, count, time.
func state(t *testing.T, path string) []string {
	t.Helper()
	snap, err := library.Read(context.Background(), path, snapshot.Part{})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range snap.Files {
		lines = append(lines, fmt.Sprintf("%s %d %s", filepath.Base(f.Path), f.PlayCount, f.LastPlayed))
	}
	return lines
}

func TestActs(t *testing.T) {
	const film, e1, e2, e34 = "Alpha One (1999).mkv", "Show Red S01E01.mkv", "Show Red S01E02.mkv", "Show Red S01E03E04.mkv"
	const at5, at6 = "2026-03-01 20:05:00", "2026-03-01 20:06:00"
	fresh := []string{film + " 0 ", e1 + " 0 ", e2 + " 0 ", e34 + " 0 "}
	tests := map[string]struct {
		act     func(stage) error
		changed []string // lines that differ from fresh
	}{
		"play":                  {func(s stage) error { return s.Play(s.film, evening(5)) }, []string{film + " 1 " + at5}},
		"play twice":            {func(s stage) error { return both(s.Play(s.film, evening(5)), s.Play(s.film, evening(6))) }, []string{film + " 2 " + at6}},
		"play a double episode": {func(s stage) error { return s.Play(s.episodes[3], evening(5)) }, []string{e34 + " 1 " + at5}},
		"stop half way":         {func(s stage) error { return s.PartialPlay(s.film, evening(5), 50*time.Minute) }, []string{film + " 0 " + at5}},
		"stop at the credits":   {func(s stage) error { return s.PartialPlay(s.film, evening(5), 95*time.Minute) }, []string{film + " 1 " + at5}},
		"remote: watched":       {func(s stage) error { return s.SetPlayCount(s.film, 1, evening(5)) }, []string{film + " 1 " + at5}},
		"remote: unwatched":     {func(s stage) error { return both(s.Play(s.film, evening(5)), s.SetPlayCount(s.film, 0, evening(6))) }, []string{film + " 0 " + at5}},
		"remote: two":           {func(s stage) error { return both(s.Play(s.film, evening(5)), s.SetPlayCount(s.film, 2, evening(6))) }, []string{film + " 2 " + at5}},
		"remote: watched again": {func(s stage) error {
			return both(s.SetPlayCount(s.film, 1, evening(5)), s.SetPlayCount(s.film, 0, evening(6)), s.SetPlayCount(s.film, 1, evening(7)))
		}, []string{film + " 1 " + at5}},
		"remote: with a time": {func(s stage) error { return s.SetPlayCountAndTime(s.film, 1, "2020-02-02 02:02:02") }, []string{film + " 1 2020-02-02 02:02:02"}},
		"mark an episode":     {func(s stage) error { return s.Mark(s.episodes[0], evening(5)) }, []string{e1 + " 1 " + at5}},
		"mark a show":         {func(s stage) error { return both(s.Play(s.episodes[0], evening(5)), s.Mark(s.show, evening(6))) }, []string{e1 + " 1 " + at5, e2 + " 1 " + at6, e34 + " 2 " + at6}},
		"unmark a show":       {func(s stage) error { return both(s.Mark(s.show, evening(5)), s.Unmark(s.show)) }, nil},
		"refresh forgets":     {func(s stage) error { return both(s.Play(s.film, evening(5)), second(s.Refresh(s.film, Refreshed{}))) }, nil},
		"refresh resurrects": {func(s stage) error {
			return second(s.Refresh(s.film, Refreshed{Claim: Claim{PlayCount: 2, LastPlayed: "2020-01-31 20:00:00"}}))
		}, []string{film + " 2 2020-01-31 00:00:00"}},
		"refresh stamps a dateless claim": {func(s stage) error {
			return second(s.Refresh(s.film, Refreshed{Claim: Claim{PlayCount: 1, ReadAt: evening(5)}}))
		}, []string{film + " 1 " + at5}},
		"remove keeps the count": {func(s stage) error { return both(s.Play(s.film, evening(5)), s.Remove(s.film)) }, []string{film + " 1 " + at5}},
		"scan after remove forgets it": {func(s stage) error {
			return both(s.Play(s.film, evening(5)), s.Remove(s.film), second(s.AddFilm(Film{Title: "Alpha One", Year: 1999}, evening(6))))
		}, nil},
	}
	for name, test := range tests {
		for _, version := range []int{121, 131} {
			t.Run(fmt.Sprintf("%s/%d", name, version), func(t *testing.T) {
				s := newStage(t, version)
				ok(t, test.act(s))
				want := slices.Clone(fresh)
				for _, line := range test.changed {
					i := slices.IndexFunc(fresh, func(f string) bool { return f[:len(f)-3] == line[:min(len(f)-3, len(line))] })
					want[i] = line
				}
				if diff := cmp.Diff(want, state(t, s.Path())); diff != "" {
					t.Error("wrong files (-want +got):\n" + diff)
				}
			})
		}
	}
}

// both is the first error, in the order the acts were done.
func both(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func second[T any](_ T, err error) error { return err }
