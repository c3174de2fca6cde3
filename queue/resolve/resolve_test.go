package resolve

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/viewing"
)

func n(i int) *int { return &i }

func film(imdb, title string, year int) viewing.Media {
	return viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{IMDB: imdb}, Title: title, Year: year}
}

func episode(show viewing.Show) viewing.Media {
	return viewing.Media{
		Type: viewing.Episode, IDs: viewing.IDs{IMDB: "tt7000001"}, Title: "Pilot", Year: 2009,
		Show: &show, Season: n(1), Episode: n(2),
	}
}

func TestQuestions(t *testing.T) {
	nowhere, unnumbered := episode(viewing.Show{Title: "Show Red"}), episode(viewing.Show{Title: "Show Red"})
	nowhere.Show, unnumbered.Episode = nil, nil
	for name, c := range map[string]struct {
		m    viewing.Media
		want []Question
	}{
		"film":              {film("tt1", "Alpha", 1999), []Question{{IMDB: "tt1"}, {Title: "Alpha", Type: viewing.Movie, Year: 1999}}},
		"film by title":     {film("", "Alpha", 0), []Question{{Title: "Alpha", Type: viewing.Movie}}},
		"film by IMDb":      {film("tt1", "", 0), []Question{{IMDB: "tt1"}}},
		"nothing but marks": {film("", "???", 1999), nil},
		"identified":        {viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 1, IMDB: "tt1"}}, nil},
		"series": {
			viewing.Media{Type: viewing.TV, IDs: viewing.IDs{IMDB: "tt2"}, Title: "Show Red", Year: 2008},
			[]Question{{IMDB: "tt2"}, {Title: "Show Red", Type: viewing.TV, Year: 2008}},
		},
		"episode": {
			episode(viewing.Show{IDs: viewing.IDs{IMDB: "tt2"}, Title: "Show Red", Year: 2008}),
			[]Question{{IMDB: "tt2"}, {Title: "Show Red", Type: viewing.TV, Year: 2008}},
		},
		"its own id alone":  {episode(viewing.Show{}), nil},
		"of no series":      {nowhere, nil},
		"without its place": {unnumbered, nil},
	} {
		if diff := cmp.Diff(c.want, Questions(c.m)); diff != "" || len(c.want) > 2 {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func TestJudge(t *testing.T) {
	alpha, red := film("tt1", "Alpha One", 1999), episode(viewing.Show{IDs: viewing.IDs{IMDB: "tt2"}, Title: "Show Red", Year: 2008})
	unsure, unknownYear := alpha, alpha
	unsure.Unsure, unknownYear.Year = true, 0
	counted := red
	counted.Site = &viewing.Site{Name: "netflix", Numbering: viewing.SiteNumbering}
	byID, byTitle := Question{IMDB: "tt1"}, Question{Title: "Alpha One", Type: viewing.Movie, Year: 1999}
	for name, c := range map[string]struct {
		m    viewing.Media
		q    Question
		a    Answer
		want int64  // taken
		said string // among others
		fix  int64
	}{
		"IMDb":                   {alpha, byID, Answer{603, "movie", "Autre titre", 0, "high"}, 603, "knows tt1 as", 0},
		"IMDb, no confidence":    {alpha, byID, Answer{603, "movie", "", 0, ""}, 603, "an untitled item (film tmdb 603)", 0},
		"IMDb, doubted":          {alpha, byID, Answer{603, "movie", "Alpha One", 1999, "medium"}, 0, "not sure", 603},
		"IMDb of a series":       {alpha, byID, Answer{603, "tv", "Alpha One", 1999, "high"}, 0, "that is no film", 0},
		"IMDb of an episode":     {alpha, byID, Answer{603, "episode", "", 0, "high"}, 0, "that is no film", 0},
		"IMDb of what?":          {alpha, byID, Answer{603, "", "", 0, "high"}, 0, "(unknown type, tmdb 603, high", 0},
		"IMDb of nothing":        {alpha, byID, Answer{}, 0, "knows nothing of tt1", 0},
		"IMDb from a broken NFO": {unsure, byID, Answer{603, "movie", "", 0, "high"}, 0, "not to be trusted", 603},
		"episode":                {red, Question{IMDB: "tt2"}, Answer{1396, "tv", "Show Red", 2008, "high"}, 1396, "series tmdb 1396", 0},
		"episode, of a film":     {red, Question{IMDB: "tt2"}, Answer{1396, "movie", "Show Red", 2008, "high"}, 0, "that is no series", 0},
		"episode, no certainty":  {red, Question{Title: "Show Red"}, Answer{1396, "tv", "Show Red", 2008, "low"}, 0, "low confidence", 1396},
		"episode, another count": {counted, Question{IMDB: "tt2"}, Answer{1396, "tv", "Show Red", 2008, "high"}, 0, "in its own way", 1396},
		"title":                  {alpha, byTitle, Answer{603, "movie", "alpha: ONE!", 1999, "high"}, 603, "is sure", 0},
		"title, a year early":    {alpha, byTitle, Answer{603, "movie", "Alpha One", 1998, "high"}, 0, "years differ", 603},
		"title, years apart":     {alpha, byTitle, Answer{603, "movie", "Alpha One", 2001, "high"}, 0, "years differ", 603},
		"title, its year untold": {alpha, byTitle, Answer{603, "movie", "Alpha One", 0, "high"}, 0, "does not tell its year", 603},
		"title, ours unknown":    {unknownYear, byTitle, Answer{603, "movie", "Alpha One", 1999, "high"}, 0, "not known here", 603},
		"title, medium":          {alpha, byTitle, Answer{603, "movie", "Alpha One", 1999, "medium"}, 0, "tmdb 603, medium confidence", 603},
		"title, no confidence":   {alpha, byTitle, Answer{603, "movie", "Alpha One", 1999, ""}, 0, "not sure", 603},
		"title, another":         {alpha, byTitle, Answer{603, "movie", "Alpha Two", 1999, "high"}, 0, "titles differ", 603},
		"title of a series":      {alpha, byTitle, Answer{603, "tv", "Alpha One", 1999, "high"}, 0, "that is no film", 0},
		"title from a file name": {unsure, byTitle, Answer{603, "movie", "Alpha One", 1999, "high"}, 0, "not to be trusted", 603},
		"title of nothing":       {alpha, byTitle, Answer{}, 0, `knows nothing called "Alpha One"`, 0},
	} {
		j := Judge(c.m, c.q, c.a, nil)
		got := int64(0)
		if j.Media != nil {
			got = j.Media.IDs.TMDB
			if j.Media.Show != nil {
				got = j.Media.Show.IDs.TMDB
			}
			if !j.Media.Identified() || j.Media.Type != c.m.Type {
				t.Errorf("%s: %+v is not identified", name, *j.Media)
			}
		}
		if got != c.want || j.Fix != c.fix || !strings.Contains(j.Said, c.said) {
			t.Errorf("%s: %d, %q, %d; want %d, %q, %d", name, got, j.Said, j.Fix, c.want, c.said, c.fix)
		}
	}
}

// An episode is never given a number of its own, and what it was is not changed.
func TestJudgeTouchesNothingElse(t *testing.T) {
	m := episode(viewing.Show{IDs: viewing.IDs{IMDB: "tt2"}})
	got := Judge(m, Question{IMDB: "tt2"}, Answer{TMDB: 1396, Type: "tv"}, nil).Media
	if got.Key() != "episode:1396:1:2" || got.IDs.TMDB != 0 || m.Show.IDs.TMDB != 0 {
		t.Errorf("%+v of %+v", got, m)
	}
}

func TestAgain(t *testing.T) {
	var got []time.Duration
	for asked := range 6 {
		if wait, ok := Again(asked); ok {
			got = append(got, wait/(24*time.Hour))
		}
	}
	if !slices.Equal(got, []time.Duration{1, 7, 30}) {
		t.Errorf("asked again after %d days", got)
	}
}
