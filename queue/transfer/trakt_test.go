package transfer

import (
	"fmt"
	"strings"
	"testing"
)

// rowsText tells rows in one line each.
func rowsText(t *testing.T, f *File, o Options) string {
	t.Helper()
	form, err := Detect(f)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for row, err := range form.Read(f, o) {
		if err != nil {
			fmt.Fprintln(&b, err)
			continue
		}
		if row.Skip != "" {
			fmt.Fprintln(&b, row.Key, row.Skip)
			continue
		}
		e := row.Event
		fmt.Fprintf(&b, "%s %s%s", row.Key, row.Skip, e.Kind)
		if e.List != nil {
			fmt.Fprintf(&b, " %+v", *e.List)
		}
		for _, m := range e.Media {
			fmt.Fprintf(&b, " %s %+v", m.Label(), m.IDs)
			if m.Show != nil {
				fmt.Fprintf(&b, " of %+v", m.Show.IDs)
			}
		}
		fmt.Fprintln(&b, "", e.InList, e.WatchedAt.Text, e.Class)
	}
	return b.String()
}

const traktFilm = `"type":"movie","movie":{"title":"A Film","year":1995,"ids":{"trakt":1,"slug":"a-film","imdb":"tt0113277","tmdb":949,"plex":{"guid":"x"}}}`

func traktEpisode(id, number int, at, action string) string {
	return fmt.Sprintf(`{"id":%d,"watched_at":"%s","action":"%s","type":"episode","episode":{"season":1,"number":%d,"title":"Part","ids":{"trakt":5%d,"tvdb":6%d,"imdb":null,"tmdb":7%d}},
		"show":{"title":"Red","year":2008,"ids":{"trakt":8,"slug":"red","imdb":"tt0903747","tmdb":1396,"tvdb":81189}}}`, id, at, action, number, number, number, number)
}

// The order of an archive's members is not that of its rows, aggregates and ratings are no
// plays, and what was marked together is told from what was played.
func TestTraktArchive(t *testing.T) {
	const season = "2026-08-02T10:00:00.000Z"
	archive := zipped(t,
		"export-trakt-ann/lists-list-77-rain.json", `[{"id":1,"rank":1,`+traktFilm+`},{"id":2,"type":"person","person":{"name":"Ann"}}]`,
		"export-trakt-ann/lists-lists.json", `[{"name":"Rain","description":"wet","privacy":"public","ids":{"trakt":77,"slug":"rain"}}]`,
		"export-trakt-ann/lists-watchlist.json", `[{"id":3,"type":"show","show":{"title":"Red","year":2008,"ids":{"trakt":8,"tmdb":1396}}}]`,
		"export-trakt-ann/watched-history-1.json", "["+strings.Join([]string{
			`{"id":9000000001,"watched_at":"2026-08-21T06:41:00.000Z","action":"scrobble",` + traktFilm + `}`,
			`{"id":9000000002,"watched_at":"1970-01-01T00:00:00.000Z","action":"watch",` + traktFilm + `}`,
			traktEpisode(11, 1, season, "scrobble"), traktEpisode(12, 2, season, "scrobble"), traktEpisode(13, 3, season, "scrobble"),
			traktEpisode(14, 4, season, "watch"), traktEpisode(15, 5, season, "watch"),
		}, ",")+"]",
		"export-trakt-ann/watched-history-2.json", "["+strings.Join([]string{
			traktEpisode(16, 6, season, "watch"), traktEpisode(17, 7, season, "watch"), traktEpisode(18, 8, "2026-08-03T10:00:00.000Z", "watch"),
			`{"id":9000000003,"watched_at":"soon","action":"watch",` + traktFilm + `}`,
			`{"id":9000000004,"watched_at":"2026-08-21T06:41:00.000Z","action":"watch","type":"movie","movie":{"title":"No Number","year":"1995","ids":{"trakt":2,"tmdb":null}}}`,
		}, ",")+"]",
		"export-trakt-ann/watched-movies.json", `[{"plays":9,`+traktFilm+`}]`,
		"export-trakt-ann/ratings-movies.json", `[{"rating":8,`+traktFilm+`}]`,
		"export-trakt-ann/user-profile.json", `{{{`,
		"export-trakt-ann/_errors.json", `["shows"]`)
	want := strings.TrimLeft(`
9000000001 viewing A Film (1995) {TMDB:949 IMDB:tt0113277 TVDB:0}  2026-08-21T06:41:00.000Z 
9000000002 mark
11 viewing Red S01E01 {TMDB:71 IMDB: TVDB:61} of {TMDB:1396 IMDB:tt0903747 TVDB:81189}  2026-08-02T10:00:00.000Z 
12 viewing Red S01E02 {TMDB:72 IMDB: TVDB:62} of {TMDB:1396 IMDB:tt0903747 TVDB:81189}  2026-08-02T10:00:00.000Z 
13 viewing Red S01E03 {TMDB:73 IMDB: TVDB:63} of {TMDB:1396 IMDB:tt0903747 TVDB:81189}  2026-08-02T10:00:00.000Z 
14 viewing Red S01E04 {TMDB:74 IMDB: TVDB:64} of {TMDB:1396 IMDB:tt0903747 TVDB:81189}  2026-08-02T10:00:00.000Z bulk
15 viewing Red S01E05 {TMDB:75 IMDB: TVDB:65} of {TMDB:1396 IMDB:tt0903747 TVDB:81189}  2026-08-02T10:00:00.000Z bulk
16 viewing Red S01E06 {TMDB:76 IMDB: TVDB:66} of {TMDB:1396 IMDB:tt0903747 TVDB:81189}  2026-08-02T10:00:00.000Z bulk
17 viewing Red S01E07 {TMDB:77 IMDB: TVDB:67} of {TMDB:1396 IMDB:tt0903747 TVDB:81189}  2026-08-02T10:00:00.000Z bulk
18 viewing Red S01E08 {TMDB:78 IMDB: TVDB:68} of {TMDB:1396 IMDB:tt0903747 TVDB:81189}  2026-08-03T10:00:00.000Z 
9000000003 unreadable
9000000004 viewing No Number (1995) {TMDB:0 IMDB: TVDB:0}  2026-08-21T06:41:00.000Z 
watchlist:tv:8 watchlist Red (2008) {TMDB:1396 IMDB: TVDB:0}   
list:77 list {Name:Rain Description:wet Visibility:PUBLIC}   
list:77:movie:1 list_item A Film (1995) {TMDB:949 IMDB:tt0113277 TVDB:0} list:77  
 other
 rating
 missing
`, "\n")
	if got := rowsText(t, open(t, archive), Options{}); got != want {
		t.Errorf("read\n%s\nwant\n%s", got, want)
	}
}

// FuzzTrakt: whatever stands in an archive's history, a row is valid or an error.
func FuzzTrakt(f *testing.F) {
	f.Add(`[{"id":9,"watched_at":"2026-08-21T06:41:00.000Z","action":"scrobble",` + traktFilm + `}]`)
	f.Add("[" + traktEpisode(1, 2, "2026-08-21T06:41:00.000Z", "watch") + "]")
	f.Fuzz(func(t *testing.T, history string) { fuzzRows(t, zipped(t, "watched-history.json", history)) })
}

// FuzzOwn: the same of our own export.
func FuzzOwn(f *testing.F) {
	f.Add(ownLines)
	f.Fuzz(func(t *testing.T, lines string) { fuzzRows(t, `{"v":1,"eventId":"x"}`+"\n"+lines) })
}

func fuzzRows(t *testing.T, content string) {
	file := open(t, content)
	form, err := Detect(file)
	if err != nil {
		t.Skip()
	}
	for row, err := range form.Read(file, Options{}) {
		probe := row.Event
		if probe.EventID = row.Key; err == nil && row.Skip == "" && probe.Validate() != nil {
			t.Errorf("%+v: %v", row, probe.Validate())
		}
	}
}

const ownLines = `{"v":1,"source":"kodi:/home/ann","eventId":"k1","committedAt":"2026-08-21T06:41:00Z","event":{"kind":"viewing","eventId":"k1","media":[{"type":"movie","title":"A Film","year":1995}],"watchedAt":{"utc":1787294460000,"text":"2026-08-21T06:41:00Z","precision":"second"},"count":1,"class":"review","unsure":true},"entries":[{"id":1,"kind":"viewing","state":"delivered","account":"default","media":{"type":"movie","ids":{"tmdb":949},"title":"A Film","year":1995},"watchedAt":"2026-08-21T06:41:00Z"}]}
{"v":1,"source":"kodi:/home/ann","eventId":"k2","committedAt":"2026-08-21T06:41:00Z","event":{"kind":"viewing","eventId":"k2","media":[{"type":"movie","title":"Held"}],"watchedAt":{"utc":1787294460000,"text":"2026-08-21","precision":"day"},"count":1,"class":"review","unsure":true},"entries":[{"id":2,"kind":"viewing","state":"held","account":"default","media":{"type":"movie","title":"Held"},"watchedAt":"2026-08-21T07:41:00Z"}]}
{"v":1,"source":"browser:b1","eventId":"b1","committedAt":"2026-08-21T06:41:00Z","event":{"kind":"viewing","eventId":"b1","media":[{"type":"movie","ids":{"tmdb":949}}],"watchedAt":{"utc":1787294460000,"precision":"second"},"count":1}}
{"v":1,"source":"odd:x","eventId":"o1","committedAt":"2026-08-21T06:41:00Z","event":{"kind":"watchlist","eventId":"o1","media":[{"type":"tv","ids":{"tmdb":1396}}]},"entries":[{"id":3,"kind":"watchlist","state":"pending","account":"default","media":{"type":"tv","ids":{"tmdb":1396}},"watchedAt":"1970-01-01T00:00:00Z"}]}
{"v":1,"source":"browser:b1","eventId":"b2","committedAt":"2026-08-21T06:41:00Z","event":{"kind":"viewing","eventId":"b2","media":[{"type":"movie","ids":{"tmdb":949}}],"watchedAt":{"utc":1787294460000,"precision":"second"},"count":1},"entries":[{"id":4,"kind":"viewing","state":"dropped","account":"default","media":{"type":"movie","ids":{"tmdb":949}},"watchedAt":"2026-08-21T06:41:00Z"}]}
{"v":1,"unreadable":7}
`

// What was delivered has the identity that was found, what is held stays to be decided, and
// what became of nothing is no row.
func TestOwnExport(t *testing.T) {
	want := strings.TrimLeft(`
k1 viewing A Film (1995) {TMDB:949 IMDB: TVDB:0}  2026-08-21T06:41:00Z import
k2 viewing Held {TMDB:0 IMDB: TVDB:0}  2026-08-21T07:41:00Z review
b1 other
odd:o1 watchlist tv 1396 {TMDB:1396 IMDB: TVDB:0}   import
b2 other
: other
`, "\n")
	if got := rowsText(t, open(t, ownLines), Options{}); got != want {
		t.Errorf("read\n%s\nwant\n%s", got, want)
	}
}
