package library

import (
	"fmt"
	"slices"
)

// oldestSchema is the first supported schema (Kodi 17).
const oldestSchema = 107

// neededColumns lists the required columns by table. Their meaning has not changed from schema 107
// to 145. Other columns may be missing.
var neededColumns = map[string][]string{
	"files":    {"idFile", "idPath", "strFilename", "playCount", "lastPlayed"},
	"path":     {"idPath", "strPath"},
	"movie":    {"idMovie", "idFile", "c00", "c09", "premiered"},
	"episode":  {"idEpisode", "idFile", "idShow", "c00", "c12", "c13", "c20"},
	"tvshow":   {"idShow", "c00", "c12"},
	"uniqueid": {"uniqueid_id", "media_id", "media_type", "value", "type"},
}

// checkSchema reads the columns of all tables, and compares the schema number in the library's name
// with the one in its version table. During an upgrade that table has the old number or none.
func (s *session) checkSchema() {
	s.readColumns()
	var version, rows int
	if s.hasColumns("version", "idVersion") {
		s.queryRows([]any{&version}, func() { rows++ }, `select ifnull(idVersion, 0) from version`)
	}
	if rows != 1 || version != s.version {
		s.fail(fmt.Errorf("%w: its name says %d, its %d version rows %d", ErrUpgrading, s.version, rows, version))
	}
	if s.version < oldestSchema {
		s.fail(fmt.Errorf("%w: schema %d is older than %d (Kodi 17)", ErrUnsupported, s.version, oldestSchema))
	}
	for table, columns := range neededColumns {
		if !s.hasColumns(table, columns...) {
			s.fail(fmt.Errorf("%w: table %s lacks one of %v", ErrUnsupported, table, columns))
		}
	}
}

// readColumns reads the column names of all tables. It skips views, which could return any number
// of rows.
func (s *session) readColumns() {
	query := `select lower(m.name), c.name from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table'`
	if s.server {
		query = `select lower(c.table_name), c.column_name from information_schema.columns c
			join information_schema.tables t using (table_schema, table_name) where c.table_schema = database() and t.table_type = 'BASE TABLE'`
	}
	s.columns = map[string][]string{}
	var table, column string
	s.queryRows([]any{&table, &column}, func() { s.columns[table] = append(s.columns[table], column) }, query)
}

// hasColumns reports whether a table has all these columns.
func (s *session) hasColumns(table string, columns ...string) bool {
	return !slices.ContainsFunc(columns, func(c string) bool { return !slices.Contains(s.columns[table], c) })
}

// optional returns an SQL expression for a text column, which is empty if the table lacks it.
func (s *session) optional(table, column string) string {
	if s.hasColumns(table, column) {
		return "ifnull(" + column + ", '')"
	}
	return "''"
}

// integer returns an SQL expression cast to an integer.
func (s *session) integer(expression string) string {
	kind := "integer"
	if s.server {
		kind = "signed"
	}
	return "cast(ifnull(" + expression + ", 0) as " + kind + ")"
}
