package library_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/snapshot"
	"github.com/filmspool/filmspool/queue/viewing"
)

// ids picks files by their numbers.
func ids(want ...int64) func(snapshot.Snapshot) func(snapshot.File) bool {
	return func(snapshot.Snapshot) func(snapshot.File) bool {
		return func(f snapshot.File) bool { return slices.Contains(want, f.ID) }
	}
}

func readPart(t *testing.T, path string, part snapshot.Part) snapshot.Snapshot {
	t.Helper()
	s, err := library.Read(context.Background(), path, part)
	ok(t, err)
	return s
}

// series is a library with a film, a double file and two single ones of a
// series. Two episodes claim one identifier.
func series(t *testing.T) scene {
	t.Helper()
	s := newScene(t, 131)
	film := s.film("Alpha One", viewing.IDs{TMDB: 603})
	ok(t, s.AddExtra(film, "/media/films/Alpha One (1999)/Trailer.mkv", time.Minute, time.Now()))
	show, err := s.AddShow(kodisim.Show{Title: "Show Red", Year: 2008, IDs: viewing.IDs{TMDB: 1396}}, time.Now())
	ok(t, err)
	for _, episodes := range [][]kodisim.Episode{
		{{Season: 1, Number: 2, IDs: viewing.IDs{TMDB: 71}}, {Season: 1, Number: 1, IDs: viewing.IDs{TMDB: 72}}},
		{{Season: 1, Number: 3, IDs: viewing.IDs{TMDB: 72}}},
		{{Season: 1, Number: 4, IDs: viewing.IDs{TMDB: 73}}},
	} {
		_, err := s.AddEpisodeFile(show, kodisim.EpisodeFile{Episodes: episodes, Duration: time.Hour}, time.Now())
		ok(t, err)
	}
	s.exec(`insert into genre values (1, 'Drama')`)
	s.exec(`insert into genre_link values (1, 1, 'movie'), (1, 1, 'tvshow')`)
	return s
}

// outlined is a file without what an outline leaves out.
func outlined(f snapshot.File) snapshot.File {
	f.Outline, f.Duration, f.Items = true, 0, slices.Clone(f.Items)
	for i, item := range f.Items {
		f.Items[i] = snapshot.Item{KodiID: item.KodiID, IDRow: item.IDRow, Extra: item.Extra, Media: viewing.Media{Type: item.Media.Type}}
	}
	return f
}

func TestReadPart(t *testing.T) {
	s := series(t)
	whole := read(t, s.Path()).Files
	tests := map[string]struct{ pick, full []int64 }{
		"nothing":             {nil, nil},
		"a film":              {[]int64{1}, []int64{1}},
		"an extra":            {[]int64{2}, []int64{2}},
		"a single episode":    {[]int64{5}, []int64{5}},
		"one with a claimant": {[]int64{4}, []int64{3, 4}},
		"two with a claimant": {[]int64{3}, []int64{3, 4}},
		"all":                 {[]int64{1, 2, 3, 4, 5}, []int64{1, 2, 3, 4, 5}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			want := slices.Clone(whole)
			for i, f := range want {
				if !slices.Contains(test.full, f.ID) {
					want[i] = outlined(f)
				}
			}
			got := readPart(t, s.Path(), snapshot.Part{Pick: ids(test.pick...)})
			if diff := cmp.Diff(want, got.Files); diff != "" {
				t.Error("wrong files (-want +got):\n" + diff)
			}
		})
	}
}

// What Kodi writes between two transactions of a reading shows in all of it.
func TestReadPartSeesOneState(t *testing.T) {
	s := series(t)
	asked := 0
	got := readPart(t, s.Path(), snapshot.Part{Pick: func(outline snapshot.Snapshot) func(snapshot.File) bool {
		if asked++; asked == 1 {
			s.exec(`update files set playCount = 7 where idFile = 1`)
			s.exec(`update movie set c00 = 'Beta Two'`)
		}
		return ids(1)(outline)
	}})
	if f := got.Files[0]; asked != 2 || f.PlayCount != 7 || f.Items[0].Media.Title != "Beta Two" {
		t.Errorf("asked %d times, got %d plays of %s", asked, f.PlayCount, f.Items[0].Media.Title)
	}
}

// The mark of the names changes with each of them, and with nothing else.
func TestReadNames(t *testing.T) {
	s := series(t)
	names := func() string {
		t.Helper()
		return readPart(t, s.Path(), snapshot.Part{Names: true, Pick: ids()}).Names
	}
	for _, same := range []string{
		`update files set playCount = 5, lastPlayed = '2026-03-01 20:05:00'`, `update movie set c00 = 'Another title'`, `update episode set c00 = 'Another'`,
	} {
		before := names()
		s.exec(same)
		if names() != before {
			t.Errorf("%s changed the names", same)
		}
	}
	for _, other := range []string{
		`update uniqueid set value = '604' where media_type = 'movie'`, `update uniqueid set value = '1397' where media_type = 'tvshow'`,
		`update uniqueid set value = '74' where value = '73'`, `update uniqueid set value = 'tt0000604' where media_type = 'movie'`,
		`update episode set c13 = '9' where c13 = '4'`, `update episode set c12 = '0' where c13 = '9'`, `update movie set c09 = '-1'`,
		`update uniqueid set value = case value when '71' then '72' when '72' then '71' else value end where type = 'tmdb'`,
		`update episode set idShow = 2 where c13 = '9'`, `update tvshow set c12 = '77'`, `delete from uniqueid where value = '74'`,
	} {
		before := names()
		s.exec(other)
		if names() == before {
			t.Errorf("%s left the names", other)
		}
	}
	if names() == "" {
		t.Error("no mark")
	}
}
