package typed

import (
	"errors"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue/viewing"
)

// codeOf returns the code of the message in err.
func codeOf(err error) string {
	m, _ := errors.AsType[viewing.Message](err)
	return m.Code
}

// formatItem formats an item for tables.
func formatItem(i Item) string {
	m := viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: i.IDs}, Season: i.Season, Episode: i.Episode}
	if i.Type != viewing.Episode {
		m = viewing.Media{Type: i.Type, IDs: i.IDs}
	}
	return strings.TrimSpace(m.Label())
}

func TestParseItem(t *testing.T) {
	for text, want := range map[string]string{
		"603": "603", " 603 ": "603", "603-the-matrix": "603", "603-": "603", "64688-21-jump-street": "64688", "999999999999999": "999999999999999",
		"movie 949": "movie 949", "Film 11": "movie 11", "series 1396": "tv 1396", "show  1396": "tv 1396",
		"tt0133093": "tt0133093", "TT0133093": "tt0133093", "tt12345678": "tt12345678",
		"https://www.themoviedb.org/movie/603-the-matrix":                 "movie 603",
		"https://www.themoviedb.org/movie/603-the-matrix?language=de-DE":  "movie 603",
		"https://www.themoviedb.org/movie/603/cast#crew":                  "movie 603",
		"HTTP://TheMovieDB.org/movie/603":                                 "movie 603",
		"themoviedb.org/movie/603/":                                       "movie 603",
		"movie/603":                                                       "movie 603",
		"/tv/1396":                                                        "tv 1396",
		"https://www.themoviedb.org/tv/1396-breaking-bad":                 "tv 1396",
		"https://www.themoviedb.org/tv/1396-breaking-bad/seasons":         "tv 1396",
		"https://www.themoviedb.org/tv/1396-breaking-bad/season/1":        "tv 1396",
		"themoviedb.org/tv/1396/season/1/episode/2":                       "show 1396 S01E02",
		"https://www.themoviedb.org/tv/1396/season/0/episode/12/cast?x=1": "show 1396 S00E12",
		"https://www.imdb.com/title/tt0133093/":                           "tt0133093",
		"imdb.com/title/tt0133093":                                        "tt0133093",
		"https://m.imdb.com/title/tt0133093/?ref_=fn_all_ttl_1":           "tt0133093",
		"https://www.imdb.com/de/title/tt0133093/fullcredits":             "tt0133093",
	} {
		i, err := ParseItem(text)
		if got := formatItem(i); err != nil || got != want {
			t.Errorf("%q is %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestParseItemErrors(t *testing.T) {
	for text, want := range map[string]string{
		"": "typed.number", "0": "typed.number", "-5": "typed.number", "603-604": "typed.number", "2026-03-01": "typed.number",
		"1000000000000000": "typed.number", strings.Repeat("9", 300): "typed.number",
		"tt123": "typed.imdb", "tt01330931234567": "typed.imdb",
		"The Matrix": titleCode, "Face/Off": titleCode, "12 Monkeys": titleCode, "2001: A Space Odyssey": titleCode, "300x": titleCode, "tt0133093x": titleCode,
		"https://www.themoviedb.org/person/6384": "typed.address", "https://www.themoviedb.org/movie": "typed.address",
		"https://www.themoviedb.org/movie/x": "typed.address", "https://www.imdb.com/title/nm0000206/": "typed.address",
		"https://example.org/movie/603": "typed.address", "https://themoviedb.org.evil.example/movie/603": "typed.address",
		"https:///movie/603": "typed.address", "imdb.com/name/nm0000206": "typed.address",
	} {
		if _, err := ParseItem(text); codeOf(err) != want || IsTitle(err) != (want == titleCode) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := ParseItem("The\x1b[31m Matrix"); strings.Contains(err.Error(), "\x1b") {
		t.Errorf("%q could paint the terminal", err)
	}
}

func TestParseMediaRejectsAnotherType(t *testing.T) {
	const movie, show = "themoviedb.org/movie/603", "themoviedb.org/tv/1396"
	for _, c := range []struct {
		kind       viewing.MediaType
		text, code string
	}{
		{viewing.Movie, movie, ""},
		{viewing.Movie, "603", ""},
		{viewing.Movie, show, "typed.wantsMovie"},
		{viewing.Movie, show + "/season/1/episode/2", "typed.wantsMovie"},
		{viewing.TV, show, ""},
		{viewing.TV, "603", ""},
		{viewing.TV, movie, "typed.wantsSeries"},
		{viewing.TV, show + "/season/1", "typed.wantsWhole"},
		{viewing.Episode, show + "/season/1/episode/2", ""},
		{viewing.Episode, "603", ""},
		{viewing.Episode, movie, "typed.wantsSeries"},
	} {
		if m, err := ParseMedia(c.kind, c.text); codeOf(err) != c.code || m.Type != c.kind {
			t.Errorf("%s as %s: %v, want %q", c.text, c.kind, err, c.code)
		}
	}
}

// FuzzParseItem: a parsed item is valid, and parsing it again gives the same.
func FuzzParseItem(f *testing.F) {
	for _, text := range []string{"603", "tt0133093", "themoviedb.org/tv/1396/season/1/episode/2", "https://m.imdb.com/de/title/tt0133093", "Face/Off", "-5", "movie/603", "://", "/"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		i, err := ParseItem(text)
		if err != nil {
			if len([]rune(err.Error())) > 1000 {
				t.Fatalf("the error is as long as what was typed: %d", len(err.Error()))
			}
			return
		}
		if (i.IDs.TMDB > 0) == (i.IDs.IMDB != "") {
			t.Fatalf("%q: it has none or two numbers: %+v", text, i)
		}
		m := viewing.Media{Type: viewing.Movie, IDs: i.IDs}
		if i.Type == viewing.Episode {
			m = viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: i.IDs}, Season: i.Season, Episode: i.Episode}
		}
		v := viewing.Event{Kind: viewing.KindViewing, EventID: "e", Count: 1, Media: []viewing.Media{m}, WatchedAt: viewing.Instant{Millis: 1e12}}
		if err := v.Validate(); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		again, err := ParseItem(strings.ToUpper(strings.TrimSpace(text)))
		if err != nil || again.IDs != i.IDs {
			t.Fatalf("%q in capitals: %+v, %v", text, again, err)
		}
	})
}
