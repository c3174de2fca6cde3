package transfer

import (
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// yamtrackForm is the table of Yamtrack. It carries films, and episodes by series, season and
// number, where TMDB's numbers are known; and the watchlist.
var yamtrackForm = Format{Name: "yamtrack", Is: isYamtrack, Read: reading(readYamtrack), Write: writeYamtrack}

var yamtrackColumns = []string{
	"media_id", "source", "media_type", "title", "image", "season_number", "episode_number", "score", "progress", "status",
	"start_date", "end_date", "notes", "progressed_at",
}

// yamtrackTime is how Yamtrack writes a time.
const yamtrackTime = "2006-01-02 15:04:05.999-07:00"

func writeYamtrack(w io.Writer, records iter.Seq2[Record, error]) error {
	written := map[string]bool{} // series and seasons
	return writeTable(w, yamtrackColumns, records, func(r Record) (rows [][]string) {
		m, when := r.Media, there(r.WatchedAt).Format(yamtrackTime)
		if r.WatchedAt.Precision == viewing.Day {
			when = moment(r.WatchedAt)
		}
		row := func(id int64, kind, title, season, episode, progress, status, end string) {
			rows = append(rows, []string{fmt.Sprint(id), "tmdb", kind, title, "", season, episode, "", progress, status, "", end, "", ""})
		}
		once := func(id int64, kind, title, season, status string) {
			if key := fmt.Sprint(id, " ", season); !written[key] {
				written[key] = true
				row(id, kind, title, season, "", "", status, "")
			}
		}
		switch {
		case r.Kind == viewing.KindViewing && m.Placed():
			season := place(m.Season)
			once(m.Show.IDs.TMDB, "tv", m.Show.Title, "", "In progress")
			once(m.Show.IDs.TMDB, "season", m.Show.Title, season, "In progress")
			row(m.Show.IDs.TMDB, "episode", m.Show.Title, season, place(m.Episode), "", "", when)
		case m.IDs.TMDB == 0:
		case r.Kind == viewing.KindViewing && m.Type == viewing.Movie:
			row(m.IDs.TMDB, "movie", m.Title, "", "", "1", "Completed", when)
		case r.Kind == viewing.KindWatchlist && m.Type == viewing.Movie:
			row(m.IDs.TMDB, "movie", m.Title, "", "", "", "Planning", "")
		case r.Kind == viewing.KindWatchlist:
			once(m.IDs.TMDB, "tv", m.Title, "", "Planning")
		}
		return rows
	})
}

func isYamtrack(f *File) bool {
	return f.Only().Has("media_id", "media_type", "season_number", "episode_number")
}

func readYamtrack(f *File, o Options, give func(Row) error) error {
	keys, days := newKeys("yamtrack"), newCalendar(o)
	return f.Only().each(func(line Line) error {
		id, kind, watched := line.Get("media_id"), line.Get("media_type"), line.Get("end_date", "watch_date", "progressed_at")
		m := viewing.Media{Type: viewing.Movie, Title: clean(plain(line.Get("title")))}
		if source := line.Get("source"); source == "tmdb" || source == "" {
			m.IDs.TMDB = int64(number(id))
		}
		row := Row{Key: keys.next(id, line.Get("source"), kind, line.Get("season_number"), line.Get("episode_number"), watched)}
		if len(watched) > len(time.DateTime) {
			watched = strings.Replace(watched, " ", "T", 1)
		}
		switch planned := line.Get("status") == "Planning"; {
		case planned && (kind == "tv" || kind == "movie"):
			if kind == "tv" {
				m.Type = viewing.TV
			}
			row.Event = desired(m)
		case kind == "episode" || kind == "movie":
			if kind == "episode" {
				m = viewing.Media{
					Type: viewing.Episode, Show: &viewing.Show{IDs: m.IDs, Title: m.Title},
					Season: placeOf(line.Get("season_number")), Episode: placeOf(line.Get("episode_number")),
				}
			}
			at, ambiguous, ok := days.instant(watched)
			if row.Event, row.Ambiguous = viewed(m, at), ambiguous; !ok {
				row.Skip = SkipMark
			}
		default:
			row.Skip = SkipOther // series and seasons, of which the episodes tell; books and games
		}
		return give(row)
	})
}
