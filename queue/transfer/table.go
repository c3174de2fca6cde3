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

// aliases maps the column names of our own CSV format to those of other formats. If a table has
// several of them, the first non-empty field counts.
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

// Line is one line of a table, or a flat JSON object.
type Line struct {
	Part    *Part
	Number  int      // line number in the file, from 1
	Fields  []string // valid until the next line is read
	columns map[string][]int
}

// columnsOf returns the indexes of columns by their lower-case names and aliases.
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

// Get returns a field by the name of its column in our own CSV format or in this table.
func (l Line) Get(name string) string {
	for _, i := range l.columns[name] {
		if i < len(l.Fields) && l.Fields[i] != "" {
			return unescapeFormula(clean(l.Fields[i]))
		}
	}
	return ""
}

// media returns the item of a line.
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

// hasColumns reports whether the part is a table with these columns, in any order.
func (p *Part) hasColumns(columns string) bool {
	fields, err := p.csvReader(strings.NewReader(p.Head())).Read()
	line := Line{columns: columnsOf(fields)}
	lacks := func(column string) bool { return !line.Has(column) }
	return err == nil && !slices.ContainsFunc(strings.Split(columns, ","), lacks)
}

// csvReader returns a CSV reader with the separator of the first line.
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

// lines returns the lines of a table. The first line has the column names, unless names replaces
// them. A bare table has no such line and no quotes, and is separated by tabs. The sequence ends
// with the first error, which has the line number.
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

// readTabbed reads a line of tab-separated fields.
func readTabbed(r *bufio.Reader) ([]string, error) {
	text, err := r.ReadString('\n')
	if errors.Is(err, io.EOF) && text != "" {
		err = nil
	}
	return strings.Split(strings.TrimRight(text, "\r\n"), "\t"), err
}

// formula matches a cell that a spreadsheet would evaluate, or that escapeFormula wrote.
var formula = regexp.MustCompile(`^'*[=+@-]`)

// escapeFormula makes a spreadsheet treat a cell as text.
func escapeFormula(cell string) string {
	if formula.MatchString(cell) {
		return "'" + cell
	}
	return cell
}

// unescapeFormula reverses escapeFormula.
func unescapeFormula(cell string) string {
	if cell != "" && cell[0] == '\'' && formula.MatchString(cell) {
		return cell[1:]
	}
	return cell
}
