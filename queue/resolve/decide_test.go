package resolve

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/queue/viewing"
)

// facts holds TMDB's answers. Other questions have no answer, or, if may is set, must be
// asked first.
type facts struct {
	known map[Question]Answer
	may   bool
}

func (f facts) answer(q Question) (*Answer, bool) {
	if q.Year = 0; q.Kind == viewing.Episode {
		q.Kind = "" // known has one entry per number
	}
	if a, ok := f.known[q]; ok {
		a.By = TMDB
		return &a, true
	}
	return nil, !f.may
}

// Reported is what a source reported about a work, and seenAs about an item.
type Reported struct {
	viewing.IDs
	Site, Title string
	Year        int
}

type seenAs struct {
	Kind            viewing.MediaType
	Own, Show       Reported
	Season, Episode *int
	OwnCount        bool
	Unsure          bool
	Minutes         int
}

func (s seenAs) evidence() Evidence {
	m := viewing.Media{Type: s.Kind, IDs: s.Own.IDs, Title: s.Own.Title, Year: s.Own.Year, Season: s.Season, Episode: s.Episode, Unsure: s.Unsure}
	name, number, known := strings.Cut(s.Own.Site+s.Show.Site, " ")
	if known || s.OwnCount {
		m.Site = &viewing.Site{Name: name, Title: number}
	}
	if s.Kind == viewing.Episode {
		m.Show = &viewing.Show{IDs: s.Show.IDs, Title: s.Show.Title, Year: s.Show.Year}
		if m.Site != nil {
			m.Site.Title, m.Site.Series = "", number
		}
	}
	if s.OwnCount {
		m.Site.Numbering = viewing.SiteNumbering
	}
	return Evidence{Media: m, Runtime: time.Duration(s.Minutes) * time.Minute}
}

func n(i int) *int { return &i }

func film(id int64, title string, year int, names ...string) Work {
	return Work{Candidate: Candidate{Type: viewing.Movie, TMDB: id, Title: title, Year: year}, Names: names}
}

func show(id int64, title string, year int, names ...string) Work {
	return Work{Candidate: Candidate{Type: viewing.TV, TMDB: id, Title: title, Year: year}, Names: names}
}

func films(all ...Work) Answer  { return Answer{Works: all} }
func series(all ...Work) Answer { return Answer{Works: all} }

// tableWorld returns the answers of TMDB and Wikidata for the tests of the table.
func tableWorld() map[Question]Answer {
	many := make([]Work, maxNameLookups+1)
	for i := range many {
		many[i] = film(int64(900+i), fmt.Sprint("Other ", i), 2001)
	}
	return map[Question]Answer{
		{Topic: Details, Kind: viewing.Movie, Number: 603}: films(film(603, "The Matrix", 1999, "Matrix", "Матрица")),
		{Topic: Details, Kind: viewing.Movie, Number: 404}: {},
		{Topic: Details, Kind: viewing.TV, Number: 7}:      series(show(7, "Show Red", 2008, "Serie Rot")),
		{Topic: Details, Kind: viewing.TV, Number: 8}:      series(show(8, "Show Blue", 1990)),
		{Topic: Details, Kind: viewing.Movie, Number: 801}: films(film(801, "Alpha", 2001, "Anna")),
		{Topic: Details, Kind: viewing.Movie, Number: 802}: films(film(802, "Beta", 2002, "Anna", "Berta")),
		{Topic: ByIMDB, Text: "tt0000603"}:                 films(film(603, "The Matrix", 1999)),
		{Topic: ByIMDB, Text: "tt0000007"}:                 series(show(7, "Show Red", 2008)),
		{Topic: ByIMDB, Text: "tt0000072"}:                 {Episodes: []Episode{{TMDB: 72, Show: 7, Season: 1, Number: 2}}},
		{Topic: ByIMDB, Text: "tt0000002"}:                 {Works: []Work{film(1, "A", 1)}, Episodes: []Episode{{TMDB: 72, Show: 7, Season: 1, Number: 2}}},
		{Topic: ByIMDB, Text: "tt0000000"}:                 {},
		{Topic: ByTVDB, Number: 77}:                        series(show(7, "Show Red", 2008)),
		{Topic: ByTVDB, Number: 78}:                        series(show(7, "Show Red", 2008), show(8, "Show Blue", 1990)),
		{Topic: ByTVDB, Number: 72}:                        {Works: []Work{show(9, "Another", 1)}, Episodes: []Episode{{TMDB: 72, Show: 7, Season: 1, Number: 2}}},
		{Topic: ByTVDB, Number: 73}:                        {Episodes: []Episode{{TMDB: 73, Show: 7, Season: 1, Number: 3}}},
		{Topic: Season, Number: 7, Season: 1}: {Episodes: []Episode{
			{TMDB: 71, Show: 7, Season: 1, Number: 1, Name: "Pilot"},
			{TMDB: 72, Show: 7, Season: 1, Number: 2, Name: "The Second"},
			{TMDB: 73, Show: 7, Season: 1, Number: 3, Name: "Episode 3"},
		}},
		{Topic: Season, Number: 7, Season: 9}:                         {},
		{Topic: ByTitle, Kind: viewing.Movie, Text: "The Matrix"}:     films(film(603, "The Matrix", 1999), film(604, "The Matrix Reloaded", 2003)),
		{Topic: ByIMDB, Text: "tt0000003"}:                            {Works: []Work{show(7, "Show Red", 2008)}, Episodes: []Episode{{TMDB: 72, Show: 7, Season: 1, Number: 2}}},
		{Topic: Details, Kind: viewing.TV, Number: 999}:               {},
		{Topic: ByIMDB, Text: "tt0000008"}:                            series(show(8, "Show Blue", 1990)),
		{Topic: ByTVDB, Number: 74}:                                   {Works: []Work{show(9, "Another", 1)}, Episodes: []Episode{{TMDB: 71, Show: 7, Season: 1, Number: 1, Name: "Pilot"}}},
		{Topic: ByTitle, Kind: viewing.Movie, Text: "Saw"}:            films(film(1, "Saw", 2003), film(2, "SAW!", 2004)),
		{Topic: ByTitle, Kind: viewing.Movie, Text: "Anna"}:           films(film(801, "Alpha", 2001), film(802, "Beta", 2002)),
		{Topic: ByTitle, Kind: viewing.Movie, Text: "Berta"}:          films(film(801, "Alpha", 2001), film(802, "Beta", 2002)),
		{Topic: ByTitle, Kind: viewing.Movie, Text: "Crowd"}:          films(append(many, film(1, "Crowd", 2001))...),
		{Topic: ByTitle, Kind: viewing.Movie, Text: "Endless"}:        {Works: []Work{film(1, "Endless", 2001)}, Partial: true},
		{Topic: ByTitle, Kind: viewing.Movie, Text: "Straße & Fähre"}: films(film(1, "Strasse and Fahre", 2001)),
		{Topic: ByTitle, Kind: viewing.TV, Text: "Show Red"}:          series(show(7, "Show Red", 2008)),
		{Topic: ByIMDB, Text: "tt0000021"}:                            {Works: []Work{{Candidate: Candidate{Type: viewing.TV, TMDB: 21, Title: "Show Gray"}, By: "Wikidata"}}},
		{Topic: ByTVDB, Number: 21}:                                   {Works: []Work{{Candidate: Candidate{Type: viewing.TV, TMDB: 21}, By: "Wikidata"}}},
		{Topic: ByIMDB, Text: "tt0000022"}:                            {Works: []Work{{Candidate: Candidate{Type: viewing.Movie, TMDB: 22}, By: "Wikidata"}}},
		{Topic: ByIMDB, Text: "tt0000024"}:                            {Works: []Work{{Candidate: Candidate{Type: viewing.TV, TMDB: 7}, By: "Wikidata"}}},
		{Topic: BySite, Kind: viewing.Movie, Text: "netflix 22"}:      {Works: []Work{{Candidate: Candidate{Type: viewing.Movie, TMDB: 22, Title: "Film Blue", Year: 1990}, By: "Wikidata"}}},
		{Topic: BySite, Kind: viewing.Movie, Text: "netflix 21"}:      {Works: []Work{{Candidate: Candidate{Type: viewing.TV, TMDB: 21}, By: "Wikidata"}}},
		{Topic: BySite, Kind: viewing.Movie, Text: "netflix 23"}:      {Works: []Work{{Candidate: Candidate{Type: viewing.Movie, TMDB: 22}, By: "Wikidata"}}, Partial: true},
		{Topic: BySite, Kind: viewing.Movie, Text: "netflix 99"}:      {},
		{Topic: BySite, Kind: viewing.TV, Text: "netflix 21"}:         {Works: []Work{{Candidate: Candidate{Type: viewing.TV, TMDB: 21}, By: "Wikidata"}}},
		{Topic: BySite, Kind: viewing.TV, Text: "netflix 24"}:         {Works: []Work{{Candidate: Candidate{Type: viewing.TV, TMDB: 7}, By: "Wikidata"}}},
		{Topic: ByTitle, Kind: viewing.TV, Text: "Remade"}:            series(show(1, "Remade", 1980), show(2, "Remade", 2008)),
		{Topic: Details, Kind: viewing.TV, Number: 5}:                 series(Work{Candidate: Candidate{Type: viewing.TV, TMDB: 5, Title: "Show Plum"}, Seasons: []int{0, 1, 2}}),
		{Topic: Season, Number: 5, Season: 0}:                         {Episodes: []Episode{{Show: 5, Number: 1, Name: "The Making"}, {Show: 5, Number: 2, Name: "The Cellar"}}},
		{Topic: Season, Number: 5, Season: 1}:                         {Episodes: []Episode{{Show: 5, Season: 1, Number: 1, Name: "The Attic"}, {Show: 5, Season: 1, Number: 2, Name: "Home"}}},
		{Topic: Season, Number: 5, Season: 2}: {Episodes: []Episode{
			{Show: 5, Season: 2, Number: 1, Name: "Home!"}, {Show: 5, Season: 2, Number: 2, Name: "The Cellar"}, {Show: 5, Season: 2, Number: 3, Name: "Episode 3"},
		}},
		{Topic: Details, Kind: viewing.TV, Number: 6}: series(Work{Candidate: Candidate{Type: viewing.TV, TMDB: 6}, Seasons: []int{1, 2}}),
		{Topic: Season, Number: 6, Season: 1}:         {Episodes: []Episode{{Show: 6, Season: 1, Number: 1, Name: "The Attic"}}},
	}
}

// Each row of the table has a certain case, and cases that lack a condition.
func TestDecide(t *testing.T) {
	movie := func(reported Reported) seenAs { return seenAs{Kind: viewing.Movie, Own: reported} }
	at := func(show Reported, season, number int, name string) seenAs {
		return seenAs{Kind: viewing.Episode, Show: show, Own: Reported{Title: name}, Season: n(season), Episode: n(number)}
	}
	own := func(ids viewing.IDs, show Reported) seenAs {
		return seenAs{Kind: viewing.Episode, Own: Reported{IDs: ids}, Show: show, Season: n(1), Episode: n(2)}
	}
	tmdb := func(id int64) viewing.IDs { return viewing.IDs{TMDB: id} }
	named := func(series int64, name string) seenAs {
		return seenAs{Kind: viewing.Episode, Show: Reported{IDs: tmdb(series)}, Own: Reported{Title: name}}
	}
	imdb := func(id string) viewing.IDs { return viewing.IDs{IMDB: id} }
	tvdb := func(id int64) viewing.IDs { return viewing.IDs{TVDB: id} }
	red := Reported{IDs: tvdb(77)}
	counted := func(e seenAs) seenAs { e.OwnCount = true; return e }
	for name, c := range map[string]struct {
		e    seenAs
		want string // the key of the certain item, or the reason
	}{
		"TMDB": {movie(Reported{IDs: tmdb(603)}), "movie:603"}, "TMDB and its title": {movie(Reported{IDs: tmdb(603), Title: "matrix"}), "movie:603"},
		"TMDB, a title in another language":            {movie(Reported{IDs: tmdb(603), Title: "Матрица"}), "movie:603"},
		"TMDB, another title, no year":                 {movie(Reported{IDs: tmdb(603), Title: "Neo"}), "otherWork"},
		"TMDB, its title, far year":                    {movie(Reported{IDs: tmdb(603), Title: "The Matrix", Year: 1950}), "otherWork"},
		"TMDB, no provider":                            {movie(Reported{IDs: tmdb(5), Title: "Any"}), "movie:5"},
		"TMDB, another title, its year":                {movie(Reported{IDs: tmdb(603), Title: "Neo", Year: 1999}), "movie:603"},
		"TMDB, gone":                                   {movie(Reported{IDs: tmdb(404)}), "gone"},
		"TMDB, gone, but IMDb":                         {movie(Reported{IDs: viewing.IDs{TMDB: 404, IMDB: "tt0000603"}}), "movie:603"},
		"TMDB and another IMDb":                        {movie(Reported{IDs: viewing.IDs{TMDB: 6, IMDB: "tt0000603"}}), "differ"},
		"IMDb":                                         {movie(Reported{IDs: imdb("tt0000603")}), "movie:603"},
		"IMDb, a title in another language":            {movie(Reported{IDs: imdb("tt0000603"), Title: "Матрица"}), "movie:603"},
		"IMDb, another title":                          {movie(Reported{IDs: imdb("tt0000603"), Title: "Neo"}), "otherWork"},
		"IMDb of a series":                             {movie(Reported{IDs: imdb("tt0000007")}), "otherKind"},
		"IMDb of two":                                  {movie(Reported{IDs: imdb("tt0000002")}), "several"},
		"IMDb of none":                                 {movie(Reported{IDs: imdb("tt0000000")}), "noNumber"},
		"IMDb of a person":                             {movie(Reported{IDs: imdb("nm0000603")}), "nothing"},
		"TVDB of a film":                               {movie(Reported{IDs: tvdb(77)}), "nothing"},
		"title and year":                               {movie(Reported{Title: "The Matrix", Year: 1999}), "movie:603"},
		"title, a year off":                            {movie(Reported{Title: "The Matrix", Year: 2000}), "noTitle"},
		"title alone":                                  {movie(Reported{Title: "The Matrix"}), "noYear"},
		"title, another film a year apart":             {movie(Reported{Title: "Saw", Year: 2004}), "namesake"},
		"title in another language":                    {movie(Reported{Title: "Berta", Year: 2002}), "movie:802"},
		"another film by its name in another language": {movie(Reported{Title: "Anna", Year: 2001}), "namesake"},
		"too many hits to look up":                     {movie(Reported{Title: "Crowd", Year: 2001}), "tooMany"},
		"too many hits to read":                        {movie(Reported{Title: "Endless", Year: 2001}), "tooMany"},
		"title, normalized":                            {movie(Reported{Title: "Straße & Fähre", Year: 2001}), "movie:1"},
		"title, no provider":                           {movie(Reported{Title: "Unheard", Year: 2001}), "nobody"},
		"unsure":                                       {seenAs{Kind: viewing.Movie, Own: Reported{IDs: tmdb(603)}, Unsure: true}, "unsure"},
		"no kind":                                      {seenAs{Own: Reported{IDs: tmdb(603)}}, "kind"},
		"series, another one of that name":             {seenAs{Kind: viewing.TV, Own: Reported{Title: "Remade", Year: 2008}}, "namesake"},
		"series by TVDB":                               {seenAs{Kind: viewing.TV, Own: red}, "tv:7"},
		"series by TVDB, two":                          {seenAs{Kind: viewing.TV, Own: Reported{IDs: tvdb(78)}}, "several"},

		"series by a TVDB number that is an episode's, too": {seenAs{Kind: viewing.TV, Own: Reported{IDs: tvdb(72)}}, "tv:9"},

		"place and name":                   {at(red, 1, 2, "The second!"), "episode:7:1:2"},
		"place, another name":              {at(red, 1, 2, "The Third"), "noWitness"},
		"place, generic name":              {at(red, 1, 3, "Episode 3"), "noWitness"},
		"place, no name":                   {at(red, 1, 2, ""), "noWitness"},
		"place by TMDB alone":              {at(Reported{IDs: tmdb(7)}, 1, 3, ""), "episode:7:1:3"},
		"place by TMDB and TVDB":           {at(Reported{IDs: viewing.IDs{TMDB: 7, TVDB: 77}}, 1, 3, ""), "noWitness"},
		"missing episode":                  {at(Reported{IDs: tmdb(7)}, 1, 4, ""), "noEpisode"},
		"unknown season":                   {at(Reported{IDs: tmdb(7)}, 2, 1, ""), "episode:7:2:1"},
		"special":                          {at(Reported{IDs: tmdb(7)}, 0, 1, ""), "special"},
		"number 0":                         {at(Reported{IDs: tmdb(7)}, 1, 0, ""), "badNumber"},
		"no number":                        {seenAs{Kind: viewing.Episode, Show: Reported{IDs: tmdb(7)}, Season: n(1)}, "noPlace"},
		"name alone":                       {named(5, "the attic"), "episode:5:1:1"},
		"name alone of a reported season":  {seenAs{Kind: viewing.Episode, Show: Reported{IDs: tmdb(5)}, Own: Reported{Title: "The Attic"}, Season: n(1)}, "episode:5:1:1"},
		"name alone in another season":     {seenAs{Kind: viewing.Episode, Show: Reported{IDs: tmdb(5)}, Own: Reported{Title: "The Attic"}, Season: n(2)}, "noPlace"},
		"name alone, of two":               {named(5, "Home"), "noPlace"},
		"name alone, of a special too":     {named(5, "The Cellar"), "noPlace"},
		"name alone, of a special":         {named(5, "The Making"), "noPlace"},
		"name alone, missing":              {named(5, "The Roof"), "noPlace"},
		"name alone, generic":              {named(5, "Episode 3"), "noPlace"},
		"name alone, an unknown season":    {named(6, "The Attic"), "noPlace"},
		"name and number without a season": {seenAs{Kind: viewing.Episode, Show: Reported{IDs: tmdb(5)}, Own: Reported{Title: "The Attic"}, Episode: n(1)}, "noPlace"},
		"another series' name":             {at(Reported{IDs: tmdb(8), Title: "Show Red"}, 1, 1, ""), "otherSeries"},
		"series in another language":       {at(Reported{IDs: tvdb(77), Title: "Serie Rot"}, 1, 2, "The Second"), "episode:7:1:2"},
		"series by title, place and name":  {at(Reported{Title: "Show Red", Year: 2008}, 1, 2, "The Second"), "episode:7:1:2"},

		"a site's film":                                {movie(Reported{Site: "netflix 22"}), "movie:22"},
		"a site's film, another's title":               {movie(Reported{Site: "netflix 22", Title: "The Matrix", Year: 1999}), "otherWork"},
		"a site's film, its own title":                 {movie(Reported{Site: "netflix 22", Title: "Film Blue"}), "movie:22"},
		"a site's film, a title and another year":      {movie(Reported{Site: "netflix 22", Title: "Film Blue", Year: 2010}), "otherWork"},
		"a site's film and another by IMDb":            {movie(Reported{Site: "netflix 22", IDs: imdb("tt0000603")}), "differ"},
		"a site's film unknown to Wikidata":            {movie(Reported{Site: "netflix 99", Title: "The Matrix", Year: 1999}), "movie:603"},
		"a site's series, an unknown place":            {at(Reported{Site: "netflix 21"}, 3, 4, ""), "episode:21:3:4"},
		"a site's series with its own numbering":       {counted(at(Reported{Site: "netflix 21"}, 3, 4, "")), "noWitness"},
		"a site's series, a place that is reported":    {at(Reported{Site: "netflix 24"}, 1, 2, ""), "noWitness"},
		"its own numbering, the episode's name":        {counted(at(Reported{Site: "netflix 24"}, 1, 2, "The Second")), "episode:7:1:2"},
		"TMDB series at a site with its own numbering": {counted(at(Reported{IDs: tmdb(7)}, 1, 3, "")), "noWitness"},

		"Wikidata's series, an unknown place":                 {at(Reported{IDs: imdb("tt0000021")}, 3, 4, ""), "episode:21:3:4"},
		"Wikidata's series, an unknown special":               {at(Reported{IDs: imdb("tt0000021")}, 0, 4, ""), "special"},
		"Wikidata's series, a generic name":                   {at(Reported{IDs: imdb("tt0000021")}, 1, 1, "Pilot (Parts 1 & 2)"), "noWitness"},
		"Wikidata's series by TVDB's number":                  {at(Reported{IDs: tvdb(21)}, 3, 4, ""), "noWitness"},
		"Wikidata's series, a season that is reported":        {at(Reported{IDs: imdb("tt0000024")}, 1, 2, ""), "noWitness"},
		"Wikidata's series, a missing episode":                {at(Reported{IDs: imdb("tt0000024")}, 1, 4, ""), "noEpisode"},
		"series by title, its TMDB number gone":               {at(Reported{IDs: tmdb(999), Title: "Show Red", Year: 2008}, 1, 3, ""), "goneSeries"},
		"series of another name and year, the episode's name": {at(Reported{IDs: tvdb(77), Title: "Show Blue", Year: 1990}, 1, 2, "The Second"), "otherSeries"},
		"own TVDB of a series, too, another place":            {own(tvdb(74), Reported{}), "ownOther"},
		"own IMDb, another place and name": {
			seenAs{Kind: viewing.Episode, Own: Reported{IDs: imdb("tt0000072"), Title: "The Fourth"}, Season: n(1), Episode: n(4)}, "ownOther",
		},
		"own IMDb, another place":                {seenAs{Kind: viewing.Episode, Own: Reported{IDs: imdb("tt0000072")}, Season: n(1), Episode: n(4)}, "episode:7:1:2"},
		"own IMDb, its series' numbers disagree": {own(imdb("tt0000072"), Reported{IDs: viewing.IDs{IMDB: "tt0000008", TVDB: 77}}), "differ"},
		"own TMDB, its series' numbers disagree": {own(tmdb(99), Reported{IDs: viewing.IDs{IMDB: "tt0000008", TVDB: 77}}), "differ"},
		"own TMDB, a missing season": {
			seenAs{Kind: viewing.Episode, Own: Reported{IDs: tmdb(99)}, Show: red, Season: n(9), Episode: n(1)}, "ownElsewhere",
		},
		"own IMDb":                    {own(imdb("tt0000072"), Reported{}), "episode:7:1:2"},
		"own TVDB of a series, too":   {own(tvdb(72), Reported{}), "episode:7:1:2"},
		"own IMDb and another TVDB":   {own(viewing.IDs{IMDB: "tt0000072", TVDB: 73}, Reported{}), "ownDiffer"},
		"own IMDb of several":         {own(imdb("tt0000002"), Reported{}), "ownSeveral"},
		"own IMDb of a series, too":   {own(imdb("tt0000003"), Reported{}), "ownSeveral"},
		"own IMDb, another series":    {own(imdb("tt0000072"), Reported{Title: "Show Blue"}), "ownSeries"},
		"own IMDb, another's number":  {own(imdb("tt0000072"), Reported{IDs: tmdb(8)}), "ownSeries"},
		"own TMDB":                    {own(tmdb(99), Reported{}), "episode-id:99"},
		"own TMDB in its season":      {own(tmdb(72), red), "episode:7:1:2"},
		"own TMDB not in that season": {own(tmdb(99), red), "ownElsewhere"},
	} {
		d := Decide(c.e.evidence(), facts{known: tableWorld()}.answer)
		if got := outcomeKey(d); got != c.want && (got != "hold" || d.Why.Code != "why."+c.want) {
			t.Errorf("%s: %s (%v), want %s", name, got, d.Why, c.want)
		}
	}
}

// Accents are removed; the marks of other scripts make other letters.
func TestNormalizeName(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"Amélie", "AMELIE", true},
		{"Straße", "strasse", true},
		{"Ολύμπια", "ολυμπια", true},
		{"Borilački klub", "borilacki klub", true},
		{"Willy & Co.", "Willy and Co", true},
		{"M*A*S*H", "mash", true},
		{"…", "!", false},
		{"", "", false},
		{"バス", "ハス", false},
		{"кай", "каи", false},
		{"कल", "काला", false},
		{"The Office", "Office", false},
	} {
		if SameName(c.a, c.b) != c.same {
			t.Errorf("%q and %q: %v", c.a, c.b, !c.same)
		}
	}
}

// The decision does not depend on the order in which the open questions are answered.
func TestOrderOfAnswersDoesNotMatter(t *testing.T) {
	all := tableWorld()
	questions := slices.SortedFunc(maps.Keys(all), func(a, b Question) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	rapid.Check(t, func(r *rapid.T) {
		pick := func(of ...string) string { return rapid.SampledFrom(of).Draw(r, "text") }
		reported := func() Reported {
			return Reported{
				IDs: viewing.IDs{
					TMDB: rapid.SampledFrom([]int64{0, 0, 7, 603, 404, 72}).Draw(r, "tmdb"),
					IMDB: pick("", "", "tt0000603", "tt0000007", "tt0000072", "nm1"), TVDB: rapid.SampledFrom([]int64{0, 0, 77, 78, 72}).Draw(r, "tvdb"),
				},
				Site: pick("", "", "netflix 21", "netflix 22", "netflix 23", "netflix 24"), Title: pick("", "The Matrix", "Show Red", "Saw", "Pilot", "The Second"), Year: rapid.SampledFrom([]int{0, 1999, 2004, 2008}).Draw(r, "year"),
			}
		}
		e := seenAs{
			Kind: rapid.SampledFrom([]viewing.MediaType{viewing.Movie, viewing.TV, viewing.Episode, ""}).Draw(r, "kind"),
			Own:  reported(), Show: reported(), Season: n(rapid.IntRange(0, 2).Draw(r, "season")), Episode: n(rapid.IntRange(0, 4).Draw(r, "number")),
			OwnCount: rapid.Bool().Draw(r, "counted"),
		}
		want := Decide(e.evidence(), facts{known: all}.answer)
		some := facts{known: map[Question]Answer{}, may: true}
		for range len(questions) + 200 {
			d := Decide(e.evidence(), some.answer)
			if len(d.Unanswered) == 0 {
				if got := fmt.Sprint(outcomeKey(d), d.Why, d.Candidates); got != fmt.Sprint(outcomeKey(want), want.Why, want.Candidates) {
					r.Fatalf("%+v: %s, want %s (%s)", e, got, outcomeKey(want), want.Why)
				}
				return
			}
			if d.Item != nil || d.Candidates != nil {
				r.Fatalf("decided with open questions: %+v", d)
			}
			q := rapid.SampledFrom(d.Unanswered).Draw(r, "answered")
			if q.Year = 0; q.Kind == viewing.Episode {
				q.Kind = ""
			}
			a, known := all[q]
			if !known {
				return // the table has no answer
			}
			some.known[q] = a
		}
		r.Fatal("it never ends")
	})
}
