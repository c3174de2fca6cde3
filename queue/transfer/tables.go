package transfer

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// filmRow reads a film from a diary, a watchlist or ratings of Letterboxd or Movary.
func filmRow(r *reader, line Line) Row {
	m, day := line.media(viewing.Movie), line.Get("watched_at")
	if line.Part.Name == "watchlist.csv" || line.Get("addedat") != "" {
		return newRow(viewing.KindWatchlist, m)
	}
	row := r.viewingRow(m, day)
	if line.Has("review") || line.Get("userrating") != "" || day == "" && line.Has("rating") {
		row.Skip = SkipRating
	}
	return row
}

// isLetterboxdList reports whether the part is an exported list of Letterboxd.
func isLetterboxdList(p *Part) bool { return strings.HasPrefix(p.Head(), "Letterboxd list export") }

// letterboxdListRow reads a line of a file with two tables: the list in a line below "Date", and its
// films below "Position".
func letterboxdListRow(r *reader, line Line) Row {
	name, list := line.Get("title"), r.known["list"]
	switch first := line.Get("position"); {
	case first == "Date", first == "Position":
		return Row{}
	case strings.ContainsAny(first, "-./"):
		list = r.key("list", cmp.Or(line.Get("url"), name))
		r.known["list"] = list
		return listRow(list, viewing.List{Name: name, Description: line.Get("description")})
	}
	row := newRow(viewing.KindListItem, line.media(viewing.Movie))
	row.Event.InList, row.Key = list, r.key("item", list, name, line.Get("year"), line.Get("url"))
	return row
}

// simklRow reads a film or series from Simkl's CSV, which has no episodes.
func simklRow(r *reader, line Line) Row {
	m := line.media(viewing.TV)
	if line.Get("type") == "movie" {
		m.Type = viewing.Movie
	}
	return r.simklWork(m, strings.ReplaceAll(strings.ToLower(line.Get("watchlist")), " ", ""), line.Get("watched_at"))
}

// TV Time's archive also contains passwords. These are the members with viewings, and the columns that
// identify a row.
const (
	tvtimeMembers = "tracking-prod-records*.csv */tracking-prod-records*.csv"
	tvtimeKey     = "key,type,uuid,title,created_at"
)

// learnTVTime learns which films were watched or followed.
func learnTVTime(r *reader, line Line) {
	if line.Get("type") != "towatch" {
		r.known[line.Get("uuid")] = "watched"
	}
}

// tvtimeRow reads a film, an episode, or a series of the watchlist. Episodes that were marked together
// have only the time of the mark.
func tvtimeRow(r *reader, line Line) Row {
	m, kind := line.media(viewing.Movie), line.Get("type")
	if m.Title == "" {
		m, kind = line.media(viewing.Episode), line.Get("key")
	}
	switch {
	case kind == "watch", kind == "rewatch", strings.HasPrefix(kind, "watch-episode-"), strings.HasPrefix(kind, "rewatch-episode-"):
	case kind == "towatch" && r.known[line.Get("uuid")] == "":
		return newRow(viewing.KindWatchlist, m)
	case strings.HasPrefix(kind, "user-series-") && line.Get("is_for_later") == "true" && m.Show != nil:
		return newRow(viewing.KindWatchlist, viewing.Media{Type: viewing.TV, Title: m.Show.Title, IDs: m.Show.IDs})
	default:
		return Row{}
	}
	at, _ := time.Parse(time.DateTime, line.Get("created_at")) // emit skips the zero time
	row := newViewingRow(m, viewing.At(at.Local()))
	if line.Get("bulk_type") != "" {
		row.Skip = SkipMark
	}
	return row
}

// imdbTypes maps IMDb's title types to the types that a watchlist accepts.
var imdbTypes = map[string]viewing.MediaType{
	"movie": viewing.Movie, "featurefilm": viewing.Movie, "tvmovie": viewing.Movie, "tvspecial": viewing.Movie,
	"tvshort": viewing.Movie, "short": viewing.Movie, "shortfilm": viewing.Movie, "video": viewing.Movie,
	"tvseries": viewing.TV, "tvminiseries": viewing.TV, "miniseries": viewing.TV,
}

// imdbRow reads an item of an IMDb list as a watchlist item. It skips ratings.
func imdbRow(_ *reader, line Line) Row {
	kind, listed := imdbTypes[strings.ToLower(strings.ReplaceAll(line.Get("type"), " ", ""))]
	row := newRow(viewing.KindWatchlist, line.media(kind))
	switch {
	case !line.Has("position"):
		row.Skip = SkipRating
	case !listed:
		row.Skip = SkipOther
	}
	return row
}

// tautulliKey lists the columns that identify a playback.
const tautulliKey = "user,started,rating_key,full_title"

// readTautulli reads the history of a Plex server from flat JSON objects.
func readTautulli(r *reader, p *Part) {
	decodeObjects(r, p, func(_ string, values map[string]any) {
		line, names := Line{Part: p}, []string{}
		for name, value := range values {
			if value != nil {
				names, line.Fields = append(names, name), append(line.Fields, fmt.Sprint(value))
			}
		}
		line.columns = columnsOf(names)
		r.readLine(shape{key: tautulliKey, row: tautulliRow}, line)
	})
}

// plexGUID matches a Plex identifier that contains the IMDb or TMDB id of a film, or the TheTVDB
// id of a series.
var plexGUID = regexp.MustCompile(`^com\.plexapp\.agents\.(imdb|themoviedb|thetvdb)://(tt\d+|\d+)`)

// tautulliRow reads one playback.
func tautulliRow(r *reader, line Line) Row {
	m := line.media(viewing.MediaType(line.Get("type")))
	guid := append(plexGUID.FindStringSubmatch(line.Get("guid")), "", "", "")
	switch {
	case m.Type == viewing.Episode:
		if m.Year = 0; m.Show != nil && guid[1] == "thetvdb" {
			m.Show.IDs.TVDB = int64(numberOrZero(guid[2]))
		}
	case guid[1] == "imdb":
		m.IDs.IMDB = guid[2]
	case guid[1] == "themoviedb":
		m.IDs.TMDB = int64(numberOrZero(guid[2]))
	}
	stopped := numberOrZero(line.Get("stopped"))
	row := newViewingRow(m, viewing.At(time.Unix(int64(stopped), 0)))
	switch {
	case m.Type != viewing.Episode && m.Type != viewing.Movie || line.Get("live") == "1":
		row.Skip = SkipOther
	case stopped == 0:
		row.Skip = SkipUnreadable
	case line.Get("watched_status") != "1":
		row.Skip = SkipUnfinished
	}
	return row
}

// isJellyfin reports whether the part is a backup of Jellyfin's Playback Reporting: sittings without
// column names.
func isJellyfin(p *Part) bool {
	first, _, _ := strings.Cut(p.Head(), "\n")
	fields := strings.Split(first, "\t")
	_, isTime := parseTime(fields[0])
	return len(fields) == 9 && isTime
}

// learnJellyfin learns the running time of an item from a sitting.
func learnJellyfin(r *reader, line Line) {
	r.learnLength(line.Get("item"), numberOrZero(line.Get("played")))
}

// jellyfinEpisode matches the name of an episode: "Series - s01e02 - Title".
var jellyfinEpisode = regexp.MustCompile(`^(.+?) - [sS](\d+)[eE](\d+) - (.*)$`)

// jellyfinRow reads one sitting.
func jellyfinRow(r *reader, line Line) Row {
	m := line.media(viewing.MediaType(strings.ToLower(line.Get("type"))))
	if parts := jellyfinEpisode.FindStringSubmatch(m.Title); m.Type == viewing.Episode && parts != nil {
		m.Show, m.Title = &viewing.Show{Title: parts[1]}, parts[4]
		m.Season, m.Episode = parseNumber(parts[2]), parseNumber(parts[3])
	}
	began, _, ok := r.dates.instant(line.Get("began"))
	skip := Skip("")
	switch {
	case len(line.Fields) != 9 || !ok:
		skip = SkipUnreadable
	case m.Type != viewing.Movie && m.Type != viewing.Episode:
		skip = SkipOther
	}
	return r.sittingRow(m, line.Get("person"), line.Get("item"), began.Time(), numberOrZero(line.Get("played")), 0, skip)
}

// csvRow reads a line of our own CSV format. The first item of a list also emits the list.
func csvRow(r *reader, line Line) Row {
	m := line.media(viewing.MediaType(line.Get("type")))
	row := newRow(viewing.Kind(line.Get("kind")), m)
	switch row.Event.Kind {
	case viewing.KindViewing:
		row = r.viewingRow(m, line.Get("watched_at"))
	case viewing.KindListItem:
		name := line.Get("list")
		if r.known[name] == "" && name != "" {
			r.known[name] = r.key("list", name)
			r.emit(listRow(r.known[name], viewing.List{Name: name}))
		}
		row.Event.InList = r.known[name]
	}
	row.Event.Origin.Site = line.Get("source")
	return row
}

// yamtrackRow reads a line of Yamtrack. The line of an episode has the id and title of its series.
// Lines of series and seasons repeat data of their episodes.
func yamtrackRow(r *reader, line Line) Row {
	m := line.media(viewing.MediaType(line.Get("type")))
	if source := line.Get("source"); source != "tmdb" && source != "" {
		m.IDs = viewing.IDs{}
	}
	switch planned := line.Get("status") == "Planning"; {
	case planned && (m.Type == viewing.TV || m.Type == viewing.Movie):
		return newRow(viewing.KindWatchlist, m)
	case m.Type == viewing.Episode:
		m.Show = &viewing.Show{IDs: m.IDs, Title: m.Title}
		m.IDs, m.Title = viewing.IDs{}, ""
	case m.Type != viewing.Movie:
		return Row{Skip: SkipOther}
	}
	return r.viewingRow(m, line.Get("watched_at"))
}
