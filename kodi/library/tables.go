package library

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tables is the part of a library that we look at, in memory.
type tables struct {
	layout   layout
	full     bool          // everything was read, else the outline
	slice    time.Duration // how long a transaction may last; 0 for no limit
	rows     []fileRow
	folders  map[int64]folder
	runtimes map[int64]int64 // seconds by idFile
	films    []filmRow
	episodes []episodeRow
	shows    map[int64]showRow
	names    []identifier
	genres   map[owner][]string
	tags     map[owner][]string
}

type fileRow struct {
	id, folder, plays int64
	name, last        string
}

type folder struct {
	path, content string
	excluded      bool
}

// filmRow is a film in one of its files; in an outline without title, year
// and running time.
type filmRow struct {
	id, file, uid                   int64
	title, premiered, year, runtime string
	extra                           bool
}

// episodeRow is an episode; in an outline without title and running time.
type episodeRow struct {
	id, file, show, uid int64
	season, number      int32 // last for none
	title, runtime      string
}

type showRow struct {
	title, premiered string
	uid              int64
}

func newTables() *tables {
	return &tables{
		folders: map[int64]folder{}, runtimes: map[int64]int64{}, shows: map[int64]showRow{},
		genres: map[owner][]string{}, tags: map[owner][]string{},
	}
}

// inFull are the steps that read everything.
func (t *tables) inFull(version int) []stepper {
	t.full = true
	return append(t.outline(version), t.readShows(""), t.readIDs(""), t.readRuntimes(""), t.readGenres(""), t.readTags(""))
}

// outline are the steps that read files, and of films and episodes the
// numbers.
func (t *tables) outline(version int) []stepper {
	return []stepper{
		func(ctx context.Context, q queryer) (err error) {
			if err := checkVersion(ctx, q, version); err != nil {
				return err
			}
			if t.layout, err = readLayout(ctx, q, version); err != nil {
				return err
			}
			return t.readFolders(ctx, q)
		},
		t.readFiles(), t.readEpisodes(""), t.readFilms(""),
	}
}

// among is a condition: the column is one of some numbers.
func among(column string, ids []int64) string {
	var b strings.Builder
	b.WriteString(column + " in (")
	for i, id := range ids {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(id, 10))
	}
	b.WriteByte(')')
	return b.String()
}

// where makes a condition of one, or of none.
func where(condition string) string {
	if condition == "" {
		return ""
	}
	return " where " + condition
}

func (t *tables) readFolders(ctx context.Context, q queryer) error {
	query := fmt.Sprintf(`select idPath, ifnull(strPath, ''), ifnull(%s, ''), ifnull(%s, 0) from path`,
		t.layout.optional("path", "strContent"), t.layout.optional("path", "exclude"))
	return each(ctx, q, query, func(scan scanner) error {
		var id int64
		var f folder
		err := scan(&id, &f.path, &f.content, &f.excluded)
		t.folders[id] = f
		return err
	})
}

// errMore: a step took long enough, and has more to read.
var errMore = errors.New("there is more to read")

// slicer reads rows in the order of their numbers, which are the query's first
// column, and stops with errMore when its time is over. The condition on the
// number is the query's last word.
type slicer struct {
	after int64 // the last row so far; they must rise
}

// each is like the function of that name; id is where row leaves the number.
func (s *slicer) each(ctx context.Context, q queryer, slice time.Duration, query string, id *int64, row func(scanner) error) error {
	begun, n := time.Now(), 0
	return each(ctx, q, fmt.Sprintf("%s > %d order by 1", query, s.after), func(scan scanner) error {
		if n++; slice > 0 && n%256 == 0 && time.Since(begun) > slice {
			return errMore
		}
		if err := row(scan); err != nil {
			return err
		}
		if *id <= s.after {
			return fmt.Errorf("%w: its rows are not in order", ErrNotDatabase)
		}
		s.after = *id
		return nil
	})
}

// readFiles leaves out rows without a name: Kodi makes them for folders.
func (t *tables) readFiles() stepper {
	var f fileRow
	var s slicer
	into := []any{&f.id, &f.folder, &f.name, &f.plays, &f.last}
	return func(ctx context.Context, q queryer) error {
		query := `select idFile, ifnull(idPath, 0), strFilename, ` + q.whole("ifnull(playCount, 0)") + `, ifnull(lastPlayed, '')
			from files where strFilename <> '' and idFile`
		return s.each(ctx, q, t.slice, query, &f.id, func(scan scanner) error {
			err := scan(into...)
			t.rows = append(t.rows, f)
			return err
		})
	}
}

// readEpisodes reads the episodes, in full or in outline.
func (t *tables) readEpisodes(condition string) stepper {
	var e episodeRow
	var s slicer
	var season, number, uid string
	into := []any{&e.id, &e.file, &e.show, &season, &number, &uid}
	if t.full {
		into = append(into, &e.title, &e.runtime)
	}
	return func(ctx context.Context, q queryer) error {
		query := `select idEpisode, ifnull(idFile, 0), ifnull(idShow, 0), ifnull(c12, ''), ifnull(c13, ''), ifnull(c20, '')`
		if t.full {
			query += `, ifnull(c00, ''), ifnull(` + t.layout.optional("episode", "c09") + `, '')`
		}
		return s.each(ctx, q, t.slice, query+` from episode where true`+and(condition)+` and idEpisode`, &e.id, func(scan scanner) error {
			err := scan(into...)
			e.season, e.number, e.uid = place(season, 0), place(number, 1), rowOf(uid)
			t.episodes = append(t.episodes, e)
			return err
		})
	}
}

// readFilms gives one row for each file of a film, in full or in outline. From
// schema 123 on a film has several, and only the one that was played counts it.
func (t *tables) readFilms(condition string) stepper {
	return func(ctx context.Context, q queryer) error {
		v := t.layout.versions
		var f filmRow
		var kind int
		var uid string
		columns, into := `ifnull(c09, '')`, []any{&f.id, &f.file, &kind, &uid}
		if t.full {
			columns += fmt.Sprintf(`, ifnull(c00, ''), ifnull(premiered, ''), ifnull(%s, ''), ifnull(%s, '')`,
				t.layout.optional("movie", "c07"), t.layout.optional("movie", "c11"))
			into = append(into, &f.title, &f.premiered, &f.year, &f.runtime)
		}
		query := `select idMovie, ifnull(movie.idFile, 0), -1, ` + columns + ` from movie` + where(condition)
		if v.exists {
			query += ` union all select idMovie, v.idFile, ifnull(v.itemType, -1), ` + columns + `
				from movie join videoversion v on v.idMedia = idMovie and v.` + v.mediaType + ` = 'movie'` + where(condition)
		}
		return each(ctx, q, query+` order by 1, 2, 3`, func(scan scanner) error {
			err := scan(into...)
			f.extra, f.uid = kind == v.extra, rowOf(uid)
			if last := len(t.films) - 1; last >= 0 && t.films[last].id == f.id && t.films[last].file == f.file {
				t.films[last] = f // the film's own file again, now with its kind
				return err
			}
			t.films = append(t.films, f)
			return err
		})
	}
}

func (t *tables) readShows(condition string) stepper {
	return func(ctx context.Context, q queryer) error {
		query := `select idShow, ifnull(c00, ''), ifnull(` + t.layout.optional("tvshow", "c05") + `, ''), ifnull(c12, '') from tvshow`
		return each(ctx, q, query+where(condition), func(scan scanner) error {
			var id int64
			var s showRow
			var uid string
			err := scan(&id, &s.title, &s.premiered, &uid)
			s.uid = rowOf(uid)
			t.shows[id] = s
			return err
		})
	}
}

func (t *tables) readRuntimes(condition string) stepper {
	return func(ctx context.Context, q queryer) error {
		if t.layout.check("streamdetails", "idFile", "iStreamType", "iVideoDuration") != nil {
			return nil // then the scraper's running time has to do
		}
		query := `select idFile, ` + q.whole("iVideoDuration") + ` from streamdetails where iStreamType = 0 and iVideoDuration > 0`
		var id, seconds int64
		into := []any{&id, &seconds}
		return each(ctx, q, query+and(condition), func(scan scanner) error {
			err := scan(into...)
			t.runtimes[id] = max(t.runtimes[id], seconds)
			return err
		})
	}
}

// and adds a condition, if there is one.
func and(condition string) string {
	if condition == "" {
		return ""
	}
	return " and (" + condition + ")"
}

func (t *tables) readIDs(condition string) stepper {
	const query = `select uniqueid_id, ifnull(media_id, 0), media_type, ifnull(value, ''), type from uniqueid
		where type in ('tmdb', 'imdb', 'tvdb') and media_type in ('movie', 'episode', 'tvshow')`
	var i identifier
	var s slicer
	into := []any{&i.row, &i.of.id, &i.of.kind, &i.value, &i.namespace}
	row := func(scan scanner) error {
		err := scan(into...)
		t.names = append(t.names, i)
		return err
	}
	return func(ctx context.Context, q queryer) error {
		if condition != "" { // few: the index on the owner finds them, not the rows' own order
			return each(ctx, q, query+and(condition)+` order by +uniqueid_id`, row)
		}
		return s.each(ctx, q, t.slice, query+` and uniqueid_id`, &i.row, row)
	}
}

func (t *tables) readGenres(condition string) stepper {
	return t.readLinks("genre", condition, t.genres)
}
func (t *tables) readTags(condition string) stepper { return t.readLinks("tag", condition, t.tags) }

// readLinks reads the names that films and series are linked to, in their
// order; none when the schema keeps them in another way.
func (t *tables) readLinks(table, condition string, all map[owner][]string) stepper {
	return func(ctx context.Context, q queryer) error {
		id, link := table+"_id", table+"_link"
		if t.layout.check(table, id, "name") != nil || t.layout.check(link, id, "media_id", "media_type") != nil {
			return nil
		}
		query := fmt.Sprintf(`select media_type, media_id, n.name from %s l join %s n on n.%s = l.%[3]s
			where media_type in ('movie', 'tvshow') and n.name <> ''%s order by media_type, media_id, n.name, n.%[3]s`, link, table, id, and(condition))
		return each(ctx, q, query, func(scan scanner) error {
			var o owner
			var name string
			err := scan(&o.kind, &o.id, &name)
			if name = text(name); !slices.Contains(all[o], name) {
				all[o] = append(all[o], name)
			}
			return err
		})
	}
}
