package nfo

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
	"unique"

	"github.com/filmspool/filmspool/queue/viewing"
)

// The bounds of the vocabulary, and of what a play count may be.
const (
	maxID    = 1<<53 - 1
	maxTitle = 1000
	maxPath  = 4000
	maxStamp = 40
	maxWord  = 200
	maxPlace = 1 << 30
	maxPlays = 1_000_000
	week     = 7 * 24 * time.Hour
)

// item makes sense of the fields.
func (v *values) item() item {
	i := item{
		media:     viewing.Media{Type: v.kind, Title: cut(v.title, maxTitle)},
		playCount: v.plays(), lastPlayed: cut(v.lastPlayed, maxStamp),
		duration: v.length(), path: cut(v.path, maxPath), genres: words(v.genres), tags: words(v.tags),
	}
	i.media.IDs, i.doubt = v.identifiers()
	if v.kind != viewing.Episode {
		i.media.Year = year(v.premiered, v.year)
		return i
	}
	i.media.Season, i.media.Episode = place(v.season, 0), place(v.episode, 1)
	i.media.Show = &viewing.Show{Title: cut(v.showTitle, maxTitle)}
	return i
}

// words are genres or tags, of which older programs write several in one
// element. A library repeats them in every file, so each is kept once.
func words(written []string) (all []string) {
	for _, some := range written {
		for word := range strings.SplitSeq(some, " / ") {
			if word = strings.TrimSpace(word); word != "" && len(all) < maxWords {
				all = append(all, unique.Make(cut(word, maxWord)).Value())
			}
		}
	}
	return all
}

// plays is the play count. Programs other than Kodi may write <watched> alone.
func (v *values) plays() int {
	if v.playCount == "" && strings.EqualFold(v.watched, "true") {
		return 1
	}
	n, err := strconv.Atoi(v.playCount)
	if err != nil || n < 0 {
		return 0
	}
	return min(n, maxPlays)
}

// length is the running time: the stream's in seconds, else the one that is
// told in minutes.
func (v *values) length() time.Duration {
	if s := number(v.seconds); s > 0 && s <= int64(week/time.Second) {
		return time.Duration(s) * time.Second
	}
	minutes, _, _ := strings.Cut(v.runtime, " ") // "136 min"
	if m := number(minutes); m > 0 && m <= int64(week/time.Minute) {
		return time.Duration(m) * time.Minute
	}
	return 0
}

// identifiers takes what has a namespace. In each the default one counts; of
// several others that differ none does, and the doubt says so.
func (v *values) identifiers() (ids viewing.IDs, doubt string) {
	legacy := ""
	if strings.HasPrefix(v.id, "tt") {
		legacy = v.id
	}
	tmdb, odd1 := v.pick("tmdb", isNumber, v.tmdb)
	tvdb, odd2 := v.pick("tvdb", isNumber, v.tvdb)
	imdb, odd3 := v.pick("imdb", isIMDB, v.imdb1, v.imdb2, legacy)
	return viewing.IDs{TMDB: number(tmdb), TVDB: number(tvdb), IMDB: imdb}, cmp.Or(odd1, odd2, odd3)
}

// pick chooses among the identifiers of one namespace: the <uniqueid>
// elements, else those that other programs write, in their order.
func (v *values) pick(namespace string, valid func(string) bool, others ...string) (value, doubt string) {
	for _, u := range v.ids {
		switch {
		case u.namespace != namespace || !valid(u.value):
		case u.preferred:
			return u.value, ""
		case value == "":
			value = u.value
		case value != u.value:
			doubt = fmt.Sprintf("it names two %s identifiers, %s and %s, and none as the default", namespace, value, u.value)
		}
	}
	if doubt != "" {
		return "", doubt
	}
	for _, o := range others {
		if value == "" && valid(o) {
			value = o
		}
	}
	return value, ""
}

func isNumber(s string) bool { return number(s) > 0 }

// isIMDB reports whether s is "tt" and up to twelve digits.
func isIMDB(s string) bool {
	digits, ok := strings.CutPrefix(s, "tt")
	return ok && digits != "" && len(digits) <= 12 && strings.Trim(digits, "0123456789") == ""
}

// number reads a text that is all digits, from 1 to what the service can hold;
// else 0.
func number(s string) int64 {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > maxID {
		return 0
	}
	return n
}

// place reads a season or episode number; nil when it is none or lower than
// from. Kodi writes -1 for one that it does not know.
func place(s string, from int) *int {
	n, err := strconv.Atoi(s)
	if err != nil || n < from || n > maxPlace {
		return nil
	}
	return &n
}

// year is the first text that begins with a year. Kodi writes 1970-01-01 for
// a date it does not know, and then 1970 for the year.
func year(premiered, said string) int {
	if len(premiered) >= 4 && !strings.HasPrefix(premiered, "1970-01-01") {
		if n := number(premiered[:4]); n > 0 {
			return int(n)
		}
	}
	if n := number(said); n <= 9999 && !(n == 1970 && strings.HasPrefix(premiered, "1970-01-01")) {
		return int(n)
	}
	return 0
}

// cut bounds a text to whole characters.
func cut(s string, limit int) string {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit])
}
