package library

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/filmspool/filmspool/kodi/snapshot"
	"github.com/filmspool/filmspool/queue/viewing"
)

// owner is what an identifier belongs to.
type owner struct {
	kind string // movie, episode or tvshow
	id   int64
}

// identifier is a row of the table uniqueid.
type identifier struct {
	row              int64
	of               owner
	namespace, value string
}

// namer gives films, episodes and shows their identifiers.
type namer map[owner][]identifier

func newNamer(all []identifier) namer {
	n := make(namer, len(all))
	for _, i := range all {
		n[i.of] = append(n[i.of], i)
	}
	return n
}

// film is a valid item made of a row.
func (t *tables) film(r filmRow, n namer) snapshot.Item {
	self := owner{"movie", r.id}
	m := viewing.Media{
		Type: viewing.Movie, Title: text(r.title), Year: year(r.premiered, r.year),
		IDs: n.idsOf(self, r.uid),
	}
	return snapshot.Item{
		KodiID: r.id, IDRow: r.uid, Media: m, Extra: r.extra,
		Genres: t.genres[self], Tags: t.tags[self],
	}
}

// episode is a valid item made of a row. Some scrapers give an episode the
// identifier of its show, which would name an episode of another show.
func (t *tables) episode(r episodeRow, n namer) snapshot.Item {
	show, whole := t.shows[r.show], owner{"tvshow", r.show}
	m := viewing.Media{
		Type: viewing.Episode, Title: text(r.title), IDs: n.idsOf(owner{"episode", r.id}, r.uid),
		Show:   &viewing.Show{Title: text(show.title), Year: year(show.premiered), IDs: n.idsOf(whole, show.uid)},
		Season: placed(r.season), Episode: placed(r.number),
	}
	if m.IDs.TMDB == m.Show.IDs.TMDB {
		m.IDs.TMDB = 0
	}
	if m.IDs.TVDB == m.Show.IDs.TVDB {
		m.IDs.TVDB = 0
	}
	if m.IDs.IMDB == m.Show.IDs.IMDB {
		m.IDs.IMDB = ""
	}
	return snapshot.Item{KodiID: r.id, IDRow: r.uid, Media: m, Genres: t.genres[whole], Tags: t.tags[whole]}
}

// idsOf takes what each namespace can be trusted with. Of two in one
// namespace the default one counts, else the first.
func (n namer) idsOf(o owner, standard int64) viewing.IDs {
	var ids viewing.IDs
	for _, i := range n[o] {
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
