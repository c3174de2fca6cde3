package library

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Identifier is one of the numbers that a Kodi gives an item.
type Identifier struct {
	Namespace, Value string
	Default          bool
}

// Identify takes what each namespace can be trusted with. Of two in one
// namespace the default one counts, else the first.
func Identify(all []Identifier) (ids viewing.IDs) {
	standard := slices.DeleteFunc(slices.Clone(all), func(i Identifier) bool { return !i.Default })
	for _, i := range slices.Concat(standard, all) {
		switch i.Namespace {
		case "tmdb":
			ids.TMDB = cmp.Or(ids.TMDB, number(i.Value, maxID))
		case "tvdb":
			ids.TVDB = cmp.Or(ids.TVDB, number(i.Value, maxID))
		case "imdb":
			ids.IMDB = cmp.Or(ids.IMDB, imdbID.FindString(i.Value))
		}
	}
	return ids
}

var imdbID = regexp.MustCompile(`^tt\d{1,12}$`)

// named is the title, the year and the identifiers of a film or a series.
func (d *details) named(o owner) viewing.Show {
	row := d.rows[o]
	return viewing.Show{Title: Text(row.title, MaxTitle), Year: Year(row.premiered, row.year), IDs: Identify(d.ids[o])}
}

// fill makes a valid item of what was read of it.
func (d *details) fill(i *Item, self owner) {
	whole, m, own := self, &i.Media, d.named(self)
	m.Title, m.Year, m.IDs = own.Title, own.Year, own.IDs
	if row := d.rows[self]; self.kind == "episode" {
		whole = owner{"tvshow", row.show}
		show := d.named(whole)
		m.Show, m.Season, m.Episode = &show, Place(row.season, 0), Place(row.number, 1)
		m.IDs = EpisodeIDs(m.IDs, show.IDs)
		if d.shared[strconv.FormatInt(m.IDs.TMDB, 10)] {
			m.IDs.TMDB = 0
		}
	}
	i.Genres, i.Tags = d.labels["genre"][whole], d.labels["tag"][whole]
}

// EpisodeIDs takes from an episode what is its show's: some scrapers give it
// that, which would name an episode of another show.
func EpisodeIDs(ids, show viewing.IDs) viewing.IDs {
	if ids.TMDB == show.TMDB {
		ids.TMDB = 0
	}
	if ids.TVDB == show.TVDB {
		ids.TVDB = 0
	}
	if ids.IMDB == show.IMDB {
		ids.IMDB = ""
	}
	return ids
}

// maxID is the largest number that the service and browsers can hold.
const maxID = 1<<53 - 1

// number reads a text that is all digits, from 1 to limit; else 0.
func number(s string, limit int64) int64 {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil || int64(n) > limit {
		return 0
	}
	return int64(n)
}

// Place reads the number of a season or an episode; nil when it is none or lower
// than from.
func Place(text string, from int) *int {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 32)
	if err != nil || int(n) < from {
		return nil
	}
	whole := int(n)
	return &whole
}

// Year is the first text that begins with a year. Kodi writes 1970-01-01 for
// a date it does not know.
func Year(dates ...string) int {
	for _, d := range dates {
		if len(d) < 4 || strings.HasPrefix(d, "1970-01-01") {
			continue
		}
		if n := number(d[:4], 9999); n > 0 {
			return int(n)
		}
	}
	return 0
}

// MaxTitle is how many characters a title has at most.
const MaxTitle = 1000

// Text makes a text valid: whole characters, not too many.
func Text(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit])
}
