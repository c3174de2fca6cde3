package resolve

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/queue/viewing"
)

// seen is an episode of a series of that title.
func episodeOf(title string, season, number int) viewing.Media {
	return viewing.Media{Type: viewing.Episode, Show: &viewing.Show{Title: title, Year: 2008}, Season: &season, Episode: &number}
}

var testSeries = Candidate{Type: viewing.TV, TMDB: 7, Title: "Show Red", Year: 2008}

// placeOf is what a correction makes of an item; "" where it says nothing.
func placeOf(c Correction, m viewing.Media) string {
	if is, ok := c.Apply(m); ok {
		return is.Key()
	}
	return ""
}

// An answer about one episode covers those that are reported with the same shift.
func TestCorrectionAppliesToLaterEpisodes(t *testing.T) {
	shifted, ok := NewCorrection(nil, episodeOf("Show Red", 2, 2), testSeries, episodeOf("", 1, 14))
	if !ok {
		t.Fatal("not remembered")
	}
	both, _ := NewCorrection(&shifted, episodeOf("Show Red", 1, 3), testSeries, episodeOf("", 1, 3))
	later, _ := NewCorrection(&both, episodeOf("Show Red", 3, 1), testSeries, episodeOf("", 2, 1))
	plain, _ := NewCorrection(nil, episodeOf("Show Red", 2, 2), testSeries, episodeOf("", 2, 2))
	other, _ := NewCorrection(&later, episodeOf("Show Red", 2, 2), Candidate{Type: viewing.TV, TMDB: 8}, episodeOf("", 2, 2))
	for _, c := range []struct {
		said           Correction
		season, number int
		want           string
	}{
		{shifted, 2, 3, "episode:7:1:15"},
		{shifted, 1, 1, ""},
		{shifted, 3, 1, ""},
		{both, 1, 1, "episode:7:1:1"},
		{both, 2, 3, "episode:7:1:15"},
		{later, 3, 5, "episode:7:2:5"},
		{later, 4, 1, "episode:7:3:1"},
		{later, 2, 3, "episode:7:1:15"},
		{plain, 3, 4, "episode:7:3:4"},
		{plain, 0, 4, "episode:7:0:4"},
		{other, 2, 3, "episode:8:2:3"},
	} {
		if got := placeOf(c.said, episodeOf("show red!", c.season, c.number)); got != c.want {
			t.Errorf("%+v makes S%dE%d %q, want %q", c.said.Shifts, c.season, c.number, got, c.want)
		}
	}
	for name, pair := range map[string][2]viewing.Media{
		"a special with another number": {episodeOf("Show Red", 0, 1), episodeOf("", 1, 1)},
		"to a special":                  {episodeOf("Show Red", 1, 13), episodeOf("", 0, 1)},
		"no title":                      {episodeOf("", 1, 1), episodeOf("", 1, 1)},
		"with an identifier":            {{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 5}, Title: "Alpha"}, {}},
		"not to be trusted":             {{Type: viewing.Movie, Title: "Alpha", Unsure: true}, {}},
	} {
		if c, ok := NewCorrection(nil, pair[0], testSeries, pair[1]); ok {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// A source that counts through all seasons is answered once per season: the numbers after
// an answer follow it, and those before the first one, too.
func TestCorrectionOfEpisodesWithoutASeason(t *testing.T) {
	counted := func(number int) viewing.Media {
		m := episodeOf("Show Red", 0, number)
		m.Season = nil
		return m
	}
	once, ok := NewCorrection(nil, counted(66), testSeries, episodeOf("", 3, 16))
	if !ok {
		t.Fatal("not remembered")
	}
	twice, _ := NewCorrection(&once, counted(79), testSeries, episodeOf("", 4, 1))
	better, _ := NewCorrection(&twice, counted(79), testSeries, episodeOf("", 4, 2))
	named, _ := NewCorrection(nil, counted(66), testSeries, counted(66))
	mixed, _ := NewCorrection(&once, episodeOf("Show Red", 2, 2), testSeries, episodeOf("", 1, 14))
	for _, c := range []struct {
		said Correction
		m    viewing.Media
		want string
	}{
		{once, counted(66), "episode:7:3:16"},
		{once, counted(67), "episode:7:3:17"},
		{once, counted(51), "episode:7:3:1"},
		{once, counted(50), ""},
		{once, episodeOf("Show Red", 1, 2), "episode:7:1:2"},
		{twice, counted(78), "episode:7:3:28"},
		{twice, counted(80), "episode:7:4:2"},
		{better, counted(80), "episode:7:4:3"},
		{named, counted(67), ""},
		{mixed, counted(67), "episode:7:3:17"},
		{mixed, episodeOf("Show Red", 2, 3), "episode:7:1:15"},
	} {
		if got := placeOf(c.said, c.m); got != c.want {
			t.Errorf("%+v makes %s %q, want %q", c.said.Shifts, c.m.Label(), got, c.want)
		}
	}
	if c, ok := NewCorrection(nil, counted(66), testSeries, episodeOf("", 0, 3)); ok {
		t.Errorf("a special: %+v", c)
	}
}

// Whatever a person has said about episodes of one series: each of them is what was
// said last of its season, its neighbours follow, and no place below 1 comes out.
func TestShifts(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		place := func(name string) (season, number int) {
			return rapid.IntRange(1, 5).Draw(r, name+" season"), rapid.IntRange(1, 30).Draw(r, name+" number")
		}
		var c Correction
		var before *Correction
		said := map[int]Shift{}
		for range rapid.IntRange(1, 4).Draw(r, "answers") {
			season, number := place("told")
			toSeason, toNumber := place("is")
			told, is := episodeOf("Show Red", season, number), episodeOf("", toSeason, toNumber)
			var ok bool
			if c, ok = NewCorrection(before, told, testSeries, is); !ok {
				r.Fatal("not remembered")
			}
			before = &c
			said[season] = Shift{From: season, Season: toSeason - season, Episode: toNumber - number}
			if len(c.Shifts) != len(said) {
				r.Fatalf("%+v of %d seasons", c.Shifts, len(said))
			}
			if want := testSeries.Apply(is).Key(); placeOf(c, told) != want {
				r.Fatalf("%s, want %s: %+v", placeOf(c, told), want, c.Shifts)
			}
		}
		season, number := place("seen")
		m := episodeOf("Show Red", season, number)
		is, ok := c.Apply(m)
		if *m.Season != season || *m.Episode != number {
			r.Fatal("what was given has changed")
		}
		if ok && (*is.Season < 1 || *is.Episode < 1) {
			r.Fatalf("%+v", is)
		}
		s, answered := said[season]
		switch {
		case answered && number+s.Episode >= 1:
			if !ok || *is.Season != season+s.Season || *is.Episode != number+s.Episode {
				r.Fatalf("S%dE%d is %+v, %v by %+v", season, number, is, ok, c.Shifts)
			}
		case answered && ok:
			r.Fatalf("S%dE%d is %+v", season, number, is)
		case ok && len(c.Shifts) > 0 && *is.Episode != number:
			r.Fatalf("a season without an answer is counted otherwise: %+v", is)
		}
	})
}

// A site's own number is the strongest clue, then those of IMDb and TVDB, then title
// and year. Clues that disagree say nothing.
func TestCorrectionKeys(t *testing.T) {
	netflix := &viewing.Site{Name: "netflix", Title: "80057281"}
	all := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{IMDB: "tt0133093", TVDB: 5, TMDB: 9}, Title: "Alpha: One", Year: 1999, Site: netflix}
	without := func(change func(*viewing.Media)) viewing.Media {
		m := all
		change(&m)
		return m
	}
	for _, c := range []struct {
		m    viewing.Media
		want []string
	}{
		{all, []string{"movie site netflix 80057281", "movie imdb tt0133093"}},
		{without(func(m *viewing.Media) { m.Site, m.IDs.IMDB = nil, "nm0000001" }), []string{"movie tvdb 5"}},
		{without(func(m *viewing.Media) { m.IDs = viewing.IDs{} }), []string{"movie site netflix 80057281", "movie 1999 alphaone"}},
		{viewing.Media{Type: viewing.Movie, Title: "…"}, nil},
		{viewing.Media{Type: viewing.Episode, Title: "The Second", IDs: viewing.IDs{IMDB: "tt0133093"}, Show: &viewing.Show{Title: "Show Red"}}, []string{"tv 0 showred"}},
	} {
		if got := CorrectionKeys(c.m); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.m, got, c.want)
		}
	}
	film := Candidate{Type: viewing.Movie, TMDB: 603}
	told := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{IMDB: "tt0133093"}, Title: "Alpha", Year: 1999}
	c, _ := NewCorrection(nil, told, film, told)
	told.Site = netflix
	bySite, _ := NewCorrection(nil, told, film, told)
	for name, one := range map[string]struct {
		c    Correction
		m    viewing.Media
		want bool
	}{
		"the same":                      {c, told, true},
		"another title, the year near":  {c, viewing.Media{Type: viewing.Movie, IDs: told.IDs, Title: "Omega", Year: 2000}, true},
		"another title and year":        {c, viewing.Media{Type: viewing.Movie, IDs: told.IDs, Title: "Omega", Year: 2003}, false},
		"by the site's number alone":    {bySite, viewing.Media{Type: viewing.Movie, Site: netflix}, true},
		"whatever the site calls it":    {bySite, viewing.Media{Type: viewing.Movie, Site: netflix, Title: "Omega", Year: 2003}, true},
		"another number at the site":    {bySite, viewing.Media{Type: viewing.Movie, IDs: told.IDs, Site: &viewing.Site{Name: "netflix", Title: "1"}}, false},
		"not to be trusted":             {c, viewing.Media{Type: viewing.Movie, IDs: told.IDs, Unsure: true}, false},
		"a series of the same number":   {c, viewing.Media{Type: viewing.TV, IDs: told.IDs}, false},
		"an episode without its series": {c, viewing.Media{Type: viewing.Episode, IDs: told.IDs}, false},
	} {
		if _, ok := one.c.Apply(one.m); ok != one.want {
			t.Errorf("%s: %v", name, ok)
		}
	}
}
