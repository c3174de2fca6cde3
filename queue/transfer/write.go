package transfer

import (
	"archive/zip"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// csvColumns are the columns of our own CSV format. It represents everything of a [Record] except
// the site of an item and the description and visibility of a list.
const csvColumns = "kind,type,title,year,tmdb,imdb,tvdb,series,series_year,series_tmdb,series_imdb,series_tvdb," +
	"season,episode,watched_at,rewatch,list,source"

// writeCSV writes our own CSV format.
func writeCSV(w io.Writer, records iter.Seq2[Record, error]) (int, error) {
	return writeTable(w, csvColumns, records, func(r Record, row func(...any)) {
		m, rewatch := r.Media, any("")
		show, list := cmp.Or(m.Show, &viewing.Show{}), cmp.Or(r.List, &viewing.List{})
		if r.Kind == viewing.KindViewing {
			rewatch = r.Rewatch
		}
		row(
			r.Kind, m.Type, m.Title, m.Year, m.IDs.TMDB, m.IDs.IMDB, m.IDs.TVDB,
			show.Title, show.Year, show.IDs.TMDB, show.IDs.IMDB, show.IDs.TVDB,
			m.Season, m.Episode, formatTime(r.WatchedAt, time.RFC3339Nano), rewatch, list.Name, r.Source,
		)
	})
}

// writeLetterboxd writes Letterboxd's import format. It represents viewings of films by day.
func writeLetterboxd(w io.Writer, records iter.Seq2[Record, error]) (int, error) {
	return writeTable(w, "tmdbID,imdbID,Title,Year,WatchedDate,Rewatch", records, func(r Record, row func(...any)) {
		if m := r.Media; r.Kind == viewing.KindViewing && m.Type == viewing.Movie {
			row(m.IDs.TMDB, m.IDs.IMDB, m.Title, m.Year, formatTime(r.WatchedAt, time.DateOnly), r.Rewatch)
		}
	})
}

// writeYamtrack writes Yamtrack's CSV. It represents films, and episodes by series, season and
// number, if their TMDB ids are known; and the watchlist.
func writeYamtrack(w io.Writer, records iter.Seq2[Record, error]) (int, error) {
	const columns = "media_id,source,media_type,title,image,season_number,episode_number,score,progress,status," +
		"start_date,end_date,notes,progressed_at"
	written := map[string]bool{} // series and seasons
	progress := map[string]string{"Completed": "1"}
	return writeTable(w, columns, records, func(r Record, row func(...any)) {
		m, show, when := r.Media, cmp.Or(r.Media.Show, &viewing.Show{}), formatTime(r.WatchedAt, "2006-01-02 15:04:05.999-07:00")
		write := func(id int64, kind, title string, season, episode *int, status, when string) {
			key := fmt.Sprint(kind, id, " ", formatCell(season))
			if when != "" || kind == "movie" || !written[key] {
				row(id, "tmdb", kind, title, "", season, episode, "", progress[status], status, "", when, "", "")
			}
			written[key] = true
		}
		switch {
		case r.Kind == viewing.KindViewing && m.Placed():
			write(show.IDs.TMDB, "tv", show.Title, nil, nil, "In progress", "")
			write(show.IDs.TMDB, "season", show.Title, m.Season, nil, "In progress", "")
			write(show.IDs.TMDB, "episode", show.Title, m.Season, m.Episode, "", when)
		case m.IDs.TMDB == 0:
		case r.Kind == viewing.KindViewing && m.Type == viewing.Movie:
			write(m.IDs.TMDB, "movie", m.Title, nil, nil, "Completed", when)
		case r.Kind == viewing.KindWatchlist:
			write(m.IDs.TMDB, string(m.Type), m.Title, nil, nil, "Planning", "")
		}
	})
}

// writeTable writes a CSV table. It counts the records for which write writes no row.
func writeTable(w io.Writer, columns string, records iter.Seq2[Record, error], write func(Record, func(...any))) (left int, err error) {
	table, rows := csv.NewWriter(w), 0
	err = table.Write(strings.Split(columns, ","))
	row := func(values ...any) {
		cells := make([]string, len(values))
		for i, value := range values {
			cells[i] = formatCell(value)
		}
		err = cmp.Or(err, table.Write(cells))
		rows++
	}
	for r, failed := range records {
		if err = cmp.Or(err, failed); err != nil {
			return left, err
		}
		before := rows
		if write(r, row); rows == before {
			left++
		}
	}
	table.Flush()
	return left, cmp.Or(err, table.Error())
}

// formatCell formats a value; zero numbers become empty cells.
func formatCell(value any) string {
	v := reflect.ValueOf(value)
	if v.IsZero() && v.Kind() != reflect.Bool {
		return ""
	}
	return escapeFormula(clean(fmt.Sprint(reflect.Indirect(v))))
}

// formatTime formats a time in the zone of the viewing, or in this machine's if that is unknown. Days
// are formatted as dates.
func formatTime(at viewing.Instant, form string) string {
	t := at.Time().Local()
	if at.Offset != nil {
		t = at.Time().In(time.FixedZone("", *at.Offset))
	}
	switch {
	case at.IsZero():
		return ""
	case at.Precision == viewing.Day:
		form = time.DateOnly
	}
	return t.Format(form)
}

// writeTrakt writes an archive like Trakt's export. It represents everything of a [Record] except
// its source, the zone, and that a time is only a day, which becomes noon.
func writeTrakt(w io.Writer, records iter.Seq2[Record, error]) (int, error) {
	const history = "watched-history-1.json" // written even if it is empty
	archive, lists := traktArchive{zip: zip.NewWriter(w)}, []work{}
	archive.add(history)
	for r, err := range records {
		if archive.err = cmp.Or(archive.err, err); archive.err != nil {
			return 0, archive.err
		}
		member := history
		switch r.Kind {
		case viewing.KindWatchlist:
			member = "lists-watchlist.json"
		case viewing.KindListItem:
			if n := len(lists); n == 0 || lists[n-1].Name != r.List.Name {
				lists = append(lists, newTraktList(r))
			}
			ids := lists[len(lists)-1].IDs
			member = fmt.Sprintf("lists-list-%d-%s.json", ids.Trakt, ids.Slug)
		}
		archive.add(member, newTraktItem(r))
	}
	for _, list := range lists {
		archive.add("lists-lists.json", list)
	}
	archive.endMember()
	return 0, errors.Join(archive.err, archive.zip.Close())
}

var notInSlug = regexp.MustCompile(`[^a-z0-9]+`)

// newTraktList returns the list of an item in Trakt's form. A list from Trakt keeps its id, which is
// part of the keys of its items: "trakt:list:77:movie:1". Other lists get an id from their name,
// which is the same in every export.
func newTraktList(r Record) work {
	list := work{Name: r.List.Name, Description: &r.List.Description, Privacy: "private"}
	list.IDs.Trakt = looseInt(crc32.ChecksumIEEE([]byte(list.Name)))
	_, _ = fmt.Sscanf(r.EventID, "trakt:list:%d:", &list.IDs.Trakt)
	list.IDs.Slug = strings.Trim(notInSlug.ReplaceAllString(strings.ToLower(list.Name), "-"), "-")
	if r.List.Visibility == "PUBLIC" {
		list.Privacy = "public"
	}
	return list
}

// newTraktItem returns a record in Trakt's form. An item from Trakt keeps its id, which is the last
// part of its key: "trakt:9000000001", "trakt:watchlist:movie:1".
func newTraktItem(r Record) (i traktItem) {
	m, item, key := r.Media, newWork(r.Media.Title, r.Media.Year, r.Media.IDs), strings.Split(r.EventID, ":")
	if key[0] == "trakt" {
		i.ID = int64(numberOrZero(key[len(key)-1]))
	}
	if r.Kind == viewing.KindViewing {
		i.WatchedAt, i.Action = r.WatchedAt.Time().Format("2006-01-02T15:04:05.000Z07:00"), "scrobble"
	} else {
		i.ID, item.IDs.Trakt = 0, looseInt(i.ID)
	}
	switch m.Type {
	case viewing.Movie:
		i.Type, i.Movie = "movie", item
	case viewing.TV:
		i.Type, i.Show = "show", item
	default:
		show := cmp.Or(m.Show, &viewing.Show{})
		item.Season, item.Number = m.Season, m.Episode
		i.Type, i.Episode, i.Show = "episode", item, newWork(show.Title, show.Year, show.IDs)
	}
	return i
}

// traktArchive writes an archive in which each member is a JSON array. After an error it writes
// nothing more.
type traktArchive struct {
	zip    *zip.Writer
	member string // name of the open member
	before string // text before its next element
	out    io.Writer
	err    error
}

// add appends elements to the open member, or to a new one if the name differs.
func (a *traktArchive) add(member string, elements ...any) {
	if member != a.member {
		a.endMember()
		a.member, a.before = member, "[\n"
		if a.err == nil {
			a.out, a.err = a.zip.Create(member)
		}
	}
	for _, element := range elements {
		text, err := json.Marshal(element)
		if a.err = cmp.Or(a.err, err); a.err == nil {
			_, a.err = fmt.Fprintf(a.out, "%s%s", a.before, text)
		}
		a.before = ",\n"
	}
}

// endMember closes the array of the open member.
func (a *traktArchive) endMember() {
	if a.err == nil && a.member != "" {
		_, a.err = io.WriteString(a.out, strings.TrimPrefix(a.before, ",")+"]\n")
	}
}
