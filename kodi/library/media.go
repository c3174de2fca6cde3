package library

import (
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
	for _, i := range all {
		switch i.Namespace {
		case "tmdb":
			ids.TMDB = choose(ids.TMDB, number(i.Value, maxID), i.Default)
		case "tvdb":
			ids.TVDB = choose(ids.TVDB, number(i.Value, maxID), i.Default)
		case "imdb":
			ids.IMDB = choose(ids.IMDB, imdb(i.Value), i.Default)
		}
	}
	return ids
}

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

// choose keeps the old value unless it is none or the new one is preferred.
func choose[T comparable](old, found T, preferred bool) T {
	var none T
	if found != none && (old == none || preferred) {
		return found
	}
	return old
}

// maxID is the largest number that the service and browsers can hold.
const maxID = 1<<53 - 1

// number reads a text that is all digits, from 1 to limit; else 0.
func number(s string, limit int64) int64 {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > limit {
		return 0
	}
	return n
}

// imdb is s if it is "tt" and up to twelve digits, else "".
func imdb(s string) string {
	digits, ok := strings.CutPrefix(s, "tt")
	if !ok || digits == "" || len(digits) > 12 || strings.Trim(digits, "0123456789") != "" {
		return ""
	}
	return s
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
