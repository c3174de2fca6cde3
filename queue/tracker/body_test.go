package tracker

import (
	"testing"

	"github.com/filmspool/filmspool/queue/viewing"
)

func at(text string) viewing.Instant {
	in, err := viewing.ParseInstant(text)
	if err != nil {
		panic(err)
	}
	return in
}

func TestRequestsAreExactBytes(t *testing.T) {
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
			want: `{"type":"movie","id":603,"count":1,"watchedAt":"2026-03-01T19:00:00.07Z"}`,
		},
		"before 1970": {
			kind: viewing.KindViewing, media: film, at: "1960-01-01T00:00:00Z",
			want: `{"type":"movie","id":603,"count":1,"watchedAt":"1960-01-01T00:00:00Z"}`,
		},
		"episode by its place, never with both": {
			kind: viewing.KindViewing, media: episode(1396, 62085, ptr(1), ptr(2)), at: "2026-03-01T19:00:00Z",
			want: `{"type":"episode","count":1,"watchedAt":"2026-03-01T19:00:00Z","tvShowId":1396,"seasonNumber":1,"episodeNumber":2}`,
		},
		"special: season 0": {
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
		"watchlist":                  {kind: viewing.KindWatchlist, media: film, want: `{"type":"movie","id":603}`},
		"watchlist with priority":    {kind: viewing.KindWatchlist, media: viewing.Media{Type: viewing.TV, IDs: viewing.IDs{TMDB: 1396}}, priority: ptr(2), want: `{"type":"tv","id":1396,"priority":2}`},
		"watchlist with priority 0":  {kind: viewing.KindWatchlist, media: film, priority: ptr(0), want: `{"type":"movie","id":603,"priority":0}`},
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
			r := Request{Kind: tt.kind, Media: tt.media, WatchedAt: when, Priority: tt.priority, NewList: tt.list}
			if got := encode(r); string(got) != tt.want || r.Check() != nil {
				t.Errorf("got  %s\nwant %s, %v", got, tt.want, r.Check())
			}
		})
	}
	if got := encode(Request{Kind: viewing.KindListItem, Media: film, List: "lst_7"}); string(got) != `{"type":"movie","id":603}` {
		t.Errorf("item of a list: %s", got)
	}
}
