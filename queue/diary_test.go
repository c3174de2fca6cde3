package queue

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// itemAt returns a viewing of an item, some minutes after noon.
func itemAt(id string, m viewing.Media, minute int) viewing.Event {
	v := film(id, 1, minute)
	v.Media = []viewing.Media{m}
	return v
}

func series(tmdb int64, title string, season, episode int, name string) viewing.Media {
	return viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: tmdb}, Title: title}, Season: &season, Episode: &episode, Title: name}
}

// TestMissingTitlesComeFromOtherEntries: an entry with a number only has the title of the first
// other entry that has one, earlier or later; a person's choice replaces it.
func TestMissingTitlesComeFromOtherEntries(t *testing.T) {
	s := openNew(t)
	bare := func(tmdb int64) viewing.Media {
		return viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: tmdb}}
	}
	s.commit(t,
		itemAt("before", bare(603), 0), itemAt("titled", viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}, Title: "The Matrix", Year: 1999}, 300),
		itemAt("unknown", bare(604), 600), itemAt("another", viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}, Title: "Another Name"}, 2000), itemAt("episode", series(1396, "", 1, 2, ""), 900),
		itemAt("titled too", series(1396, "Breaking Bad", 1, 2, "Cat's in the Bag..."), 1200), itemAt("other", series(1396, "", 1, 3, ""), 1500),
	)
	labels := func(words string) (all []string) {
		t.Helper()
		list, err := s.Entries(t.Context(), entry.Filter{Words: words})
		if err == nil {
			err = s.FillTitles(t.Context(), list)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			all = append(all, e.Label()+" "+e.Media.Title)
		}
		return all
	}
	for words, want := range map[string][]string{
		"matrix": {"The Matrix (1999) The Matrix", "The Matrix (1999) The Matrix"}, "604": {"movie 604 "},
		"breaking": {"Breaking Bad S01E03 ", "Breaking Bad S01E02 Cat's in the Bag...", "Breaking Bad S01E02 Cat's in the Bag..."},
		"another":  {"Another Name (1999) Another Name"}, // its source's own word stays
	} {
		if diff := cmp.Diff(want, labels(words)); diff != "" {
			t.Errorf("%s: %s", words, diff)
		}
	}
	chosen := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}, Title: "Chosen", Year: 1998}
	s.edit(t, 1, entry.Edit{Media: &chosen})
	s.commit(t, itemAt("later", bare(603), 3000), itemAt("reported", viewing.Media{Type: viewing.Movie, Title: "Watch: Matrix"}, 4000))
	number := bare(603) // what a source reported names no other entry
	s.edit(t, 9, entry.Edit{Media: &number})
	if got := labels("chosen"); len(got) < 2 || got[0] != "Chosen (1998) Chosen" {
		t.Errorf("after the choice: %s", got)
	}
}

// TestSearch: words in any order, parts of words, without accents and case, years, numbers,
// seasons and episodes; punctuation alone finds nothing.
func TestSearch(t *testing.T) {
	s := openNew(t)
	s.commit(t,
		itemAt("a", viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 194}, Title: "Amélie", Year: 2001}, 0),
		itemAt("b", series(1396, "Breaking Bad", 1, 3, "...And the Bag's in the River"), 300),
		itemAt("c", series(126308, "Shōgun", 1, 1, "Anjin"), 600),
		itemAt("d", viewing.Media{Type: viewing.Movie, Title: "Über den Wolken 100%"}, 900),
		itemAt("e", viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 5}, Title: "千と千尋の神隠し"}, 1200),
	)
	for words, want := range map[string]string{
		"amelie": "a", "AMÉLIE 2001": "a", "2001": "a", "194": "a", "breaking bad s01e03": "b", "s1e3": "", "bags river": "b", "shogun": "c", "Shōgun": "c",
		"uber": "d", "ÜBER wolken": "d", "wolk": "d", "100%": "d", "千尋": "e", "%": "", "_": "", "'": "", "matrix": "", "1396": "b",
	} {
		list, err := s.Entries(t.Context(), entry.Filter{Words: words})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range list {
			got = append(got, e.EventID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q finds %v, want %q", words, got, want)
		}
	}
}

// TestYear: days are local, also when the clocks change; dropped and bulk-held viewings do not
// count.
func TestYear(t *testing.T) {
	s := openNew(t)
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err) // a machine without zones
	}
	at := func(v viewing.Event, day string, minutes int) viewing.Event {
		when, err := time.ParseInLocation("2006-01-02 15:04", day, berlin)
		if err != nil {
			t.Fatal(err)
		}
		v.WatchedAt, v.Progress = viewing.At(when), &viewing.Progress{Duration: float64(minutes) * 60}
		return v
	}
	heat := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 949}, Title: "Heat", Year: 1995}
	bulk := at(itemAt("held", heat, 0), "2025-11-02 20:00", 170)
	bulk.Class = viewing.ClassBulk
	outcomes := s.commit(t,
		at(itemAt("old", heat, 0), "2024-12-31 23:59", 170),
		at(itemAt("first", heat, 0), "2025-01-01 00:00", 170),
		at(itemAt("summer", series(1396, "Breaking Bad", 1, 1, ""), 0), "2025-07-01 00:30", 58),
		at(itemAt("summer 2", series(1396, "", 1, 2, ""), 0), "2025-07-01 23:59", 0),
		at(itemAt("clocks change", heat, 0), "2025-10-26 00:30", 170),
		at(itemAt("the same day", series(1396, "Breaking Bad", 1, 3, ""), 0), "2025-10-26 23:30", 50),
		at(itemAt("dropped", heat, 0), "2025-11-01 20:00", 170),
		at(itemAt("last", series(1438, "The Wire", 1, 1, ""), 0), "2025-12-31 23:59", 60),
		at(itemAt("next year", heat, 0), "2026-01-01 00:00", 170), bulk,
	)
	s.do(t, entry.VerbDrop, outcomes[6].Entries...)
	y, err := s.Year(t.Context(), 2025, berlin)
	if err != nil {
		t.Fatal(err)
	}
	var days []string
	for _, d := range y.Days {
		days = append(days, fmt.Sprint(d.Date.Format("01-02 "), d.Films, d.Episodes, d.Minutes, d.Measured))
	}
	if diff := cmp.Diff([]string{"01-01 1 0 170 1", "07-01 0 2 58 1", "10-26 1 1 220 2", "12-31 0 1 60 1"}, days); diff != "" {
		t.Error(diff)
	}
	y.Days = nil
	want := entry.Year{
		Year: 2025, First: 2024, Last: 2026, Sum: entry.Watched{Films: 2, Episodes: 4, Minutes: 508, Measured: 5},
		Series: []entry.Ranked{
			{Name: "Breaking Bad", Media: &viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: 1396}, Title: "Breaking Bad"}}, Entry: 6, N: 3},
			{Name: "The Wire", Media: &viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: 1438}, Title: "The Wire"}}, Entry: 8, N: 1},
		},
		Films:    []entry.Ranked{{Name: "Heat (1995)", Media: &viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 949}, Title: "Heat", Year: 1995}, Entry: 5, N: 2}},
		BySource: []entry.Ranked{{Name: "browser:b1", N: 6}},
	}
	want.Months[0], want.Months[6] = entry.Watched{Films: 1, Minutes: 170, Measured: 1}, entry.Watched{Episodes: 2, Minutes: 58, Measured: 1}
	want.Months[9], want.Months[11] = entry.Watched{Films: 1, Episodes: 1, Minutes: 220, Measured: 2}, entry.Watched{Episodes: 1, Minutes: 60, Measured: 1}
	if diff := cmp.Diff(want, y); diff != "" {
		t.Error(diff)
	}
}

// TestSaveTitlesFillsEntries: an entry with a number only gets title, year and length from TMDB
// and is found by them, earlier and later ones alike. Reported titles are kept.
func TestSaveTitlesFillsEntries(t *testing.T) {
	s := openNew(t)
	bare := func(tmdb int64) viewing.Media {
		return viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: tmdb}}
	}
	titled := bare(604)
	titled.Title = "Matrix Reloaded"
	s.commit(t, itemAt("bare", bare(603), 0), itemAt("titled", titled, 300), itemAt("episode", series(1396, "", 1, 2, ""), 600))
	if path, known, err := s.Poster(t.Context(), "movie:604"); path != "" || known || err != nil {
		t.Errorf("before: %q, %v, %v", path, known, err)
	}
	err := s.SaveTitles(t.Context(), []Title{
		{Key: "movie:603", Title: "The Matrix", Year: 1999, Minutes: 136, Poster: "/a.jpg"},
		{Key: "movie:604", Title: "The Matrix Reloaded", Year: 2003, Minutes: 138},
		{Key: "tv:1396", Title: "Breaking Bad", Year: 2008, Poster: "/b.jpg"},
		{Key: "episode:1396:1:2", Title: "Cat's in the Bag...", Minutes: 48},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.commit(t, itemAt("later", bare(603), 900))
	for words, want := range map[string]string{
		"the matrix 1999": "The Matrix (1999) 136, The Matrix (1999) 136", "reloaded": "Matrix Reloaded (2003) 138", "breaking cats": "Breaking Bad S01E02 48",
	} {
		list, err := s.Entries(t.Context(), entry.Filter{Words: words})
		if err == nil {
			err = s.FillTitles(t.Context(), list)
		}
		var got []string
		for _, e := range list {
			got = append(got, fmt.Sprint(e.Label(), " ", e.Minutes))
		}
		if text := strings.Join(got, ", "); text != want || err != nil {
			t.Errorf("%s: %s, %v", words, text, err)
		}
	}
	for key, want := range map[string]string{"movie:603": "/a.jpg", "movie:604": "", "tv:1396": "/b.jpg"} {
		if path, known, err := s.Poster(t.Context(), key); path != want || !known || err != nil {
			t.Errorf("%s: %q, %v, %v", key, path, known, err)
		}
	}
}

// TestCorrectedEntryGetsItsTitle: after a correction an entry has the title and year of the
// chosen item, or those that another entry knows for its number. The wrong reported title is not
// used for other entries of that number.
func TestCorrectedEntryGetsItsTitle(t *testing.T) {
	for name, one := range map[string]struct {
		reported viewing.Media
		is       resolve.Candidate
		want     string
	}{
		"another year": {viewing.Media{Type: viewing.Movie, Title: "The Matrix", Year: 1998}, resolve.Candidate{Type: viewing.Movie, TMDB: 603, Title: "The Matrix", Year: 1999}, "The Matrix (1999)"},
		"another film": {viewing.Media{Type: viewing.Movie, Title: "Matrx"}, resolve.Candidate{Type: viewing.Movie, TMDB: 604, Title: "The Matrix Reloaded", Year: 2003}, "The Matrix Reloaded (2003)"},
		"a number":     {viewing.Media{Type: viewing.Movie, Title: "Watch: Matrix"}, resolve.Candidate{Type: viewing.Movie, TMDB: 603}, "The Matrix (1999)"},
		"unknown":      {viewing.Media{Type: viewing.Movie, Title: "Watch: Amélie"}, resolve.Candidate{Type: viewing.Movie, TMDB: 194}, "Watch: Amélie"},
		"a series":     {series(0, "The Chemistry Teacher", 1, 2, ""), resolve.Candidate{Type: viewing.TV, TMDB: 1396, Title: "Breaking Bad", Year: 2008}, "Breaking Bad S01E02"},
	} {
		s := openNew(t)
		s.commit(t, itemAt("known", viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}, Title: "The Matrix", Year: 1999}, 0), itemAt("asked", one.reported, 300))
		if _, err := s.Correct(t.Context(), CorrectionRequest{Entry: 2, Is: one.is}); err != nil {
			t.Fatal(err)
		}
		all, err := s.Entries(t.Context(), entry.Filter{})
		if err == nil {
			err = s.FillTitles(t.Context(), all)
		}
		if err != nil || all[0].Label() != one.want || all[1].Label() != "The Matrix (1999)" {
			t.Errorf("%s: %s, %s; %v", name, all[0].Label(), all[1].Label(), err)
		}
		again := one.reported
		s.commit(t, itemAt("again", again, 900))
		if all, err = s.Entries(t.Context(), entry.Filter{Limit: 1}); err != nil || one.is.Title != "" && all[0].Media.Season == nil && all[0].Label() != one.want {
			t.Errorf("%s, again: %s; %v", name, all[0].Label(), err)
		}
	}
}
