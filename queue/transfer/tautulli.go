package transfer

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// tautulliForm is the history of a Plex server as Tautulli gives it, as JSON or as a table
// with the same names.
var tautulliForm = Format{Name: "tautulli", Is: isTautulli, Read: reading(readTautulli)}

func isTautulli(f *File) bool {
	p := f.Only()
	isObject := p.Columns() == nil && strings.Contains(p.Head(), `"watched_status"`)
	return isObject || p.Has("media_type", "title", "stopped", "watched_status")
}

func readTautulli(f *File, o Options, give func(Row) error) error {
	p, keys, zone := f.Only(), newKeys("tautulli"), newCalendar(o).zone
	if p.Columns() != nil {
		return p.each(func(line Line) error {
			return give(tautulliRow(func(name string) string { return line.Get(name) }, keys, zone))
		})
	}
	path := ""
	if strings.Contains(p.Head(), `"response"`) {
		path = "response.data.data"
	}
	for object, err := range p.Objects(path) {
		var values map[string]any
		if err == nil {
			err = object.Into(&values)
		}
		get := func(name string) string {
			if n, isNumber := values[name].(float64); isNumber {
				return strconv.FormatFloat(n, 'f', -1, 64)
			}
			text, _ := values[name].(string)
			return text
		}
		if err == nil {
			err = give(tautulliRow(get, keys, zone))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tautulliRow reads one playback. Numbers that an agent of Plex writes into its guid are those
// of a film, or of a series at TheTVDB.
func tautulliRow(get func(string) string, keys *keys, zone *time.Location) (row Row) {
	m := viewing.Media{Type: viewing.Movie, Title: clean(get("title")), Year: number(get("year"))}
	guid := tautulliGUID().FindStringSubmatch(get("guid"))
	if guid == nil {
		guid = make([]string, 3)
	}
	switch kind := get("media_type"); {
	case kind == "episode":
		m = viewing.Media{
			Type: viewing.Episode, Title: m.Title, Show: &viewing.Show{Title: clean(get("grandparent_title"))},
			Season: placeOf(get("parent_media_index")), Episode: placeOf(get("media_index")),
		}
		if guid[1] == "thetvdb" {
			m.Show.IDs.TVDB = int64(number(guid[2]))
		}
	case kind != "movie" || get("live") == "1":
		row.Skip = SkipOther
	case guid[1] == "imdb":
		m.IDs.IMDB = guid[2]
	case guid[1] == "themoviedb":
		m.IDs.TMDB = int64(number(guid[2]))
	}
	stopped := number(get("stopped"))
	row.Key = keys.next(get("user"), get("started"), get("rating_key"), get("full_title"))
	row.Person = clean(get("user"))
	row.Event = viewed(m, viewing.At(time.Unix(int64(stopped), 0).In(zone)))
	switch {
	case row.Skip != "":
	case stopped == 0:
		row.Skip = SkipUnreadable
	case get("watched_status") != "1":
		row.Skip = SkipUnfinished
	}
	return row
}

var tautulliGUID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^com\.plexapp\.agents\.(imdb|themoviedb|thetvdb)://(tt\d+|\d+)`)
})
