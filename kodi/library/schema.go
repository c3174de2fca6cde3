package library

import (
	"context"
	"fmt"
	"slices"
)

// oldest is the first schema whose tables hold what we need (Kodi 17).
const oldest = 107

// needed lists the columns that reading needs, by table. Their meaning has
// not changed from 107 to 145. Columns of the other tables may be missing.
var needed = map[string][]string{
	"files":    {"idFile", "idPath", "strFilename", "playCount", "lastPlayed"},
	"path":     {"idPath", "strPath"},
	"movie":    {"idMovie", "idFile", "c00", "c09", "premiered"},
	"episode":  {"idEpisode", "idFile", "idShow", "c00", "c12", "c13", "c20"},
	"tvshow":   {"idShow", "c00", "c12"},
	"uniqueid": {"uniqueid_id", "media_id", "media_type", "value", "type"},
	"version":  nil, "streamdetails": nil, "videoversion": nil, "genre": nil, "genre_link": nil, "tag": nil, "tag_link": nil, "tvshowlinkpath": nil,
}

// check finds out what the tables of a library have, and compares the number in
// its name with the number in it. While Kodi upgrades, the new one still holds
// the old number, or none.
func (s *session) check(ctx context.Context) error {
	if err := s.readColumns(ctx); err != nil {
		return err
	}
	if !s.has("version", "idVersion") {
		return fmt.Errorf("%w: it has no version yet", ErrUpgrading)
	}
	var version, rows int
	if err := s.each(ctx, []any{&version}, func() { rows++ }, `select ifnull(idVersion, 0) from version`); err != nil {
		return err
	}
	if rows != 1 || version != s.version {
		return fmt.Errorf("%w: its name says %d, its %d version rows %d", ErrUpgrading, s.version, rows, version)
	}
	if s.version < oldest {
		return fmt.Errorf("%w: schema %d is older than %d (Kodi 17)", ErrUnsupported, s.version, oldest)
	}
	for table, columns := range needed {
		if !s.has(table, columns...) {
			return fmt.Errorf("%w: table %s lacks one of %v", ErrUnsupported, table, columns)
		}
	}
	return nil
}

// readColumns reads the names of all columns that may matter. A view in the place of
// a table can hold anything, and without end: it is refused.
func (s *session) readColumns(ctx context.Context) error {
	query := `select lower(m.name), m.type, ifnull(c.name, '') from sqlite_master m left join pragma_table_info(m.name) c where m.type in ('table', 'view')`
	if s.server {
		query = `select lower(c.table_name), case t.table_type when 'BASE TABLE' then 'table' else 'view' end, c.column_name
			from information_schema.columns c join information_schema.tables t using (table_schema, table_name) where c.table_schema = database()`
	}
	s.columns = map[string][]string{}
	var table, kind, column string
	return s.each(ctx, []any{&table, &kind, &column}, func() {
		if _, matters := needed[table]; matters && kind != "table" {
			s.fault = fmt.Errorf("%w: %s is no table", ErrNotDatabase, table)
		} else if matters {
			s.columns[table] = append(s.columns[table], column)
		}
	}, query)
}

// has reports whether a table has all these columns.
func (s *session) has(table string, columns ...string) bool {
	return !slices.ContainsFunc(columns, func(c string) bool { return !slices.Contains(s.columns[table], c) })
}

// optional is a column as a text; ” when the library has none of that name.
func (s *session) optional(table, column string) string {
	if s.has(table, column) {
		return "ifnull(" + column + ", '')"
	}
	return "''"
}

// integer is an expression as a whole number.
func (s *session) integer(expression string) string {
	if s.server {
		return "cast(ifnull(" + expression + ", 0) as signed)"
	}
	return "cast(ifnull(" + expression + ", 0) as integer)"
}

// versions is the column of the table videoversion that says what has several
// files; ok is false when that or another column is missing.
func (s *session) versions() (column string, ok bool) {
	column = "media_type"
	if s.has("videoversion", "mediaType") { // schemas 123 to 127
		column = "mediaType"
	}
	return column, s.has("videoversion", "idFile", "idMedia", "itemType", column)
}

// extra is what itemType is for an extra of a film, such as a trailer.
func (s *session) extra() int {
	if s.version >= 134 {
		return 2
	}
	return 1
}
