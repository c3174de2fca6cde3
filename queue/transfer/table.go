package transfer

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/queue/viewing"
)

// aliases are the names by which formats call columns with the same meaning, beside that of our
// own table. Of several the first one counts that is not empty.
var aliases = map[string][]string{
	"title":       {"name", "movie_name"},
	"year":        {"release_date"},
	"tmdb":        {"tmdbid", "media_id"},
	"imdb":        {"imdbid", "imdb_id", "const"},
	"tvdb":        {"tvdb_id", "episode_id", "ep_id"},
	"type":        {"media_type", "title type"},
	"series":      {"series_name", "grandparent_title"},
	"series_tvdb": {"s_id"},
	"season":      {"season_number", "parent_media_index"},
	"episode":     {"episode_number", "media_index"},
	"watched_at":  {"watched date", "watcheddate", "watchedat", "end_date", "watch_date", "progressed_at"},
	"person":      {"profile name", "user"},
}

// Line is one line of a table, or an object of JSON that is as flat as one.
type Line struct {
	Part    *Part
	Number  int      // in the file, from 1
	Fields  []string // until the next line is read
	columns map[string][]int
}

// columnsOf are the places of columns by their names, in lower case, and by the names that stand
// for them.
func columnsOf(names []string) map[string][]int {
	columns := map[string][]int{}
	for i, name := range names {
		name = strings.ToLower(strings.TrimSpace(name))
		columns[name] = append(columns[name], i)
	}
	for name, others := range aliases {
		for _, other := range others {
			columns[name] = append(columns[name], columns[other]...)
		}
	}
	return columns
}

// Has reports whether the table has a column.
func (l Line) Has(name string) bool { return len(l.columns[name]) > 0 }

// Get returns a field by the name of its column in our own table or in this one.
func (l Line) Get(name string) string {
	for _, i := range l.columns[name] {
		if i < len(l.Fields) && l.Fields[i] != "" {
			return unescapeFormula(clean(l.Fields[i]))
		}
	}
	return ""
}

// media is the item that a line names.
func (l Line) media(kind viewing.MediaType) viewing.Media {
	ids := func(of string) viewing.IDs {
		return viewing.IDs{TMDB: int64(numberOrZero(l.Get(of + "tmdb"))), IMDB: l.Get(of + "imdb"), TVDB: int64(numberOrZero(l.Get(of + "tvdb")))}
	}
	year, _, _ := strings.Cut(l.Get("year"), "-")
	m := viewing.Media{Type: kind, Title: l.Get("title"), Year: numberOrZero(year), IDs: ids("")}
	if kind == viewing.Episode {
		m.Season, m.Episode = parseNumber(l.Get("season")), parseNumber(l.Get("episode"))
		show := viewing.Show{Title: l.Get("series"), Year: numberOrZero(l.Get("series_year")), IDs: ids("series_")}
		if show != (viewing.Show{}) {
			m.Show = &show
		}
	}
	return m
}

// has reports whether the part is a table with these columns, in any order.
func (p *Part) hasColumns(columns string) bool {
	fields, err := p.csvReader(strings.NewReader(p.Head())).Read()
	line := Line{columns: columnsOf(fields)}
	lacks := func(column string) bool { return !line.Has(column) }
	return err == nil && !slices.ContainsFunc(strings.Split(columns, ","), lacks)
}

// table reads lines that are divided as the first one is.
func (p *Part) csvReader(r io.Reader) *csv.Reader {
	line, _, _ := strings.Cut(p.Head(), "\n")
	table := csv.NewReader(r)
	for _, c := range ";\t" {
		if strings.Count(line, string(c)) > strings.Count(line, string(table.Comma)) {
			table.Comma = c
		}
	}
	table.FieldsPerRecord, table.ReuseRecord = -1, true
	return table
}

// lines reads a table whose columns have the names in its first line, unless other names stand
// for them. A bare one has no such line and no quotes, and tabs between its fields. An error
// that names the line ends it.
func (p *Part) lines(names string, bare bool) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		text, err := p.text()
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer text.Close()
		bound := &recordLimiter{in: text, left: maxRecord}
		table, buffered := p.csvReader(bound), bufio.NewReader(bound)
		line := Line{Part: p}
		if names != "" {
			line.columns = columnsOf(strings.Split(names, ","))
		}
		for first := !bare; ; first = false {
			number := line.Number + 1
			if bare {
				line.Fields, err = readTabbed(buffered)
			} else if line.Fields, err = table.Read(); err == nil {
				number, _ = table.FieldPos(0)
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if wrong, is := errors.AsType[*csv.ParseError](err); is {
				number, err = wrong.Line, wrong.Err
			}
			if err != nil {
				yield(Line{}, unreadable("file.line", number, err))
				return
			}
			line.Number, bound.left = number, maxRecord
			if first && names == "" {
				line.columns = columnsOf(line.Fields)
			}
			if !first && !yield(line, nil) {
				return
			}
		}
	}
}

// tabbed reads a line with tabs between its fields.
func readTabbed(r *bufio.Reader) ([]string, error) {
	text, err := r.ReadString('\n')
	if errors.Is(err, io.EOF) && text != "" {
		err = nil
	}
	return strings.Split(strings.TrimRight(text, "\r\n"), "\t"), err
}

// formula is the beginning of a cell that a spreadsheet would compute, or of one that was
// written by harmless.
var formula = regexp.MustCompile(`^'*[=+@-]`)

// harmless has a spreadsheet take a cell for a text.
func escapeFormula(cell string) string {
	if formula.MatchString(cell) {
		return "'" + cell
	}
	return cell
}

// plain is a cell before harmless.
func unescapeFormula(cell string) string {
	if cell != "" && cell[0] == '\'' && formula.MatchString(cell) {
		return cell[1:]
	}
	return cell
}
