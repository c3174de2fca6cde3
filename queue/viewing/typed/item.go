// Package typed parses what a person types: which film, series or episode is meant, and when it
// was watched. The result depends on the text and the given time only. Ambiguous input is an
// error: a [viewing.Message] that says how to write it.
package typed

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Item is a film, series or episode that a text names. A number alone has no type.
type Item struct {
	Type    viewing.MediaType // movie, tv, episode; "" if the text has none
	IDs     viewing.IDs       // for an episode, those of its series
	Season  *int              // from 0 (specials); nil if the text has none
	Episode *int              // from 1; nil if the text has none
}

// The forms of an item. The text is in lower case.
var (
	numberForm = lazy(`^([1-9]\d{0,14})(?:-|-\S*[^\s\d-]\S*)?$`) // 603, 603-the-matrix
	kindForm   = lazy(`^(?:(movie|film)|tv|series|serie|show|episode|folge)\s+([1-9]\d{0,14})$`)
	imdbForm   = lazy(`^tt\d{7,12}$`) // a shorter one lacks digits
	imdbPage   = lazy(`^(?:https?://)?(?:www\.|m\.)?imdb\.com/(?:[a-z-]+/)?title/(tt\d{7,12})(?:[/?#]|$)`)
	tmdbPage   = lazy(`^(?:(?:https?://)?(?:www\.|m\.)?themoviedb\.org/|/)?(movie|tv)/([1-9]\d{0,14})(?:-[^/?#]*)?` +
		`(?:/season/(\d{1,5})(?:/episode/([1-9]\d{0,4}))?)?(?:[/?#]|$)`)
	otherPage = lazy(`^https?://|^[^\s/]+\.[a-z]+/`)
	yearForm  = lazy(`^(.*\S)\s*\((\d{4})\)$`)
)

// ParseItem parses a TMDB id ("603", "603-the-matrix", "movie 603"), an IMDb id ("tt0133093") or
// an address at one of the two.
func ParseItem(text string) (Item, error) {
	lower := strings.ToLower(strings.TrimSpace(text))
	if page := tmdbPage().FindStringSubmatch(lower); page != nil {
		i := Item{Type: viewing.MediaType(page[1]), IDs: viewing.IDs{TMDB: parseDigits(page[2])}}
		if i.Type == viewing.TV && page[3] != "" {
			season, episode := int(parseDigits(page[3])), int(parseDigits(page[4]))
			i.Season = &season
			if episode > 0 {
				i.Type, i.Episode = viewing.Episode, &episode
			}
		}
		return i, nil
	}
	if page := imdbPage().FindStringSubmatch(lower); page != nil {
		return Item{IDs: viewing.IDs{IMDB: page[1]}}, nil
	}
	if parts := kindForm().FindStringSubmatch(lower); parts != nil {
		i := Item{Type: viewing.TV, IDs: viewing.IDs{TMDB: parseDigits(parts[2])}}
		if parts[1] != "" {
			i.Type = viewing.Movie
		}
		return i, nil
	}
	if parts := numberForm().FindStringSubmatch(lower); parts != nil {
		return Item{IDs: viewing.IDs{TMDB: parseDigits(parts[1])}}, nil
	}
	switch {
	case imdbForm().MatchString(lower):
		return Item{IDs: viewing.IDs{IMDB: lower}}, nil
	case strings.Trim(lower, "0123456789-") == "": // or empty, "-5", "2026-03-01"
		return Item{}, textError("typed.number", text)
	case strings.HasPrefix(lower, "tt") && strings.Trim(lower[2:], "0123456789") == "":
		return Item{}, textError("typed.imdb", text)
	case otherPage().MatchString(lower):
		return Item{}, textError("typed.address", text)
	default:
		m := textError(titleCode, text)
		words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) })
		m.Args["url"] = "https://www.themoviedb.org/search?query=" + url.QueryEscape(Shortened(strings.Join(words, " ")))
		return Item{}, m
	}
}

// parseDigits returns the value of digits; 0 if there are none.
func parseDigits(digits string) int64 {
	n, _ := strconv.ParseInt(digits, 10, 64)
	return n
}

// titleCode is the message code for words that may be a title.
const titleCode = "typed.title"

// IsTitle reports whether an error of [ParseItem] means that the text is neither a number nor an
// address and may be a title.
func IsTitle(err error) bool { return isCode(err, titleCode) }

// ParseMedia parses an item of a type in the forms of [ParseItem]: a film, a whole series, or a
// series with the season and episode that the text names.
func ParseMedia(kind viewing.MediaType, text string) (viewing.Media, error) {
	m := viewing.Media{Type: kind}
	i, err := ParseItem(text)
	switch {
	case err != nil:
	case kind == viewing.Movie && i.Type != viewing.Movie && i.Type != "":
		err = textError("typed.wantsMovie", text)
	case kind != viewing.Movie && i.Type == viewing.Movie:
		err = textError("typed.wantsSeries", text)
	case kind == viewing.TV && i.Season != nil:
		err = textError("typed.wantsWhole", text)
	case kind == viewing.Episode:
		m.Show, m.Season, m.Episode = &viewing.Show{IDs: i.IDs}, i.Season, i.Episode
	default:
		m.IDs = i.IDs
	}
	return m, err
}

// SplitYear splits a title from the year in parentheses after it: "Alpha One (1999)". The year is
// 0 if none exists.
func SplitYear(words string) (title string, year int) {
	title = strings.TrimSpace(words)
	if parts := yearForm().FindStringSubmatch(title); parts != nil {
		return parts[1], int(parseDigits(parts[2]))
	}
	return title, 0
}

// textError returns a message that quotes a text.
func textError(code, text string) viewing.Message {
	return viewing.Say(code, "text", Quoted(strings.TrimSpace(text)))
}

// maxShown is how many characters of a text a message quotes.
const maxShown = 60

// Shortened returns the beginning of a text for a message.
func Shortened(text string) string {
	if letters := []rune(text); len(letters) > maxShown {
		return string(letters[:maxShown]) + "…"
	}
	return text
}

// Quoted returns a text in quotes for a message.
func Quoted(text string) string { return strconv.Quote(Shortened(text)) }

// lazy returns a function that compiles an expression at its first call: most runs of the program
// use none of them.
func lazy(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// Nearest returns the known word with the smallest edit distance to value; "" if none is within
// two letters.
func Nearest(value string, known []string) string {
	best, least := "", 3
	for _, word := range known {
		if d := editDistance(strings.ToLower(value), word); d < least {
			best, least = word, d
		}
	}
	return best
}

// editDistance returns the number of letters to insert, delete or replace.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range min(len(a), 40) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
