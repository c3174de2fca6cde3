package library

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// oldest is the first schema whose tables hold what we need (Kodi 17).
const oldest = 107

// verified reports whether a schema is one that is tested against files of a
// real Kodi.
func verified(version int) bool { return version == 121 || version == 131 }

// checkVersion compares the number in a library's name with the number in it.
// While Kodi upgrades, the new one still holds the old number, or none.
func checkVersion(ctx context.Context, q queryer, named int) error {
	have, err := q.columns(ctx, "version")
	if err != nil {
		return err
	}
	if !slices.Contains(have, "idVersion") {
		return fmt.Errorf("%w: it has no version yet", ErrUpgrading)
	}
	var versions []int
	err = each(ctx, q, `select ifnull(idVersion, 0) from version`, func(scan scanner) error {
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
		"files":    {"idFile", "idPath", "strFilename", "playCount", "lastPlayed"},
		"path":     {"idPath", "strPath"},
		"movie":    {"idMovie", "idFile", "c00", "c09", "premiered"},
		"episode":  {"idEpisode", "idFile", "idShow", "c00", "c12", "c13", "c20"},
		"tvshow":   {"idShow", "c00", "c12"},
		"uniqueid": {"uniqueid_id", "media_id", "media_type", "value", "type"},
	}
}

// layout is what the tables of a library have.
type layout struct {
	columns  map[string][]string // by table
	versions versionTable
}

// versionTable tells how a library keeps the versions of a film.
type versionTable struct {
	exists    bool   // from 123 on
	mediaType string // name of the column
	extra     int    // itemType of an extra
}

// optional is a column that a library can do without: then it is null.
func (l layout) optional(table, column string) string {
	if slices.Contains(l.columns[table], column) {
		return column
	}
	return "null"
}

// check fails unless the columns are there.
func (l layout) check(table string, columns ...string) error {
	for _, c := range columns {
		if !slices.Contains(l.columns[table], c) {
			return fmt.Errorf("%w: table %s has no column %s", ErrUnsupported, table, c)
		}
	}
	return nil
}

// readLayout finds out what the tables have, and fails when it is too little.
func readLayout(ctx context.Context, q queryer, version int) (layout, error) {
	l := layout{columns: map[string][]string{}, versions: versionTable{mediaType: "media_type", extra: 1}}
	need := needed()
	for _, table := range append(slices.Sorted(maps.Keys(need)), "streamdetails", "videoversion", "genre", "genre_link", "tag", "tag_link") {
		have, err := q.columns(ctx, table)
		if err != nil {
			return l, err
		}
		l.columns[table] = have
		if err := l.check(table, need[table]...); err != nil {
			return l, err
		}
	}
	if version >= 134 {
		l.versions.extra = 2
	}
	have := l.columns["videoversion"]
	if len(have) == 0 {
		return l, nil
	}
	l.versions.exists = true
	if slices.Contains(have, "mediaType") { // 123 to 127
		l.versions.mediaType = "mediaType"
	}
	return l, l.check("videoversion", "idFile", "idMedia", "itemType", l.versions.mediaType)
}

// scanner copies the columns of one row.
type scanner func(dest ...any) error

// Bounds of what is read, in bytes. A library of 200,000 files has about 40 MB
// of paths, and no text of Kodi's is near 64 kB but those that are not read.
const (
	maxRow    = 16 << 20 // a row of a table, with all that is not read
	maxText   = 64 << 10 // one text
	maxResult = 96 << 20 // all texts of one query
	maxRows   = 1 << 19  // of one query, whatever a count or an index of the library claims
)

// bounded is a scanner that adds up the rows and their texts, and fails when
// there are too many.
func bounded(scan scanner) scanner {
	rows, sum := 0, 0
	return func(row ...any) error {
		if rows++; rows > maxRows {
			return fmt.Errorf("%w: it holds more rows than a library can", ErrNotDatabase)
		}
		if err := scan(row...); err != nil {
			return err
		}
		for _, column := range row {
			text, ok := column.(*string)
			if !ok {
				continue
			}
			if sum += len(*text); len(*text) > maxText || sum > maxResult {
				return fmt.Errorf("%w: it holds longer texts than a library can", ErrNotDatabase)
			}
		}
		return nil
	}
}

// each runs a query to its end, one call for each row. Texts are bounded.
func each(ctx context.Context, q rower, query string, row func(scanner) error, args ...any) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	scan := bounded(rows.Scan)
	for rows.Next() {
		if err := row(scan); err != nil {
			if errors.Is(err, ErrNotDatabase) {
				cancel() // a server would have the rest read, which may have no end
			}
			return err
		}
	}
	return rows.Err()
}

// texts is a query's first and only column.
func texts(ctx context.Context, q rower, query string, args ...any) ([]string, error) {
	var all []string
	err := each(ctx, q, query, func(scan scanner) error {
		var s string
		err := scan(&s)
		all = append(all, s)
		return err
	}, args...)
	return all, err
}
