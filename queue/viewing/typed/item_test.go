package typed

import (
	"errors"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue/viewing"
)

// shown is an item in short, for tables.
func shown(i Item) string {
	m := viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: i.IDs}, Season: i.Season, Episode: i.Episode}
	if i.Type != viewing.Episode {
		m = viewing.Media{Type: i.Type, IDs: i.IDs}
	}
	return strings.TrimSpace(m.Label())
}

func TestItemsAreReadAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string]string{
		"603": "603", " 603 ": "603", "603-the-matrix": "603", "603-": "603", "9007199254740991": "9007199254740991",
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
		if got := shown(i); err != nil || got != want {
			t.Errorf("%q is %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestWhatNamesNoItemIsRefusedInPlainWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "empty",
		"The Matrix":                             "a title alone does not say",
		"Alien":                                  "a title alone does not say",
		"Face/Off":                               "a title alone does not say",
		"12 Monkeys":                             "a title alone does not say",
		"2001: A Space Odyssey":                  "a title alone does not say",
		"300x":                                   "a title alone does not say",
		"0":                                      "is not a number from 1",
		"-5":                                     "is not a number from 1",
		"9007199254740992":                       "is not a number from 1 to 9007199254740991",
		strings.Repeat("9", 300):                 "is not a number from 1",
		"603-604":                                "is not one number",
		"tt123":                                  "is not an IMDb number",
		"tt0133093x":                             "is not an IMDb number",
		"https://www.themoviedb.org/person/6384": "not the address of a film, a series or an episode",
		"https://www.themoviedb.org/movie":       "not the address of a film",
		"https://www.themoviedb.org/movie/x":     "not the address of a film",
		"https://www.themoviedb.org/tv/1396/season/x":           "not the address of a film",
		"https://www.themoviedb.org/tv/1396/season/1/episode/0": "not the address of a film",
		"https://www.imdb.com/name/nm0000206/":                  "not the address of a film or a series",
		"https://www.imdb.com/title/nm0000206/":                 "not the address of a film or a series",
		"https://example.org/movie/603":                         "not an address of themoviedb.org or imdb.com",
		"https://themoviedb.org.evil.example/movie/603":         "not an address of themoviedb.org",
		"https:///movie/603":                                    "not an address of themoviedb.org",
	} {
		_, err := ParseItem(text)
		var problem *Error
		if !errors.As(err, &problem) || !strings.Contains(problem.Problem, want) || problem.Next == "" {
			t.Errorf("%q: %v, want %q and a way on", text, err, want)
		}
	}
	_, err := ParseItem("The\x1b[31m Matrix")
	if strings.Contains(err.Error(), "\x1b") {
		t.Errorf("%q could paint the terminal", err)
	}
}

func TestAnAddressOfAnotherKindIsRefused(t *testing.T) {
	const movie, show = "themoviedb.org/movie/603", "themoviedb.org/tv/1396"
	for _, c := range []struct {
		name string
		err  error
		good bool
	}{
		{"film as film", second(ParseMovie(movie)), true},
		{"number as film", second(ParseMovie("603")), true},
		{"number as series", second(ParseSeries("603")), true},
		{"number as episode", second(ParseEpisode("603")), true},
		{"series as film", second(ParseMovie(show)), false},
		{"episode as film", second(ParseMovie(show + "/season/1/episode/2")), false},
		{"film as series", second(ParseSeries(movie)), false},
		{"film as episode", second(ParseEpisode(movie)), false},
		{"series as series", second(ParseSeries(show)), true},
		{"season as series", second(ParseSeries(show + "/season/1")), false},
		{"episode as episode", second(ParseEpisode(show + "/season/1/episode/2")), true},
	} {
		if (c.err == nil) != c.good {
			t.Errorf("%s: %v", c.name, c.err)
		}
	}
}

// TestAWayOnIsOfTheKindThatIsWanted: who is asked for a series is not shown how
// to find a film.
func TestAWayOnIsOfTheKindThatIsWanted(t *testing.T) {
	for _, text := range []string{"", "Dark", "-5", "0", "themoviedb.org/person/1", "example.org/1", "themoviedb.org/movie/603"} {
		var problem *Error
		if err := second(ParseEpisode(text)); !errors.As(err, &problem) || strings.Contains(problem.Next, "movie/") || !strings.Contains(problem.Next, "/tv") {
			t.Errorf("%q, wanted a series: %+v", text, problem)
		}
		if text == "themoviedb.org/movie/603" {
			text = "themoviedb.org/tv/1396"
		}
		if err := second(ParseMovie(text)); !errors.As(err, &problem) || strings.Contains(problem.Next, "/tv") || !strings.Contains(problem.Next, "/movie") {
			t.Errorf("%q, wanted a film: %+v", text, problem)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// FuzzParseItem: what is taken is valid in the words of the service, and is
// read the same again.
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
