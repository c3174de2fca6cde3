package tracker

import (
	"testing"

	"github.com/filmspool/filmspool/queue/viewing"
)

func TestCompare(t *testing.T) {
	zero, one, two := 0, 1, 2
	placed := viewing.Media{Type: viewing.Episode, IDs: viewing.IDs{TMDB: 62085}, Show: &viewing.Show{IDs: viewing.IDs{TMDB: 1396}}, Season: &one, Episode: &two}
	numbered := viewing.Media{Type: viewing.Episode, IDs: viewing.IDs{TMDB: 62085}}
	film := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}
	for name, c := range map[string]struct {
		record HistoryItem
		item   viewing.Media
		want   Likeness
	}{
		"film":                              {HistoryItem{Type: "movie", ID: 603}, film, Same},
		"film by tmdbId, id its own":        {HistoryItem{Type: "movie", ID: 9, TMDBID: 603}, film, Same},
		"another film":                      {HistoryItem{Type: "movie", ID: 604}, film, Different},
		"a film without any number":         {HistoryItem{Type: "movie"}, film, Unclear},
		"an episode is no film":             {HistoryItem{Type: "episode", ID: 603}, film, Different},
		"placed":                            {HistoryItem{ShowID: 1396, Season: &one, Episode: &two}, placed, Same},
		"placed, the series as tmdbId":      {HistoryItem{TMDBID: 1396, Season: &one, Episode: &two}, placed, Same},
		"another episode":                   {HistoryItem{ShowID: 1396, Season: &one, Episode: &one}, placed, Different},
		"no number":                         {HistoryItem{ShowID: 1396, Season: &one}, placed, Unclear},
		"the number is 0":                   {HistoryItem{ShowID: 1396, Season: &one, Episode: &zero}, placed, Unclear},
		"no season":                         {HistoryItem{ShowID: 1396, Episode: &two}, placed, Unclear},
		"specials are another season":       {HistoryItem{ShowID: 1396, Season: &zero, Episode: &two}, placed, Different},
		"numbered record, placed item":      {HistoryItem{ID: 62099, TMDBID: 62099}, placed, Unclear},
		"its own number too":                {HistoryItem{ID: 62085}, placed, Same},
		"its own number and place, no show": {HistoryItem{ID: 62099, TMDBID: 62099, Season: &one, Episode: &two}, placed, Unclear},
		"numbered":                          {HistoryItem{ID: 62085}, numbered, Same},
		"another number":                    {HistoryItem{ID: 62086}, numbered, Different},
		"placed record, numbered item":      {HistoryItem{ShowID: 1396, Season: &one, Episode: &two}, numbered, Unclear},
	} {
		if got := c.record.Compare(c.item); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
