package tracker

import (
	"errors"
	"testing"

	"github.com/filmspool/filmspool/queue/viewing"
)

func ptr(n int) *int { return &n }

func episode(show, id int64, season, number *int) viewing.Media {
	return viewing.Media{
		Type: viewing.Episode, IDs: viewing.IDs{TMDB: id}, Season: season, Episode: number,
		Show: &viewing.Show{IDs: viewing.IDs{TMDB: show}},
	}
}

func TestRequestCheck(t *testing.T) {
	film := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}
	for name, c := range map[string]struct {
		kind  viewing.Kind
		media viewing.Media
	}{
		"film with foreign id only":   {viewing.KindViewing, viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{IMDB: "tt0133093"}}},
		"episode without place or id": {viewing.KindViewing, episode(1396, 0, ptr(1), nil)},
		"watchlist add without id":    {viewing.KindWatchlist, viewing.Media{Type: viewing.TV, Title: "Show Red"}},
	} {
		if err := (Request{Kind: c.kind, Media: c.media}).Check(); !errors.Is(err, ErrUnidentified) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (Request{Kind: viewing.KindListItem, List: "lst_7", Media: viewing.Media{Type: viewing.TV, Title: "Red"}}).Check(); !errors.Is(err, ErrUnidentified) {
		t.Error(err)
	}
	for _, list := range []string{"", ".", ".."} { // these would change the path
		if (Request{Kind: viewing.KindListItem, List: list, Media: film}).Check() == nil {
			t.Errorf("list %q", list)
		}
	}
}
