package library

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/filmspool/filmspool/queue/viewing"
)

// identifier is a row of the table uniqueid.
type identifier struct {
	row              int64
	namespace, value string
}

// film makes a valid item of a row.
func (d *details) film(i *Item, row itemRow) {
	self, r := owner{"movie", row.id}, d.films[row.id]
	i.Media.Title, i.Media.Year, i.Media.IDs = text(r.title), year(r.premiered, r.year), d.idsOf(self, row.uid)
	i.Genres, i.Tags = d.labels["genre"][self], d.labels["tag"][self]
}

// episode makes a valid item of a row. Some scrapers give an episode the
// identifier of its show, which would name an episode of another show.
func (d *details) episode(i *Item, row itemRow) {
	show, whole := d.shows[row.show], owner{"tvshow", row.show}
	m := &i.Media
	m.Title, m.IDs = text(d.episodes[row.id].title), d.idsOf(owner{"episode", row.id}, row.uid)
	m.Show = &viewing.Show{Title: text(show.title), Year: year(show.premiered), IDs: d.idsOf(whole, show.uid)}
	m.Season, m.Episode = placed(row.season), placed(row.number)
	if m.IDs.TMDB == m.Show.IDs.TMDB || d.shared[strconv.FormatInt(m.IDs.TMDB, 10)] {
		m.IDs.TMDB = 0
	}
	if m.IDs.TVDB == m.Show.IDs.TVDB {
		m.IDs.TVDB = 0
	}
	if m.IDs.IMDB == m.Show.IDs.IMDB {
		m.IDs.IMDB = ""
	}
	i.Genres, i.Tags = d.labels["genre"][whole], d.labels["tag"][whole]
}

// idsOf takes what each namespace can be trusted with. Of two in one
// namespace the default one counts, else the first.
func (d *details) idsOf(o owner, standard int64) viewing.IDs {
	var ids viewing.IDs
	for _, i := range d.ids[o] {
		preferred := i.row == standard
		switch i.namespace {
		case "tmdb":
			ids.TMDB = choose(ids.TMDB, number(i.value, maxID), preferred)
		case "tvdb":
			ids.TVDB = choose(ids.TVDB, number(i.value, maxID), preferred)
		case "imdb":
			ids.IMDB = choose(ids.IMDB, imdb(i.value), preferred)
		}
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

// rowOf reads the number of an item's default identifier; 0 for none.
func rowOf(s string) int64 { return number(s, maxID) }

// place reads a season or episode number, which Kodi keeps as text; last when
// it is none or lower than from.
func place(s string, from int32) int32 {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 32)
	if err != nil || int32(n) < from || n >= last {
		return last
	}
	return int32(n)
}

// last is the place of what has none: behind all others.
const last = 1<<30 + 1

// placed is a place, nil for none.
func placed(n int32) *int {
	if n == last {
		return nil
	}
	whole := int(n)
	return &whole
}

// year is the first text that begins with a year. Kodi writes 1970-01-01 for
// a date it does not know.
func year(dates ...string) int {
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

// text makes a title valid: whole characters, at most a thousand.
func text(s string) string {
	const limit = 1000
	s = strings.ToValidUTF8(s, "\uFFFD")
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit])
}
