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

// Identifier is one identifier of an item in a Kodi library.
type Identifier struct {
	Namespace, Value string
	Default          bool
}

// Identify returns the valid identifiers. Of several in one namespace it takes the default one,
// else the first.
func Identify(all []Identifier) (ids viewing.IDs) {
	standard := slices.DeleteFunc(slices.Clone(all), func(i Identifier) bool { return !i.Default })
	for _, i := range slices.Concat(standard, all) {
		switch i.Namespace {
		case "tmdb":
			ids.TMDB = cmp.Or(ids.TMDB, parseID(i.Value, maxID))
		case "tvdb":
			ids.TVDB = cmp.Or(ids.TVDB, parseID(i.Value, maxID))
		case "imdb":
			ids.IMDB = cmp.Or(ids.IMDB, imdbID.FindString(i.Value))
		}
	}
	return ids
}

var imdbID = regexp.MustCompile(`^tt\d{1,12}$`)

// titleAndIDs returns title, year and identifiers of a film or a series.
func (d *details) titleAndIDs(o owner) viewing.Show {
	row := d.rows[o]
	return viewing.Show{Title: ValidText(row.title, MaxTitle), Year: ParseYear(row.premiered, row.year), IDs: Identify(d.ids[o])}
}

// fillItem sets the media, genres and tags of an item.
func (d *details) fillItem(i *Item, self owner) {
	whole, m, own := self, &i.Media, d.titleAndIDs(self)
	m.Title, m.Year, m.IDs = own.Title, own.Year, own.IDs
	if row := d.rows[self]; self.kind == "episode" {
		whole = owner{"tvshow", row.show}
		show := d.titleAndIDs(whole)
		m.Show, m.Season, m.Episode = &show, ParseNumber(row.season, 0), ParseNumber(row.number, 1)
		m.IDs = EpisodeIDs(m.IDs, show.IDs)
		if d.shared[strconv.FormatInt(m.IDs.TMDB, 10)] {
			m.IDs.TMDB = 0
		}
	}
	i.Genres, i.Tags = d.labels["genre"][whole], d.labels["tag"][whole]
}

// EpisodeIDs removes the identifiers of the show from those of an episode: some scrapers copy
// them, and they would name an episode of another show.
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

// maxID is the largest integer that browsers represent exactly.
const maxID = 1<<53 - 1

// parseID parses a number from 1 to limit; it returns 0 for anything else.
func parseID(s string, limit int64) int64 {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil || int64(n) > limit {
		return 0
	}
	return int64(n)
}

// ParseNumber parses the number of a season or an episode; it returns nil for anything else, and
// for numbers lower than from.
func ParseNumber(text string, from int) *int {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 32)
	if err != nil || int(n) < from {
		return nil
	}
	whole := int(n)
	return &whole
}

// ParseYear returns the year of the first text that begins with one, or 0. It skips 1970-01-01,
// which Kodi writes for an unknown date.
func ParseYear(dates ...string) int {
	for _, d := range dates {
		if len(d) < 4 || strings.HasPrefix(d, "1970-01-01") {
			continue
		}
		if n := parseID(d[:4], 9999); n > 0 {
			return int(n)
		}
	}
	return 0
}

// MaxTitle bounds the length of a title, in characters.
const MaxTitle = 1000

// ValidText returns valid UTF-8 with at most limit characters.
func ValidText(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit])
}
