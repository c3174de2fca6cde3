package resolve

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Question is one that a service may be asked: an IMDb identifier alone, or a
// title with a type and, where it is known, a year.
type Question struct {
	IMDB  string // "tt" and digits; with it the others are zero
	Title string
	Type  viewing.MediaType // movie or tv
	Year  int               // 0 when unknown
}

// Answer is what a service says to a question. Zero values are untold.
type Answer struct {
	TMDB       int64
	Type       string
	Title      string
	Year       int
	Confidence string // high, medium or low
}

// high is the only confidence that counts.
const high = "high"

// Questions are what to ask about an item, the surest first: the later ones
// when nothing is known of the earlier. There are none about an item that is
// identified, or of which nothing is told that could identify it.
func Questions(m viewing.Media) (all []Question) {
	w, ok := wantedOf(m)
	if !ok || m.Identified() {
		return nil
	}
	if w.imdb != "" {
		all = append(all, Question{IMDB: w.imdb})
	}
	if fold(w.title) != "" {
		all = append(all, Question{Title: w.title, Type: w.kind, Year: w.year})
	}
	return all
}

// wanted is what has to be found: the film or series itself, or the series of
// an episode.
type wanted struct {
	kind  viewing.MediaType
	imdb  string
	title string
	year  int
}

// wantedOf is false for an episode whose place is unknown.
func wantedOf(m viewing.Media) (wanted, bool) {
	if m.Type != viewing.Episode {
		return wanted{m.Type, m.IDs.IMDB, m.Title, m.Year}, true
	}
	if m.Show == nil || m.Season == nil || m.Episode == nil {
		return wanted{}, false
	}
	return wanted{viewing.TV, m.Show.IDs.IMDB, m.Show.Title, m.Show.Year}, true
}

// Judgement is what an answer means for an item.
type Judgement struct {
	// Media is the item with its identifier; nil when that is not certain.
	Media *viewing.Media
	// Said is one sentence for a person.
	Said string
	// Fix is the number of a suggestion that a person may say is right; 0 for none.
	Fix int64
}

// Judge says what the answer a to the question q means for the item m. beside
// are the answers to [Near].
func Judge(m viewing.Media, q Question, a Answer, beside []Answer) Judgement {
	w, ok := wantedOf(m)
	if !ok || a.TMDB <= 0 {
		return Judgement{Said: Unknown(q)}
	}
	if why := factsOf(w, m, q, a, beside).doubt(); why != "" {
		return suggest(w, a, strings.Replace(why, "%s", word(string(w.kind)), 1))
	}
	if q.IMDB != "" {
		return Judgement{Media: with(m, a.TMDB), Said: fmt.Sprintf("The service knows %s as %s.", q.IMDB, named(a))}
	}
	return Judgement{Media: with(m, a.TMDB), Said: fmt.Sprintf("The service is sure that it is %s.", named(a))}
}

// Unknown is what to say when nothing is known.
func Unknown(q Question) string {
	if q.IMDB != "" {
		return "The service was asked, and knows nothing of " + q.IMDB + "."
	}
	return fmt.Sprintf("The service was asked, and knows nothing called %q.", q.Title)
}

// suggest makes a suggestion of an answer.
func suggest(w wanted, a Answer, why string) Judgement {
	j := Judgement{Said: fmt.Sprintf("The service suggests %s, %s.", named(a), why)}
	if a.Type == string(w.kind) {
		j.Fix = a.TMDB
	}
	return j
}

// named is an answer in a person's words: "Alpha One" (1999; movie 603, high confidence).
func named(a Answer) string {
	name, year, sure := "an untitled item", "", ""
	if a.Title != "" {
		name = fmt.Sprintf("%q", a.Title)
	}
	if a.Year > 0 {
		year = fmt.Sprintf("%d; ", a.Year)
	}
	if a.Confidence != "" {
		sure = fmt.Sprintf(", %s confidence", a.Confidence)
	}
	return fmt.Sprintf("%s (%s%s tmdb %d%s)", name, year, word(a.Type), a.TMDB, sure)
}

// word is a type in a person's words.
func word(kind string) string {
	switch kind {
	case string(viewing.Movie):
		return "film"
	case string(viewing.TV):
		return "series"
	case string(viewing.Episode):
		return "episode"
	default:
		return "unknown type,"
	}
}

// with is the item with the identifier that was found.
func with(m viewing.Media, tmdb int64) *viewing.Media {
	if m.Type != viewing.Episode {
		m.IDs.TMDB = tmdb
		return &m
	}
	show := *m.Show
	show.IDs.TMDB = tmdb
	m.Show = &show
	return &m
}

// fold makes titles comparable: letters, marks and digits in one case, with
// single spaces between the words.
func fold(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r)
	})
	return strings.Join(words, " ")
}

// Again is how long to wait before asking once more about an item of which
// nothing certain was found, after it was asked so many times; ok is false
// when it is not to be asked any more.
func Again(asked int) (wait time.Duration, ok bool) {
	const day = 24 * time.Hour
	waits := [...]time.Duration{day, 7 * day, 30 * day}
	if asked < 1 || asked > len(waits) {
		return 0, false
	}
	return waits[asked-1], true
}
