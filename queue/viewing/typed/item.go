// Package typed reads what a person types: which film, series or episode is meant, and
// when it was watched. The same text and the same time give the same answer. What has two
// meanings is refused: errors are a [viewing.Message] that says how to write it.
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

// Item is what a text names. A number alone does not say its type.
type Item struct {
	Type    viewing.MediaType // movie, tv, episode; "" when the text does not say
	IDs     viewing.IDs       // of an episode, those of its series
	Season  *int              // from 0 (specials); nil when the text does not say
	Episode *int              // from 1; nil when the text does not say
}

// The forms of an item, in lower case.
var (
	numberForm = lazy(`^([1-9]\d{0,14})(?:-|-\S*[^\s\d-]\S*)?$`) // 603, 603-the-matrix
	kindForm   = lazy(`^(?:(movie|film)|tv|series|serie|show|episode|folge)\s+([1-9]\d{0,14})$`)
	imdbForm   = lazy(`^tt\d{7,12}$`) // a shorter one has lost digits
	imdbPage   = lazy(`^(?:https?://)?(?:www\.|m\.)?imdb\.com/(?:[a-z-]+/)?title/(tt\d{7,12})(?:[/?#]|$)`)
	tmdbPage   = lazy(`^(?:(?:https?://)?(?:www\.|m\.)?themoviedb\.org/|/)?(movie|tv)/([1-9]\d{0,14})(?:-[^/?#]*)?` +
		`(?:/season/(\d{1,5})(?:/episode/([1-9]\d{0,4}))?)?(?:[/?#]|$)`)
	otherPage = lazy(`^https?://|^[^\s/]+\.[a-z]+/`)
	yearForm  = lazy(`^(.*\S)\s*\((\d{4})\)$`)
)

// ParseItem reads a number of themoviedb.org ("603", "603-the-matrix", "movie 603"), an
// IMDb number ("tt0133093") or an address at one of the two.
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

// parseDigits is the value of digits; 0 where there are none.
func parseDigits(digits string) int64 {
	n, _ := strconv.ParseInt(digits, 10, 64)
	return n
}

// titleCode is the code of an error about words that may be a title.
const titleCode = "typed.title"

// IsTitle reports whether an error says that a text is neither number nor address: it
// may be a title. Which film that is, only a person can say.
func IsTitle(err error) bool { return isCode(err, titleCode) }

// ParseMedia reads an item of a kind in the forms of [ParseItem]: a film, a whole series,
// or a series and as much of an episode as the text names.
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

// SplitYear parts words from the year behind them: "Alpha One (1999)". The year is 0
// where there is none.
func SplitYear(words string) (title string, year int) {
	title = strings.TrimSpace(words)
	if parts := yearForm().FindStringSubmatch(title); parts != nil {
		return parts[1], int(parseDigits(parts[2]))
	}
	return title, 0
}

// textError is a message about a text.
func textError(code, text string) viewing.Message {
	return viewing.Say(code, "text", Quoted(strings.TrimSpace(text)))
}

// maxShown bounds how much of a text is repeated, in characters.
const maxShown = 60

// Shortened is the beginning of a text, to be repeated.
func Shortened(text string) string {
	if letters := []rune(text); len(letters) > maxShown {
		return string(letters[:maxShown]) + "…"
	}
	return text
}

// Quoted is a text as an error repeats it.
func Quoted(text string) string { return strconv.Quote(Shortened(text)) }

// lazy compiles an expression at its first use: most starts of the program use none.
func lazy(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// Nearest is the known word that value may have meant: one in which at most two letters
// are to be put in, taken out or changed. "" is none.
func Nearest(value string, known []string) string {
	best, least := "", 3
	for _, word := range known {
		if d := editDistance(strings.ToLower(value), word); d < least {
			best, least = word, d
		}
	}
	return best
}

// editDistance is the least number of letters to put in, take out or change.
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
