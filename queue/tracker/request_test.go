package tracker

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

func ptr(n int) *int { return &n }

func episode(show, id int64, season, number *int) viewing.Media {
	return viewing.Media{
		Type: viewing.Episode, IDs: viewing.IDs{TMDB: id}, Season: season, Episode: number,
		Show: &viewing.Show{IDs: viewing.IDs{TMDB: show}},
	}
}

func TestNewRequestRefuses(t *testing.T) {
	film := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}
	now := viewing.At(time.Date(2026, 3, 1, 19, 0, 0, 0, time.UTC))
	tests := map[string]struct {
		kind  viewing.Kind
		media viewing.Media
		at    viewing.Instant
		list  *viewing.List
		want  error
	}{
		"series as viewing":           {viewing.KindViewing, viewing.Media{Type: viewing.TV, IDs: viewing.IDs{TMDB: 1396}}, now, nil, viewing.ErrInvalid},
		"no time":                     {viewing.KindViewing, film, viewing.Instant{}, nil, viewing.ErrInvalid},
		"year 10000":                  {viewing.KindViewing, film, viewing.Instant{Millis: 253402300800000}, nil, viewing.ErrInvalid},
		"season -1":                   {viewing.KindViewing, episode(1396, 0, ptr(-1), ptr(1)), now, nil, viewing.ErrInvalid},
		"episode 0":                   {viewing.KindViewing, episode(1396, 0, ptr(1), ptr(0)), now, nil, viewing.ErrInvalid},
		"identifier below 0":          {viewing.KindViewing, viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: -1}}, now, nil, viewing.ErrInvalid},
		"film with foreign id only":   {viewing.KindViewing, viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{IMDB: "tt0133093"}}, now, nil, ErrUnidentified},
		"episode without place or id": {viewing.KindViewing, episode(1396, 0, ptr(1), nil), now, nil, ErrUnidentified},
		"episode as wish":             {viewing.KindWatchlist, episode(1396, 62085, ptr(1), ptr(1)), now, nil, viewing.ErrInvalid},
		"wish without id":             {viewing.KindWatchlist, viewing.Media{Type: viewing.TV, Title: "Show Red"}, now, nil, ErrUnidentified},
		"list missing":                {viewing.KindList, viewing.Media{}, now, nil, viewing.ErrInvalid},
		"list without name":           {viewing.KindList, viewing.Media{}, now, &viewing.List{Name: " "}, viewing.ErrInvalid},
		"unknown visibility":          {viewing.KindList, viewing.Media{}, now, &viewing.List{Name: "a", Visibility: "private"}, viewing.ErrInvalid},
		"unknown kind":                {"rating", film, now, nil, viewing.ErrInvalid},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r, err := NewRequest(tt.kind, tt.media, tt.at, tt.list, nil)
			if !errors.Is(err, tt.want) {
				t.Errorf("got %+v, %v; want %v", r, err, tt.want)
			}
		})
	}
}

func TestListItemRequest(t *testing.T) {
	film := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}
	r, err := NewListItem("lst/7", film)
	if err != nil || r.Media.IDs != film.IDs || r.List != "lst/7" || r.Operation != ListItems {
		t.Errorf("%+v, %v", r, err)
	}
	for name, c := range map[string]struct {
		list string
		item viewing.Media
		want error
	}{
		"no list":             {"", film, viewing.ErrInvalid},
		"a step up":           {"..", film, viewing.ErrInvalid},
		"a step nowhere":      {".", film, viewing.ErrInvalid},
		"too long":            {strings.Repeat("x", 501), film, viewing.ErrInvalid},
		"an episode":          {"lst_7", episode(1, 0, ptr(1), ptr(1)), viewing.ErrInvalid},
		"without identifiers": {"lst_7", viewing.Media{Type: viewing.TV, Title: "Red"}, ErrUnidentified},
	} {
		if _, err := NewListItem(c.list, c.item); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
