package transfer

import (
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// tvtimeForm is the archive of an account's data at TV Time. Of its members, which hold
// passwords too, only the records of what was watched are read.
var tvtimeForm = Format{Name: "tvtime", Is: isTVTime, Read: reading(readTVTime)}

// tvtimeRecords are these members: of films, and of episodes.
func tvtimeRecords(f *File) (films, episodes *Part) {
	for _, p := range f.Named("tracking-prod-records*.csv", "*/tracking-prod-records*.csv") {
		switch {
		case p.Has("type", "movie_name", "created_at"):
			films = p
		case p.Has("key", "s_id", "season_number", "episode_number", "created_at"):
			episodes = p
		}
	}
	return films, episodes
}

func isTVTime(f *File) bool {
	films, episodes := tvtimeRecords(f)
	return films != nil || episodes != nil
}

func readTVTime(f *File, o Options, give func(Row) error) error {
	films, episodes := tvtimeRecords(f)
	keys, zone, watched := newKeys("tvtime"), newCalendar(o).zone, map[string]bool{}
	if episodes != nil {
		if err := episodes.each(func(line Line) error { return readTVTimeEpisode(line, keys, zone, give) }); err != nil {
			return err
		}
	}
	if films == nil {
		return nil
	}
	err := films.each(func(line Line) error {
		watched[line.Get("uuid")] = watched[line.Get("uuid")] || line.Get("type") != "towatch"
		return nil
	})
	if err != nil {
		return err
	}
	return films.each(func(line Line) error {
		year, _, _ := strings.Cut(line.Get("release_date"), "-")
		m := viewing.Media{Type: viewing.Movie, Title: clean(line.Get("movie_name")), Year: number(year)}
		kind, id := line.Get("type"), line.Get("uuid")
		row := Row{Key: keys.next(kind, id, m.Title, line.Get("created_at")), Event: viewed(m, viewing.Instant{})}
		switch {
		case m.Title == "":
			return nil
		case kind == "watch" || kind == "rewatch":
			row.Event.WatchedAt, row.Skip = tvtimeTime(line, zone)
		case kind == "towatch" && !watched[id]:
			row.Event = desired(m)
		default:
			return nil
		}
		return give(row)
	})
}

// readTVTimeEpisode reads a record of an episode, or of a series that is kept for later.
func readTVTimeEpisode(line Line, keys *keys, zone *time.Location, give func(Row) error) error {
	id, ids := line.Get("key"), viewing.IDs{TVDB: int64(number(line.Get("s_id")))}
	row, name := Row{Key: keys.next(id, line.Get("created_at"))}, clean(line.Get("series_name"))
	switch {
	case strings.HasPrefix(id, "watch-episode-"), strings.HasPrefix(id, "rewatch-episode-"):
		row.Event = viewed(viewing.Media{
			Type: viewing.Episode, IDs: viewing.IDs{TVDB: int64(number(line.Get("episode_id", "ep_id")))},
			Show: &viewing.Show{IDs: ids, Title: name}, Season: placeOf(line.Get("season_number")), Episode: placeOf(line.Get("episode_number")),
		}, viewing.Instant{})
		row.Event.WatchedAt, row.Skip = tvtimeTime(line, zone)
	case strings.HasPrefix(id, "user-series-") && line.Get("is_for_later") == "true":
		row.Event = desired(viewing.Media{Type: viewing.TV, Title: name, IDs: ids})
	default:
		return nil
	}
	return give(row)
}

// tvtimeTime is when something was watched. What was marked together with other episodes has
// the time of the mark only.
func tvtimeTime(line Line, zone *time.Location) (at viewing.Instant, why Skip) {
	t, err := time.Parse(time.DateTime, line.Get("created_at"))
	switch {
	case err != nil:
		return at, SkipUnreadable
	case line.Get("bulk_type") != "":
		why = SkipMark
	}
	return viewing.At(t.In(zone)), why
}
