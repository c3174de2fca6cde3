package resolve

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/queue/viewing"
)

// episodeOf returns an episode of a series with that title.
func episodeOf(title string, season, number int) viewing.Media {
	return viewing.Media{Type: viewing.Episode, Show: &viewing.Show{Title: title, Year: 2008}, Season: &season, Episode: &number}
}

var testSeries = Candidate{Type: viewing.TV, TMDB: 7, Title: "Show Red", Year: 2008}

// placeOf returns the key of an item after a correction; "" if the correction does not apply.
func placeOf(c Correction, m viewing.Media) string {
	if is, ok := c.Apply(m); ok {
		return is.Key()
	}
	return ""
}

// An answer about one episode applies to later ones with the same shift.
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
		c              Correction
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
		if got := placeOf(c.c, episodeOf("show red!", c.season, c.number)); got != c.want {
			t.Errorf("%+v makes S%dE%d %q, want %q", c.c.Shifts, c.season, c.number, got, c.want)
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

// A source without seasons needs one answer per season: it applies to the numbers after it,
// and the first answer also to those before it.
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
		c    Correction
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
		if got := placeOf(c.c, c.m); got != c.want {
			t.Errorf("%+v makes %s %q, want %q", c.c.Shifts, c.m.Label(), got, c.want)
		}
	}
	if c, ok := NewCorrection(nil, counted(66), testSeries, episodeOf("", 0, 3)); ok {
		t.Errorf("a special: %+v", c)
	}
}

// After any sequence of answers about one series, the last answer of a season applies to
// all of its episodes, and no season or number is below 1.
func TestShifts(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		place := func(name string) (season, number int) {
			return rapid.IntRange(1, 5).Draw(r, name+" season"), rapid.IntRange(1, 30).Draw(r, name+" number")
		}
		var c Correction
		var before *Correction
		answers := map[int]Shift{}
		for range rapid.IntRange(1, 4).Draw(r, "answers") {
			season, number := place("reported")
			toSeason, toNumber := place("is")
			reported, is := episodeOf("Show Red", season, number), episodeOf("", toSeason, toNumber)
			var ok bool
			if c, ok = NewCorrection(before, reported, testSeries, is); !ok {
				r.Fatal("not remembered")
			}
			before = &c
			answers[season] = Shift{From: season, Season: toSeason - season, Episode: toNumber - number}
			if len(c.Shifts) != len(answers) {
				r.Fatalf("%+v of %d seasons", c.Shifts, len(answers))
			}
			if want := testSeries.Apply(is).Key(); placeOf(c, reported) != want {
				r.Fatalf("%s, want %s: %+v", placeOf(c, reported), want, c.Shifts)
			}
		}
		season, number := place("seen")
		m := episodeOf("Show Red", season, number)
		is, ok := c.Apply(m)
		if *m.Season != season || *m.Episode != number {
			r.Fatal("Apply has changed its argument")
		}
		if ok && (*is.Season < 1 || *is.Episode < 1) {
			r.Fatalf("%+v", is)
		}
		s, answered := answers[season]
		switch {
		case answered && number+s.Episode >= 1:
			if !ok || *is.Season != season+s.Season || *is.Episode != number+s.Episode {
				r.Fatalf("S%dE%d is %+v, %v by %+v", season, number, is, ok, c.Shifts)
			}
		case answered && ok:
			r.Fatalf("S%dE%d is %+v", season, number, is)
		case ok && len(c.Shifts) > 0 && *is.Episode != number:
			r.Fatalf("a number of a season without an answer was changed: %+v", is)
		}
	})
}

// A site's number is the strongest key, then those of IMDb and TVDB, then title and year. A
// correction with contradicting clues does not apply.
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
	reported := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{IMDB: "tt0133093"}, Title: "Alpha", Year: 1999}
	c, _ := NewCorrection(nil, reported, film, reported)
	reported.Site = netflix
	bySite, _ := NewCorrection(nil, reported, film, reported)
	for name, one := range map[string]struct {
		c    Correction
		m    viewing.Media
		want bool
	}{
		"the same":                            {c, reported, true},
		"another title, the year near":        {c, viewing.Media{Type: viewing.Movie, IDs: reported.IDs, Title: "Omega", Year: 2000}, true},
		"another title and year":              {c, viewing.Media{Type: viewing.Movie, IDs: reported.IDs, Title: "Omega", Year: 2003}, false},
		"by the site's number alone":          {bySite, viewing.Media{Type: viewing.Movie, Site: netflix}, true},
		"by the site's number, another title": {bySite, viewing.Media{Type: viewing.Movie, Site: netflix, Title: "Omega", Year: 2003}, true},
		"another number at the site":          {bySite, viewing.Media{Type: viewing.Movie, IDs: reported.IDs, Site: &viewing.Site{Name: "netflix", Title: "1"}}, false},
		"not to be trusted":                   {c, viewing.Media{Type: viewing.Movie, IDs: reported.IDs, Unsure: true}, false},
		"a series of the same number":         {c, viewing.Media{Type: viewing.TV, IDs: reported.IDs}, false},
		"an episode without its series":       {c, viewing.Media{Type: viewing.Episode, IDs: reported.IDs}, false},
	} {
		if _, ok := one.c.Apply(one.m); ok != one.want {
			t.Errorf("%s: %v", name, ok)
		}
	}
}
