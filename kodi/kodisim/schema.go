package kodisim

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed tables.txt
var tablesText string

// table is one line of tables.txt.
type table struct {
	name    string
	from    int // the first schema that has it
	columns []column
}

type column struct{ name, kind string }

// tables are the tables that a schema has.
func tables(version int) ([]table, error) {
	var all []table
	for line := range strings.Lines(tablesText) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		t, err := parseTable(words)
		if err != nil {
			return nil, fmt.Errorf("parse table %s: %w", words[0], err)
		}
		if t.from <= version {
			all = append(all, t)
		}
	}
	return all, nil
}

func parseTable(words []string) (table, error) {
	t := table{name: words[0]}
	for _, word := range words[1:] {
		name, kind, _ := strings.Cut(word, ":")
		if name == "from" {
			n, err := strconv.Atoi(kind)
			if err != nil {
				return t, err
			}
			t.from = n
			continue
		}
		if name == "c00-c23" {
			for i := range 24 {
				t.columns = append(t.columns, column{fmt.Sprintf("c%02d", i), "text"})
			}
			continue
		}
		t.columns = append(t.columns, column{name, kindOf(kind)})
	}
	return t, nil
}

func kindOf(word string) string {
	switch word {
	case "":
		return "text"
	case "key":
		return "integer primary key"
	default:
		return word
	}
}

// definition is the statement that makes the table.
func (t table) definition() string {
	parts := make([]string, len(t.columns))
	for i, c := range t.columns {
		parts[i] = c.name + " " + c.kind
	}
	return fmt.Sprintf("create table %s (%s)", t.name, strings.Join(parts, ", "))
}

// indexes make the lookups of the acts fast; the names are ours.
func indexes() []string {
	return []string{
		"create index sim_path on path (strPath)",
		"create index sim_files on files (idPath, strFilename)",
		"create index sim_episode_file on episode (idFile)",
		"create index sim_episode_show on episode (idShow)",
		"create index sim_movie_file on movie (idFile)",
		"create index sim_uniqueid on uniqueid (media_id, media_type)",
		"create index sim_streamdetails on streamdetails (idFile)",
		"create index sim_bookmark on bookmark (idFile)",
	}
}
