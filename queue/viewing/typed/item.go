package typed

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/filmspool/filmspool/queue/viewing"
)

// maxID is the service's largest identifier.
const maxID = 1<<53 - 1

// Item is what a text names. A number alone does not say its type.
type Item struct {
	Type    viewing.MediaType // movie, tv, episode; "" when the text does not say
	IDs     viewing.IDs       // of an episode, those of its series
	Season  *int              // from 0 (specials); nil when the text does not say
	Episode *int              // from 1; nil when the text does not say
	text    string
}

// aim is what kind of item is wanted, for the words of an error.
type aim struct{ example, search string }

func anyItem() aim { return aim{"themoviedb.org/movie/603, themoviedb.org/tv/1396", ""} }
func aMovie() aim  { return aim{"themoviedb.org/movie/603", "/movie"} }
func aSeries() aim { return aim{"themoviedb.org/tv/1396", "/tv"} }

// find says where such an item is found.
func (a aim) find() string {
	return "look for it on themoviedb.org, and give the number in its address: " + a.example
}

// ParseItem reads a number of themoviedb.org ("603", "603-the-matrix"), an
// IMDb number ("tt0133093") or an address at one of the two. Errors are an
// [*Error].
func ParseItem(text string) (Item, error) { return anyItem().item(text) }

// ParseMovie reads a film, in the forms of [ParseItem].
func ParseMovie(text string) (viewing.Media, error) {
	i, err := aMovie().item(text)
	if err == nil && (i.Type == viewing.TV || i.Type == viewing.Episode) {
		err = &Error{Problem: Quoted(i.text) + " is the address of a series, and a film is wanted here", Next: aMovie().find()}
	}
	return viewing.Media{Type: viewing.Movie, IDs: i.IDs}, err
}

// ParseSeries reads a whole series. The address of one of its seasons or
// episodes is refused.
func ParseSeries(text string) (viewing.Media, error) {
	m, err := ParseEpisode(text)
	if err != nil {
		return m, err
	}
	if m.Season != nil {
		err = &Error{Problem: Quoted(text) + " is the address of a part of a series, and a whole series is wanted here", Next: aSeries().find()}
	}
	return viewing.Media{Type: viewing.TV, IDs: m.Show.IDs}, err
}

// ParseEpisode reads a series, and as much of an episode as the text names:
// season and number may be nil.
func ParseEpisode(text string) (viewing.Media, error) {
	i, err := aSeries().item(text)
	if err == nil && i.Type == viewing.Movie {
		err = &Error{Problem: Quoted(i.text) + " is the address of a film, and a series is wanted here", Next: aSeries().find()}
	}
	return viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: i.IDs}, Season: i.Season, Episode: i.Episode}, err
}

// item reads a text.
func (a aim) item(text string) (Item, error) {
	trimmed := strings.TrimSpace(text)
	lower := strings.ToLower(trimmed)
	switch {
	case trimmed == "":
		return Item{}, &Error{Problem: "the number is empty", Next: a.find()}
	case strings.HasPrefix(lower, "tt") && startsWithDigit(lower[2:]):
		ids, err := imdb(lower)
		return Item{IDs: ids, text: trimmed}, err
	case strings.Contains(trimmed, "/"):
		return a.address(trimmed)
	case startsWithDigit(trimmed) && !strings.ContainsAny(trimmed, " \t"):
		id, err := a.number(trimmed)
		return Item{IDs: viewing.IDs{TMDB: id}, text: trimmed}, err
	case strings.HasPrefix(trimmed, "-") && startsWithDigit(trimmed[1:]):
		return Item{}, &Error{Problem: Quoted(trimmed) + " is not a number from 1", Next: a.find()}
	default:
		return Item{}, a.words(trimmed)
	}
}

func startsWithDigit(text string) bool { return text != "" && text[0] >= '0' && text[0] <= '9' }

// words refuses a title: which film is meant, only a person can say.
func (a aim) words(text string) error {
	return &Error{
		Words:   true,
		Problem: Quoted(text) + " is neither a number nor an address, and a title alone does not say which film or series it is",
		Next: "look for it at https://www.themoviedb.org/search" + a.search + "?query=" + url.QueryEscape(searched(text)) +
			" and give the number in its address",
	}
}

// number reads "603" or "603-the-matrix".
func (a aim) number(text string) (int64, error) {
	digits, slug, _ := strings.Cut(text, "-")
	id, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case err != nil && strings.Trim(digits, "0123456789") != "":
		return 0, a.words(text)
	case err != nil || id < 1 || id > maxID:
		return 0, &Error{Problem: fmt.Sprintf("%s is not a number from 1 to %d", Quoted(digits), int64(maxID)), Next: a.find()}
	case strings.Trim(slug, "0123456789") == "" && slug != "": // "2026-03-01", or a typing error
		return 0, &Error{Problem: Quoted(text) + " is not one number", Next: a.find()}
	}
	return id, nil
}

// imdb reads "tt" and at least seven digits: a shorter one has lost some.
func imdb(text string) (viewing.IDs, error) {
	digits := text[2:]
	if strings.Trim(digits, "0123456789") != "" || len(digits) < 7 || len(digits) > 12 {
		return viewing.IDs{}, &Error{
			Problem: Quoted(text) + " is not an IMDb number",
			Next:    `one is "tt" and 7 digits or more: tt0133093`,
		}
	}
	return viewing.IDs{IMDB: text}, nil
}

// Dated parts words from the year behind them: "Alpha One (1999)". The year is 0
// where there is none.
func Dated(words string) (title string, year int) {
	title = strings.TrimSpace(words)
	if parts := regexp.MustCompile(`^(.*\S)\s*\((\d{4})\)$`).FindStringSubmatch(title); parts != nil {
		title = parts[1]
		year, _ = strconv.Atoi(parts[2]) // four digits
	}
	return title, year
}

// address reads an address of a page, with or without "https://".
func (a aim) address(text string) (Item, error) {
	lower := strings.ToLower(text)
	rest, hasScheme := strings.CutPrefix(lower, "https://")
	if !hasScheme {
		rest, hasScheme = strings.CutPrefix(lower, "http://")
	}
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	host, path, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host, ":")
	for _, prefix := range []string{"www.", "m."} {
		host = strings.TrimPrefix(host, prefix)
	}
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	switch {
	case host == "themoviedb.org":
		return a.tmdbPage(text, parts)
	case host == "imdb.com":
		return imdbPage(text, parts)
	case !hasScheme && (host == "" || host == "movie" || host == "tv") && len(parts) > 0: // "movie/603", "/movie/603"
		return a.tmdbPage(text, strings.FieldsFunc(rest, func(r rune) bool { return r == '/' }))
	case hasScheme || strings.Contains(host, "."):
		return Item{}, &Error{
			Problem: Quoted(text) + " is not an address of themoviedb.org or imdb.com",
			Next:    a.find(),
		}
	default:
		return Item{}, a.words(text) // a title with a slash: "Face/Off"
	}
}

// tmdbPage reads the path of a page of themoviedb.org.
func (a aim) tmdbPage(text string, parts []string) (Item, error) {
	notThis := &Error{Problem: Quoted(text) + " is not the address of a film, a series or an episode", Next: a.find()}
	if len(parts) < 2 || parts[0] != "movie" && parts[0] != "tv" {
		return Item{}, notThis
	}
	id, err := a.number(parts[1])
	if err != nil {
		return Item{}, notThis
	}
	i := Item{Type: viewing.MediaType(parts[0]), IDs: viewing.IDs{TMDB: id}, text: text}
	if i.Type == viewing.Movie || len(parts) < 4 || parts[2] != "season" {
		return i, nil
	}
	season, ok := counted(parts[3], 0)
	if !ok {
		return Item{}, notThis
	}
	i.Season = &season
	if len(parts) < 6 || parts[4] != "episode" {
		return i, nil
	}
	episode, ok := counted(parts[5], 1)
	if !ok {
		return Item{}, notThis
	}
	i.Type, i.Episode = viewing.Episode, &episode
	return i, nil
}

// counted reads a season's or an episode's number.
func counted(text string, from int) (int, bool) {
	n, err := strconv.ParseUint(text, 10, 31)
	return int(n), err == nil && int(n) >= from
}

// imdbPage reads the path of a page of imdb.com, which may begin with a
// language.
func imdbPage(text string, parts []string) (Item, error) {
	for n, part := range parts {
		if part == "title" && n+1 < len(parts) && n <= 1 {
			if !strings.HasPrefix(parts[n+1], "tt") {
				break
			}
			ids, err := imdb(parts[n+1])
			return Item{IDs: ids, text: text}, err
		}
	}
	return Item{}, &Error{
		Problem: Quoted(text) + " is not the address of a film or a series",
		Next:    "such an address is imdb.com/title/tt0133093",
	}
}
