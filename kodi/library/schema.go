package library

import (
	"context"
	"fmt"
	"slices"
)

// oldest is the first schema whose tables hold what we need (Kodi 17).
const oldest = 107

// verified reports whether a schema is one that is tested against files of a
// real Kodi.
func verified(version int) bool { return version == 121 || version == 131 }

// checkVersion compares the number in a library's name with the number in it.
// While Kodi upgrades, the new file still holds the old number, or none.
func checkVersion(ctx context.Context, q queryer, named int) error {
	tables, err := texts(ctx, q, `select name from sqlite_schema where type = 'table'`)
	if err != nil {
		return err
	}
	if !slices.Contains(tables, "version") {
		return fmt.Errorf("%w: it has no version yet", ErrUpgrading)
	}
	var versions []int
	err = each(ctx, q, `select idVersion from version`, func(scan scanner) error {
		var n int
		err := scan(&n)
		versions = append(versions, n)
		return err
	})
	if err != nil {
		return err
	}
	if len(versions) != 1 || versions[0] != named {
		return fmt.Errorf("%w: its name says %d, its version row %v", ErrUpgrading, named, versions)
	}
	if named < oldest {
		return fmt.Errorf("%w: schema %d is older than %d (Kodi 17)", ErrUnsupported, named, oldest)
	}
	return nil
}

// needed lists the columns that reading needs, by table. Their meaning has
// not changed from 107 to 145.
func needed() map[string][]string {
	return map[string][]string{
		"files":         {"idFile", "idPath", "strFilename", "playCount", "lastPlayed"},
		"path":          {"idPath", "strPath", "strContent", "exclude"},
		"movie":         {"idMovie", "idFile", "c00", "c07", "c09", "c11", "premiered"},
		"episode":       {"idEpisode", "idFile", "idShow", "c00", "c09", "c12", "c13", "c20"},
		"tvshow":        {"idShow", "c00", "c05", "c12"},
		"uniqueid":      {"uniqueid_id", "media_id", "media_type", "value", "type"},
		"streamdetails": {"idFile", "iStreamType", "iVideoDuration"},
	}
}

// versionTable tells how a library keeps the versions of a film.
type versionTable struct {
	exists    bool   // from 123 on
	mediaType string // name of the column
	extra     int    // itemType of an extra
}

// checkSchema checks that the columns are there, and finds out about versions.
func checkSchema(ctx context.Context, q queryer, version int) (versionTable, error) {
	for table, columns := range needed() {
		if err := checkColumns(ctx, q, table, columns); err != nil {
			return versionTable{}, err
		}
	}
	v := versionTable{mediaType: "media_type", extra: 1}
	if version >= 134 {
		v.extra = 2
	}
	have, err := columnsOf(ctx, q, "videoversion")
	if err != nil || len(have) == 0 {
		return v, err
	}
	v.exists = true
	if slices.Contains(have, "mediaType") { // 123 to 127
		v.mediaType = "mediaType"
	}
	return v, checkColumns(ctx, q, "videoversion", []string{"idFile", "idMedia", "itemType", v.mediaType})
}

func checkColumns(ctx context.Context, q queryer, table string, columns []string) error {
	have, err := columnsOf(ctx, q, table)
	if err != nil {
		return err
	}
	for _, c := range columns {
		if !slices.Contains(have, c) {
			return fmt.Errorf("%w: table %s has no column %s", ErrUnsupported, table, c)
		}
	}
	return nil
}

// columnsOf is empty when there is no such table.
func columnsOf(ctx context.Context, q queryer, table string) ([]string, error) {
	return texts(ctx, q, `select name from pragma_table_info(?)`, table)
}

// scanner copies the columns of one row.
type scanner func(dest ...any) error

// each runs a query to its end, one call for each row.
func each(ctx context.Context, q queryer, query string, row func(scanner) error, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// texts is a query's first and only column.
func texts(ctx context.Context, q queryer, query string, args ...any) ([]string, error) {
	var all []string
	err := each(ctx, q, query, func(scan scanner) error {
		var s string
		err := scan(&s)
		all = append(all, s)
		return err
	}, args...)
	return all, err
}
