package identity

import (
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Mappings lead from the lists that a source knows to a place that TMDB has.
func TestMappingsOfAPerson(t *testing.T) {
	to := func(show string, season, number int) Place { return Place{show, season, number} }
	mapped := Mappings{
		"tvdb:252322":      {{Place{"tvdb:252322", 2, 1}, 78, to("tmdb:7", 1, 2)}, {Place{"tvdb:252322", 3, 1}, 9, to("tmdb:7", 9, 1)}},
		"imdb:tt0000001":   {{Place{"imdb:tt0000001", -1, 10}, 12, to("tmdb:7", 1, 1)}},
		TitleList("Hunt!"): {{Place{TitleList("Hunt!"), 1, 1}, 3, to("tmdb:7", 1, 1)}},
		"tvdb:5":           {{Place{"tvdb:5", 1, 1}, 3, to("tmdb:7", 1, 1)}, {Place{"tvdb:5", 1, 3}, 3, to("tmdb:7", 1, 2)}, {Place{"tvdb:5", 1, 2}, 2, to("tmdb:7", 1, 2)}},
		"tvdb:6":           {{Place{"tvdb:6", 1, 1}, 3, to("tmdb:8", 2, 1)}},
	}
	tvdb := func(id int64) Told { return Told{IDs: viewing.IDs{TVDB: id}} }
	for name, c := range map[string]struct {
		show   Told
		season *int
		number int
		want   string
	}{
		"the first":                    {tvdb(252322), n(2), 1, "episode:7:1:2"},
		"the second":                   {tvdb(252322), n(2), 2, "episode:7:1:3"},
		"in the range, not at TMDB":    {tvdb(252322), n(2), 78, "no such episode where the mapping leads"},
		"behind the range":             {tvdb(252322), n(2), 79, "no number or title"},
		"another season":               {tvdb(252322), n(4), 1, "no number or title"},
		"a season that is not at TMDB": {tvdb(252322), n(3), 1, "no such episode where the mapping leads"},
		"a season that nobody tells":   {tvdb(6), n(1), 1, "nobody can tell whether"},
		"an absolute number":           {Told{IDs: viewing.IDs{IMDB: "tt0000001"}}, nil, 11, "episode:7:1:2"},
		"an absolute number, a season": {Told{IDs: viewing.IDs{IMDB: "tt0000001"}}, n(1), 11, "another kind"},
		"a title":                      {Told{Title: "hunt"}, n(1), 3, "episode:7:1:3"},
		"another title":                {Told{Title: "hunting"}, n(1), 3, "nobody can tell what"},
		"two that disagree":            {tvdb(5), n(1), 3, "disagree"},
		"two that agree":               {tvdb(5), n(1), 2, "episode:7:1:2"},
		"a title beside a number":      {Told{IDs: viewing.IDs{TVDB: 252322}, Title: "Hunt"}, n(1), 1, "episode:7:1:1"},
	} {
		e := Evidence{Kind: viewing.Episode, Show: c.show, Season: c.season, Episode: &c.number}
		known := tableWorld()
		known[Question{Ask: AskTVDB, Number: c.show.TVDB}] = Answer{}
		d := Decide(e, mappedFacts{facts{known: known}, mapped})
		if got := said(d); got != c.want && (got != "hold" || !strings.Contains(d.Why, c.want)) {
			t.Errorf("%s: %s (%s), want %s", name, got, d.Why, c.want)
		}
		if leads := strings.HasPrefix(c.want, "episode") || strings.Contains(c.want, "leads") || strings.Contains(c.want, "disagree") || strings.Contains(c.want, "whether"); mapped.Any(e) != leads {
			t.Errorf("%s: mapped %v", name, !leads)
		}
	}
}

// mappedFacts are facts with mappings.
type mappedFacts struct {
	facts
	all Mappings
}

func (f mappedFacts) Mapped(p Place) []Place { return f.all.Mapped(p) }
