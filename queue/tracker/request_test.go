package tracker

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

func ptr(n int) *int { return &n }

func at(text string) viewing.Instant {
	in, err := viewing.ParseInstant(text)
	if err != nil {
		panic(err)
	}
	return in
}

func episode(show, id int64, season, number *int) viewing.Media {
	return viewing.Media{
		Type: viewing.Episode, IDs: viewing.IDs{TMDB: id}, Season: season, Episode: number,
		Show: &viewing.Show{IDs: viewing.IDs{TMDB: show}},
	}
}

func TestNewRequestWritesExactBytes(t *testing.T) {
	film := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603, IMDB: "tt0133093"}, Title: "Alpha <One>", Year: 1999}
	tests := map[string]struct {
		kind     viewing.Kind
		media    viewing.Media
		at       string
		list     *viewing.List
		priority *int
		want     string
	}{
		"film": {
			kind: viewing.KindViewing, media: film, at: "2026-03-01T20:00:00+01:00",
			want: `{"type":"movie","id":603,"count":1,"watchedAt":"2026-03-01T19:00:00Z"}`,
		},
		"milliseconds only when there are any": {
			kind: viewing.KindViewing, media: film, at: "2026-03-01T19:00:00.0709Z",
			want: `{"type":"movie","id":603,"count":1,"watchedAt":"2026-03-01T19:00:00.070Z"}`,
		},
		"before 1970": {
			kind: viewing.KindViewing, media: film, at: "1960-01-01T00:00:00Z",
			want: `{"type":"movie","id":603,"count":1,"watchedAt":"1960-01-01T00:00:00Z"}`,
		},
		"episode by its place, never with both": {
			kind: viewing.KindViewing, media: episode(1396, 62085, ptr(1), ptr(2)), at: "2026-03-01T19:00:00Z",
			want: `{"type":"episode","count":1,"watchedAt":"2026-03-01T19:00:00Z","tvShowId":1396,"seasonNumber":1,"episodeNumber":2}`,
		},
		"special: season 0 is said": {
			kind: viewing.KindViewing, media: episode(1396, 0, ptr(0), ptr(1)), at: "2026-03-01T19:00:00Z",
			want: `{"type":"episode","count":1,"watchedAt":"2026-03-01T19:00:00Z","tvShowId":1396,"seasonNumber":0,"episodeNumber":1}`,
		},
		"episode by id when its place is not known whole": {
			kind: viewing.KindViewing, media: episode(1396, 62085, ptr(1), nil), at: "2026-03-01T19:00:00Z",
			want: `{"type":"episode","id":62085,"count":1,"watchedAt":"2026-03-01T19:00:00Z"}`,
		},
		"film with season fields": {
			kind: viewing.KindViewing, at: "2026-03-01T19:00:00Z",
			media: viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}, Season: ptr(1), Episode: ptr(2)},
			want:  `{"type":"movie","id":603,"count":1,"watchedAt":"2026-03-01T19:00:00Z"}`,
		},
		"wish":                       {kind: viewing.KindWatchlist, media: film, want: `{"type":"movie","id":603}`},
		"wish with priority":         {kind: viewing.KindWatchlist, media: viewing.Media{Type: viewing.TV, IDs: viewing.IDs{TMDB: 1396}}, priority: ptr(2), want: `{"type":"tv","id":1396,"priority":2}`},
		"wish with priority 0":       {kind: viewing.KindWatchlist, media: film, priority: ptr(0), want: `{"type":"movie","id":603,"priority":0}`},
		"list: private unless asked": {kind: viewing.KindList, list: &viewing.List{Name: "Noir & <more>"}, want: `{"name":"Noir & <more>","visibility":"PRIVATE"}`},
		"list with all": {
			kind: viewing.KindList, list: &viewing.List{Name: "Noir", Description: "d\n\"e\"", Visibility: "PUBLIC"},
			want: `{"name":"Noir","description":"d\n\"e\"","visibility":"PUBLIC"}`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var when viewing.Instant
			if tt.at != "" {
				when = at(tt.at)
			}
			r, err := NewRequest(tt.kind, tt.media, when, tt.list, tt.priority)
			if err != nil {
				t.Fatal(err)
			}
			if string(r.Body) != tt.want {
				t.Errorf("got  %s\nwant %s", r.Body, tt.want)
			}
		})
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
				t.Errorf("got %s, %v; want %v", r.Body, err, tt.want)
			}
		})
	}
}

func TestListItemRequest(t *testing.T) {
	film := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}
	r, err := NewListItem("lst/7", film)
	if err != nil || string(r.Body) != `{"type":"movie","id":603}` || r.List != "lst/7" || r.Operation != ListItems {
		t.Errorf("%s of %q, %v", r.Body, r.List, err)
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
