package library

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// Read takes one snapshot of the library file at path, whose name must be
// MyVideosNNN.db. It waits for Kodi for at most 0.8 s, reads for at most 4 s,
// and has let go of the file when it returns. It leaves no trace, but in a
// folder that it may write to SQLite makes the empty -wal and -shm files that
// a library in WAL mode needs.
//
// The errors are those of this package, or the context's.
func Read(ctx context.Context, path string) (Snapshot, error) {
	version, ok := versionOf(filepath.Base(path))
	if !ok {
		return Snapshot{}, fmt.Errorf("read library %s: %w: its name is not MyVideosNNN.db", path, ErrUnsupported)
	}
	s := Snapshot{Path: path, Origin: originOf(path), Version: version, Verified: verified(version), ReadAt: time.Now()}
	var t tables
	if err := look(ctx, path, t.read(version)); err != nil {
		return Snapshot{}, fmt.Errorf("read library %s: %w", path, err)
	}
	s.Files = t.files() // after the file was let go
	return s, nil
}

// originOf is a file's name without links.
func originOf(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// tables is the part of a library that we look at, in memory.
type tables struct {
	layout   layout
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

type filmRow struct {
	id, file                             int64
	title, premiered, year, uid, runtime string
	extra                                bool
}

type episodeRow struct {
	id, file, show                      int64
	title, season, number, uid, runtime string
}

type showRow struct{ title, premiered, uid string }

// read fills the tables within one transaction.
func (t *tables) read(version int) func(context.Context, queryer) error {
	return func(ctx context.Context, q queryer) (err error) {
		if err := checkVersion(ctx, q, version); err != nil {
			return err
		}
		if t.layout, err = readLayout(ctx, q, version); err != nil {
			return err
		}
		for _, step := range []func(context.Context, queryer) error{
			t.readFolders, t.readFiles, t.readRuntimes, t.readShows, t.readEpisodes, t.readIDs, t.readFilms, t.readGenres, t.readTags,
		} {
			if err := step(ctx, q); err != nil {
				return err
			}
		}
		return nil
	}
}

func (t *tables) readFolders(ctx context.Context, q queryer) error {
	t.folders = map[int64]folder{}
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

// readFiles leaves out rows without a name: Kodi makes them for folders.
func (t *tables) readFiles(ctx context.Context, q queryer) error {
	query := `select idFile, ifnull(idPath, 0), strFilename, ` + q.whole("ifnull(playCount, 0)") + `, ifnull(lastPlayed, '')
		from files where strFilename <> '' order by idFile`
	return each(ctx, q, query, func(scan scanner) error {
		var f fileRow
		err := scan(&f.id, &f.folder, &f.name, &f.plays, &f.last)
		t.rows = append(t.rows, f)
		return err
	})
}

func (t *tables) readRuntimes(ctx context.Context, q queryer) error {
	t.runtimes = map[int64]int64{}
	if t.layout.check("streamdetails", "idFile", "iStreamType", "iVideoDuration") != nil {
		return nil // then the scraper's running time has to do
	}
	query := `select idFile, ` + q.whole("iVideoDuration") + ` from streamdetails
		where iStreamType = 0 and iVideoDuration > 0`
	return each(ctx, q, query, func(scan scanner) error {
		var id, seconds int64
		err := scan(&id, &seconds)
		t.runtimes[id] = max(t.runtimes[id], seconds)
		return err
	})
}

func (t *tables) readShows(ctx context.Context, q queryer) error {
	t.shows = map[int64]showRow{}
	query := `select idShow, ifnull(c00, ''), ifnull(` + t.layout.optional("tvshow", "c05") + `, ''), ifnull(c12, '') from tvshow`
	return each(ctx, q, query, func(scan scanner) error {
		var id int64
		var s showRow
		err := scan(&id, &s.title, &s.premiered, &s.uid)
		t.shows[id] = s
		return err
	})
}

func (t *tables) readEpisodes(ctx context.Context, q queryer) error {
	query := `select idEpisode, ifnull(idFile, 0), ifnull(idShow, 0), ifnull(c00, ''), ifnull(c12, ''),
		ifnull(c13, ''), ifnull(c20, ''), ifnull(` + t.layout.optional("episode", "c09") + `, '') from episode order by idEpisode`
	return each(ctx, q, query, func(scan scanner) error {
		var e episodeRow
		err := scan(&e.id, &e.file, &e.show, &e.title, &e.season, &e.number, &e.uid, &e.runtime)
		t.episodes = append(t.episodes, e)
		return err
	})
}

// readFilms gives one row for each file of a film. From schema 123 on a film
// has several, and only the one that was played counts it.
func (t *tables) readFilms(ctx context.Context, q queryer) error {
	v := t.layout.versions
	columns := fmt.Sprintf(`ifnull(c00, ''), ifnull(premiered, ''), ifnull(%s, ''), ifnull(c09, ''), ifnull(%s, '')`,
		t.layout.optional("movie", "c07"), t.layout.optional("movie", "c11"))
	query := `select idMovie, ifnull(movie.idFile, 0), ` + columns + `, -1 from movie`
	if v.exists {
		query += ` union all select idMovie, v.idFile, ` + columns + `, ifnull(v.itemType, -1)
			from movie join videoversion v on v.idMedia = idMovie and v.` + v.mediaType + ` = 'movie'`
	}
	return each(ctx, q, query+` order by 1, 2, 8`, func(scan scanner) error {
		var f filmRow
		var kind int
		err := scan(&f.id, &f.file, &f.title, &f.premiered, &f.year, &f.uid, &f.runtime, &kind)
		f.extra = kind == v.extra
		if last := len(t.films) - 1; last >= 0 && t.films[last].id == f.id && t.films[last].file == f.file {
			t.films[last] = f // the film's own file again, now with its kind
			return err
		}
		t.films = append(t.films, f)
		return err
	})
}

func (t *tables) readIDs(ctx context.Context, q queryer) error {
	const query = `select uniqueid_id, ifnull(media_id, 0), media_type, ifnull(value, ''), type from uniqueid
		where type in ('tmdb', 'imdb', 'tvdb') and media_type in ('movie', 'episode', 'tvshow') order by uniqueid_id`
	return each(ctx, q, query, func(scan scanner) error {
		var i identifier
		err := scan(&i.row, &i.of.id, &i.of.kind, &i.value, &i.namespace)
		t.names = append(t.names, i)
		return err
	})
}

func (t *tables) readGenres(ctx context.Context, q queryer) (err error) {
	t.genres, err = t.readLinks(ctx, q, "genre")
	return err
}

func (t *tables) readTags(ctx context.Context, q queryer) (err error) {
	t.tags, err = t.readLinks(ctx, q, "tag")
	return err
}

// readLinks gives the names that films and series are linked to, in their
// order; none when the schema keeps them in another way.
func (t *tables) readLinks(ctx context.Context, q queryer, table string) (map[owner][]string, error) {
	id, link := table+"_id", table+"_link"
	if t.layout.check(table, id, "name") != nil || t.layout.check(link, id, "media_id", "media_type") != nil {
		return nil, nil
	}
	all := map[owner][]string{}
	query := fmt.Sprintf(`select l.media_type, l.media_id, n.name from %s l join %s n on n.%s = l.%[3]s
		where l.media_type in ('movie', 'tvshow') and n.name <> '' order by l.media_type, l.media_id, n.name, n.%[3]s`, link, table, id)
	err := each(ctx, q, query, func(scan scanner) error {
		var o owner
		var name string
		err := scan(&o.kind, &o.id, &name)
		if name = text(name); !slices.Contains(all[o], name) {
			all[o] = append(all[o], name)
		}
		return err
	})
	return all, err
}
