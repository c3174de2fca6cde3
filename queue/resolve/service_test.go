package resolve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

func matched(tmdb int64, kind, title string, year int, confidence string) tracker.Match {
	return tracker.Match{TMDB: tmdb, Type: kind, Title: title, Year: year, Confidence: confidence}
}

// service answers like the tracking service. Its keys are IMDb numbers, or "movie Saw 2004".
type service map[string]tracker.Match

func (s service) Fetch(_ context.Context, wanted []Question) (map[Question]*Answer, error) {
	found := map[Question]*Answer{}
	for _, q := range wanted {
		var matches []tracker.Match
		for _, w := range ServiceItems(q) {
			key := w.IMDB
			if key == "" {
				key = fmt.Sprint(w.Type, " ", w.Title, " ", w.Year)
			}
			matches = append(matches, s[key])
		}
		if found[q] = nil; len(matches) > 0 {
			a := ServiceAnswer(q, matches)
			found[q] = &a
		}
	}
	return found, nil
}

// chain returns a chain of the service and the others.
func (s service) chain(others ...*Provider) Chain {
	return append(Chain{{Name: ByService, Fetcher: s, Log: slog.New(slog.DiscardHandler)}}, others...)
}

// The service's answers are decided by the same table, alone and together with TMDB.
func TestDecideWithTheService(t *testing.T) {
	film := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{IMDB: "tt0000001"}, Title: "Alpha One", Year: 1999}
	unsure := film
	unsure.Unsure = true
	episode := func(season, number int, name string) viewing.Media {
		return viewing.Media{Type: viewing.Episode, Title: name, Season: n(season), Episode: n(number), Show: &viewing.Show{IDs: viewing.IDs{IMDB: "tt0000002"}, Title: "Show Red", Year: 2008}}
	}
	ofSite := episode(1, 2, "")
	ofSite.Site = &viewing.Site{Name: "netflix", Numbering: viewing.SiteNumbering}
	byTVDB := episode(1, 2, "")
	byTVDB.Show = &viewing.Show{IDs: viewing.IDs{IMDB: "tt0000002", TVDB: 5}}
	twin := viewing.Media{Type: viewing.Movie, Title: "Emma", Year: 1996}
	red := matched(7, "tv", "Show Red", 2008, "high")
	twins := fakeTMDB(map[Question]Answer{
		{Topic: ByTitle, Kind: viewing.Movie, Text: "Emma", Year: 1996}: {Works: []Work{filmNamed(1, "Emma", 1996), filmNamed(2, "Emma", 1996)}},
	})
	one := fakeTMDB(map[Question]Answer{{Topic: ByTitle, Kind: viewing.Movie, Text: "Emma", Year: 1996}: {Works: []Work{filmNamed(1, "Emma", 1996), filmNamed(3, "Emma", 2020)}}})
	season := fakeTMDB(map[Question]Answer{{Topic: Season, Number: 7, Season: 1}: {Episodes: []Episode{{Show: 7, Season: 1, Number: 1, Name: "Pilot, Part 1"}, {Show: 7, Season: 1, Number: 2, Name: "The Second"}}}})
	for name, c := range map[string]struct {
		m      viewing.Media
		match  tracker.Match
		others []*Provider
		want   string // the key of the certain item, or the reason
	}{
		"IMDb, no confidence":               {film, matched(603, "movie", "", 0, ""), nil, "movie:603"},
		"IMDb, a title in another language": {film, matched(603, "movie", "Autre titre", 0, "high"), nil, "movie:603"},
		"IMDb, title and year of another":   {film, matched(603, "movie", "Another", 1950, "high"), nil, "otherWork"},
		"IMDb, doubted":                     {film, matched(603, "movie", "Alpha One", 1999, "medium"), nil, "serviceUnsure"},
		"IMDb of a series":                  {film, matched(603, "tv", "Alpha One", 1999, "high"), nil, "otherKind"},
		"IMDb of an episode":                {film, matched(603, "episode", "", 0, "high"), nil, "otherKind"},
		"IMDb of what?":                     {film, matched(603, "", "", 0, "high"), nil, "otherKind"},
		"IMDb from a broken NFO":            {unsure, matched(603, "movie", "", 0, "high"), nil, "unsure"},
		"episode":                           {episode(1, 2, ""), red, nil, "episode:7:1:2"},
		"episode, of a film":                {episode(1, 2, ""), matched(7, "movie", "Show Red", 2008, "high"), nil, "otherKind"},
		"episode, doubted":                  {episode(1, 2, ""), matched(7, "tv", "Show Red", 2008, "low"), nil, "serviceUnsure"},
		"episode, the site's count":         {ofSite, red, nil, "noWitness"},
		"episode, perhaps TVDB's count":     {byTVDB, red, nil, "noWitness"},
		"special":                           {episode(0, 2, ""), red, nil, "special"},
		"pilot in two parts":                {episode(1, 1, "Pilot (Parts 1 & 2)"), red, nil, "noWitness"},
		"pilot in two parts, TMDB on":       {episode(1, 1, "Pilot (Parts 1 & 2)"), red, []*Provider{season}, "noWitness"},
		"episode, TMDB confirms its name":   {episode(1, 2, "The Second"), red, []*Provider{season}, "episode:7:1:2"},
		"episode that TMDB has not":         {episode(1, 9, "The Second"), red, []*Provider{season}, "noEpisode"},
		"twins of one year":                 {twin, matched(1, "movie", "Emma", 1996, "high"), []*Provider{twins}, "namesake"},
		"no twin":                           {twin, matched(1, "movie", "Emma", 1996, "high"), []*Provider{one}, "movie:1"},
		"another film at TMDB":              {twin, matched(9, "movie", "Emma", 1996, "high"), []*Provider{one}, "namesake"},
		"unknown to the service":            {twin, tracker.Match{}, []*Provider{one}, "movie:1"},
	} {
		s := service{"tt0000001": c.match, "tt0000002": c.match, "movie Emma 1996": c.match}
		d, err := s.chain(c.others...).Decide(t.Context(), []Evidence{{Media: c.m}})
		if got := outcomeKey(d[0]); err != nil || got != c.want && (got != "hold" || d[0].Why.Code != "why."+c.want) {
			t.Errorf("%s: %s (%v), %v; want %s", name, got, d[0].Why, err, c.want)
		}
	}
}

func filmNamed(id int64, title string, year int) Work {
	return Work{Candidate: Candidate{Type: viewing.Movie, TMDB: id, Title: title, Year: year}}
}

func fakeTMDB(knows map[Question]Answer) *Provider {
	may := []Topic{ByIMDB, ByTVDB, Details, Season, ByTitle}
	return &Provider{Name: "TMDB", Fetcher: &fakeProvider{answers: knows, topics: may}, Log: slog.New(slog.DiscardHandler)}
}

// Only IMDb numbers and titles are sent to the service, and no numbers of episodes.
func TestServiceItems(t *testing.T) {
	for want, q := range map[string]Question{
		"[{tt0000001   0}]": {Topic: ByIMDB, Text: "tt0000001"},
		"[{ Alpha movie 1999} { Alpha movie 1998} { Alpha movie 2000}]": {Topic: ByTitle, Kind: viewing.Movie, Text: "Alpha", Year: 1999},
		"[{ Alpha tv 0}]": {Topic: ByTitle, Kind: viewing.TV, Text: "Alpha"},
	} {
		if got := ServiceItems(q); fmt.Sprint(got) != want {
			t.Errorf("%+v: %v", q, got)
		}
	}
	for _, q := range []Question{{Topic: ByIMDB, Text: "tt0000001", Kind: viewing.Episode}, {Topic: ByTVDB, Number: 5}, {Topic: BySite, Kind: viewing.Movie, Text: "netflix 5"}, {Topic: Season, Number: 5}} {
		if got := ServiceItems(q); got != nil {
			t.Errorf("%+v: %v", q, got)
		}
	}
}

// A match without a title has the requested one. A film known only to the service is not
// certain by its title and runtime.
func TestServiceMatchesWithoutATitle(t *testing.T) {
	q := Question{Topic: ByTitle, Kind: viewing.Movie, Text: "Alpha", Year: 1999}
	a := ServiceAnswer(q, []tracker.Match{matched(1, "movie", "Alpha", 1999, "high"), matched(2, "movie", "", 1998, "high")})
	if len(a.Works) != 2 || a.Works[1].Title != "Alpha" {
		t.Errorf("%+v", a)
	}
	s := service{"movie Alpha 0": matched(1, "movie", "Alpha", 1999, "high")}
	work := filmNamed(1, "Alpha", 1999)
	work.Minutes = 100
	details := fakeTMDB(map[Question]Answer{{Topic: Details, Kind: viewing.Movie, Number: 1}: {Works: []Work{work}}})
	d, err := s.chain(details).Decide(t.Context(), []Evidence{{Media: viewing.Media{Type: viewing.Movie, Title: "Alpha"}, Runtime: 100 * time.Minute}})
	if err != nil || d[0].Item != nil || d[0].Why.Code != "why.noYear" {
		t.Errorf("%+v, %v", d, err)
	}
}

// failsAfterFirst is a TMDB that fails after the first request.
type failsAfterFirst struct{ fakeProvider }

func (b *failsAfterFirst) Fetch(ctx context.Context, wanted []Question) (map[Question]*Answer, error) {
	found, err := b.fakeProvider.Fetch(ctx, wanted)
	b.err = errors.New("away")
	return found, err
}

// There is no contradiction while answers are missing that could resolve it.
func TestContradictionNeedsAllAnswers(t *testing.T) {
	knows := map[Question]Answer{{Topic: ByIMDB, Text: "tt0000700"}: films(film(603, "Alpha", 1999))}
	m := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 5, IMDB: "tt0000700"}, Title: "Alfa"}
	f := fakeProvider{answers: knows, topics: []Topic{ByIMDB, Details}}
	for want, asker := range map[bool]Fetcher{false: &failsAfterFirst{f}, true: &f} {
		why, found := Chain{{Name: TMDB, Fetcher: asker, Log: slog.New(slog.DiscardHandler)}}.Contradiction(t.Context(), m)
		if found != want {
			t.Errorf("%v, want %v", why, want)
		}
	}
}

// A contradiction is found in a source's number, a missing confirmation is not one.
func TestContradictions(t *testing.T) {
	movie := func(tmdb int64, imdb, title string, year int) viewing.Media {
		return viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: tmdb, IMDB: imdb}, Title: title, Year: year}
	}
	at := func(show viewing.Show, season, number int, name string) viewing.Media {
		return viewing.Media{Type: viewing.Episode, Show: &show, Season: n(season), Episode: n(number), Title: name}
	}
	red := viewing.Show{IDs: viewing.IDs{TMDB: 7, TVDB: 77}, Title: "Show Red", Year: 2008}
	own := func(tmdb, imdb int, name string) viewing.Media {
		m := at(viewing.Show{Title: "Show Red", Year: 2008}, 1, 2, name)
		m.IDs.TMDB = int64(tmdb)
		if imdb > 0 {
			m.IDs.IMDB = fmt.Sprintf("tt%07d", imdb)
		}
		return m
	}
	for name, c := range map[string]struct {
		m    viewing.Media
		want string
	}{
		"right":                              {movie(603, "tt0000603", "The Matrix", 1999), ""},
		"its number alone":                   {movie(603, "", "", 0), ""},
		"a title in another language":        {movie(603, "", "Матрица", 2000), ""},
		"unknown to IMDb's list":             {movie(603, "tt0000000", "The Matrix", 1999), ""},
		"another IMDb number":                {movie(801, "tt0000603", "Alpha", 2001), "differ"},
		"the number of a series":             {movie(603, "", "Show Red", 2008), "otherWork"},
		"a number that is gone":              {movie(404, "", "The Matrix", 1999), "elsewhere"},
		"gone, and no title":                 {movie(404, "", "", 0), "gone"},
		"unknown":                            {movie(5, "", "Any", 1999), ""},
		"episode":                            {at(red, 1, 2, "The Second"), ""},
		"episode in another language":        {at(red, 1, 2, "Der Zweite"), ""},
		"no such episode":                    {at(red, 1, 500, ""), "noEpisode"},
		"no such season":                     {at(red, 9, 1, ""), "noEpisode"},
		"special that is there":              {at(red, 0, 1, ""), ""},
		"special that is not there":          {at(red, 0, 2, ""), "noEpisode"},
		"an episode's number as its series'": {at(viewing.Show{IDs: viewing.IDs{TMDB: 999}, Title: "Show Red", Year: 2008}, 1, 1, ""), "goneSeries"},
		"another series' name":               {at(viewing.Show{IDs: viewing.IDs{TMDB: 8}, Title: "Show Red"}, 1, 1, ""), "otherSeries"},
		"an episode's own number":            {own(71, 0, "Pilot"), ""},
		"with IMDb's of the same":            {own(72, 72, "The Second"), ""},
		"with IMDb's of another":             {own(71, 72, "The Second"), "elsewhere"},
		"a number that the season lacks":     {own(99, 0, "Pilot"), "ownElsewhere"},
		"a film's number":                    {at(viewing.Show{IDs: viewing.IDs{TMDB: 603}, Title: "Show Red", Year: 2008}, 1, 1, ""), ""},
	} {
		world := tableWorld()
		world[Question{Topic: Season, Number: 7}] = Answer{Episodes: []Episode{{TMDB: 70, Show: 7, Number: 1, Name: "Special"}}}
		d := Decide(Evidence{Media: c.m}, facts{known: world}.answer).asContradiction(c.m)
		if got := d.Why.Code; d.Contradicted != (c.want != "") || d.Contradicted && got != "why."+c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
