package transfer

import (
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// csvForm is our own table. It carries everything of a [Record] but the site of an item and
// what more there is to a list than its name.
var csvForm = Format{Name: "csv", Is: isCSV, Read: reading(readCSV), Write: writeCSV}

// csvColumns are the columns of our own table.
var csvColumns = []string{
	"kind", "type", "title", "year", "tmdb", "imdb", "tvdb", "series", "series_year", "series_tmdb", "series_imdb", "series_tvdb",
	"season", "episode", "watched_at", "rewatch", "list", "source",
}

func writeCSV(w io.Writer, records iter.Seq2[Record, error]) error {
	return writeTable(w, csvColumns, records, func(r Record) [][]string {
		m, show := r.Media, viewing.Show{}
		if m.Show != nil {
			show = *m.Show
		}
		row := []string{
			string(r.Kind), string(m.Type), m.Title, filled(m.Year), filled(m.IDs.TMDB), m.IDs.IMDB, filled(m.IDs.TVDB),
			show.Title, filled(show.Year), filled(show.IDs.TMDB), show.IDs.IMDB, filled(show.IDs.TVDB),
			place(m.Season), place(m.Episode), moment(r.WatchedAt), "", "", r.Source,
		}
		if r.Kind == viewing.KindViewing {
			row[15] = strconv.FormatBool(r.Rewatch)
		}
		if r.List != nil {
			row[16] = r.List.Name
		}
		return [][]string{row}
	})
}

// writeTable writes a table. Rows gives the rows of a record: none where the form cannot hold
// it.
func writeTable(w io.Writer, columns []string, records iter.Seq2[Record, error], rows func(Record) [][]string) error {
	table := csv.NewWriter(w)
	if err := table.Write(columns); err != nil {
		return err
	}
	for r, err := range records {
		if err != nil {
			return err
		}
		for _, row := range rows(r) {
			for i := range row {
				row[i] = harmless(clean(row[i]))
			}
			if err := table.Write(row); err != nil {
				return err
			}
		}
	}
	table.Flush()
	return table.Error()
}

// formula is the beginning of a cell that a spreadsheet would compute, or of one that was
// written by harmless.
var formula = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^'*[=+@-]`) })

// harmless has a spreadsheet take a cell for a text.
func harmless(cell string) string {
	if formula().MatchString(cell) {
		return "'" + cell
	}
	return cell
}

// plain is a cell before harmless.
func plain(cell string) string {
	if cell != "" && cell[0] == '\'' && formula().MatchString(cell) {
		return cell[1:]
	}
	return cell
}

// filled writes a number; zero is not known.
func filled[T int | int64](n T) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// place writes a season or an episode.
func place(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

// there is a time where it was watched, or here where that is not known.
func there(at viewing.Instant) time.Time {
	if at.Offset == nil {
		return at.Time().Local()
	}
	return at.Time().In(time.FixedZone("", *at.Offset))
}

// moment writes a time, or a day.
func moment(at viewing.Instant) string {
	switch {
	case at.IsZero():
		return ""
	case at.Precision == viewing.Day:
		return there(at).Format(time.DateOnly)
	default:
		return there(at).Format(time.RFC3339Nano)
	}
}

func isCSV(f *File) bool { return f.Only().Has("kind", "type", "title", "series_tmdb", "watched_at") }

func readCSV(f *File, o Options, give func(Row) error) error {
	keys, days, lists := newKeys("csv"), newCalendar(o), map[string]string{}
	return f.Only().each(func(line Line) error {
		get := func(column string) string { return clean(plain(line.Get(column))) }
		m := viewing.Media{
			Type: viewing.MediaType(get("type")), Title: get("title"), Year: number(get("year")),
			IDs:    viewing.IDs{TMDB: int64(number(get("tmdb"))), IMDB: get("imdb"), TVDB: int64(number(get("tvdb")))},
			Season: placeOf(get("season")), Episode: placeOf(get("episode")),
		}
		show := viewing.Show{
			Title: get("series"), Year: number(get("series_year")),
			IDs: viewing.IDs{TMDB: int64(number(get("series_tmdb"))), IMDB: get("series_imdb"), TVDB: int64(number(get("series_tvdb")))},
		}
		if show != (viewing.Show{}) {
			m.Show = &show
		}
		row := Row{Key: keys.next(line.Fields...), Event: viewing.Event{
			Kind: viewing.Kind(get("kind")), Media: []viewing.Media{m}, Origin: viewing.Origin{Site: get("source")},
		}}
		switch row.Event.Kind {
		case viewing.KindViewing:
			row.Event.WatchedAt, row.Ambiguous, _ = days.instant(get("watched_at"))
		case viewing.KindListItem:
			name := clip(get("list"), 200)
			if name == "" {
				row.Skip = SkipUnreadable
			} else if lists[name] == "" { // a list is told by its items
				lists[name] = keys.next("list", name)
				list := viewing.Event{Kind: viewing.KindList, List: &viewing.List{Name: name}}
				if err := give(Row{Key: lists[name], Event: list}); err != nil {
					return err
				}
			}
			row.Event.InList = lists[name]
		}
		return give(row)
	})
}
