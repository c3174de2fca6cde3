package library

import (
	"fmt"
	"slices"
)

// oldest is the first schema whose tables hold what we need (Kodi 17).
const oldest = 107

// needed lists the columns that reading needs, by table. Their meaning has
// not changed from 107 to 145. Other columns may be missing.
var needed = map[string][]string{
	"files":    {"idFile", "idPath", "strFilename", "playCount", "lastPlayed"},
	"path":     {"idPath", "strPath"},
	"movie":    {"idMovie", "idFile", "c00", "c09", "premiered"},
	"episode":  {"idEpisode", "idFile", "idShow", "c00", "c12", "c13", "c20"},
	"tvshow":   {"idShow", "c00", "c12"},
	"uniqueid": {"uniqueid_id", "media_id", "media_type", "value", "type"},
}

// check finds out what the tables of a library have, and compares the number in
// its name with the number in it. While Kodi upgrades, the new one still holds
// the old number, or none.
func (s *session) check() {
	s.readColumns()
	var version, rows int
	if s.has("version", "idVersion") {
		s.each([]any{&version}, func() { rows++ }, `select ifnull(idVersion, 0) from version`)
	}
	if rows != 1 || version != s.version {
		s.fail(fmt.Errorf("%w: its name says %d, its %d version rows %d", ErrUpgrading, s.version, rows, version))
	}
	if s.version < oldest {
		s.fail(fmt.Errorf("%w: schema %d is older than %d (Kodi 17)", ErrUnsupported, s.version, oldest))
	}
	for table, columns := range needed {
		if !s.has(table, columns...) {
			s.fail(fmt.Errorf("%w: table %s lacks one of %v", ErrUnsupported, table, columns))
		}
	}
}

// readColumns reads the names of the columns of all tables. A view in the place of a
// table can hold anything, and without end: it is none.
func (s *session) readColumns() {
	query := `select lower(m.name), c.name from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table'`
	if s.server {
		query = `select lower(c.table_name), c.column_name from information_schema.columns c
			join information_schema.tables t using (table_schema, table_name) where c.table_schema = database() and t.table_type = 'BASE TABLE'`
	}
	s.columns = map[string][]string{}
	var table, column string
	s.each([]any{&table, &column}, func() { s.columns[table] = append(s.columns[table], column) }, query)
}

// has reports whether a table has all these columns.
func (s *session) has(table string, columns ...string) bool {
	return !slices.ContainsFunc(columns, func(c string) bool { return !slices.Contains(s.columns[table], c) })
}

// optional is a column as a text, empty when the library has none of that name.
func (s *session) optional(table, column string) string {
	if s.has(table, column) {
		return "ifnull(" + column + ", '')"
	}
	return "''"
}

// integer is an expression as a whole number.
func (s *session) integer(expression string) string {
	kind := "integer"
	if s.server {
		kind = "signed"
	}
	return "cast(ifnull(" + expression + ", 0) as " + kind + ")"
}
