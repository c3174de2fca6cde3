package resolve

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/viewing"
)

func TestEvidenceOfAViewing(t *testing.T) {
	ids := viewing.IDs{TMDB: 1, IMDB: "tt2", TVDB: 3}
	m := viewing.Media{
		Type: viewing.Episode, IDs: ids, Title: "The Second", Year: 2009, Season: n(1), Episode: n(2), Unsure: true,
		Show: &viewing.Show{IDs: viewing.IDs{TVDB: 4}, Title: "Show Red", Year: 2008},
	}
	want := Evidence{
		Kind: viewing.Episode, Own: Reported{IDs: ids, Title: "The Second", Year: 2009}, Season: n(1), Episode: n(2), Unsure: true,
		Show: Reported{IDs: viewing.IDs{TVDB: 4}, Title: "Show Red", Year: 2008},
	}
	if diff := cmp.Diff(want, EvidenceOf(m)); diff != "" {
		t.Error(diff)
	}
}

// Each work stands once, with its title where one of its rows has it.
func TestDistinct(t *testing.T) {
	some := []Candidate{
		{Type: viewing.TV, TMDB: 1},
		{Type: viewing.Movie, TMDB: 603},
		{Type: viewing.Movie, TMDB: 604, Title: "Beta"},
		{Type: viewing.Movie, TMDB: 603, Title: "Alpha"},
		{Type: viewing.Movie, TMDB: 604},
		{Type: viewing.Movie},
	}
	if got := Distinct(viewing.Movie, some); !slices.Equal(got, []Candidate{some[3], some[2]}) {
		t.Errorf("%+v", got)
	}
}

// An identity changes the number, and the place to TMDB's. Titles stay as they
// were seen, and what was given is left alone.
func TestApply(t *testing.T) {
	red := viewing.Show{IDs: viewing.IDs{TVDB: 77}, Title: "Show Red"}
	seen := viewing.Media{Type: viewing.Episode, IDs: viewing.IDs{TVDB: 72}, Title: "The Second", Show: &red, Season: n(2), Episode: n(1)}
	placed := seen
	placed.IDs.TMDB, placed.Season, placed.Episode = 73, n(1), n(3)
	placed.Show = &viewing.Show{IDs: viewing.IDs{TMDB: 7, TVDB: 77}, Title: "Show Red"}
	own := seen
	own.IDs.TMDB = 73
	alone := viewing.Media{Type: viewing.Episode, IDs: viewing.IDs{IMDB: "tt0000072"}}
	found := alone
	found.Show, found.Season, found.Episode = &viewing.Show{IDs: viewing.IDs{TMDB: 7}}, n(1), n(3)
	for name, c := range map[string]struct {
		from viewing.Media
		item Item
		want viewing.Media
	}{
		"film": {
			viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{IMDB: "tt1"}, Title: "Alpha"},
			Item{Kind: viewing.Movie, TMDB: 603},
			viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{IMDB: "tt1", TMDB: 603}, Title: "Alpha"},
		},
		"episode at its place": {seen, Item{Kind: viewing.Episode, TMDB: 7, Season: 1, Number: 3, Own: 73}, placed},
		"its own number alone": {seen, Item{Kind: viewing.Episode, Own: 73}, own},
		"no series told":       {alone, Item{Kind: viewing.Episode, TMDB: 7, Season: 1, Number: 3}, found},
	} {
		if diff := cmp.Diff(c.want, c.item.Apply(c.from)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if red.IDs.TMDB != 0 || *seen.Season != 2 {
		t.Errorf("what was given has changed: %+v", seen)
	}
}
