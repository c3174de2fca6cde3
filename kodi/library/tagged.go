package library

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/filmspool/filmspool/kodi/snapshot"
	"github.com/filmspool/filmspool/queue/viewing"
)

// ReadTagged reads the films, then the series, that have a tag in the library
// file at path. Letter case does not matter: a file tells tags apart by case, a
// server does not. It holds the file no longer than [Read] does, and its errors
// are the same; a library that has no such tables is [ErrUnsupported].
func ReadTagged(ctx context.Context, path, tag string) ([]snapshot.Tagged, error) {
	version, ok := versionOf(filepath.Base(path))
	if !ok {
		return nil, fmt.Errorf("read tags of %s: %w: its name is not MyVideosNNN.db", path, ErrUnsupported)
	}
	t := tagRows{tag: tag}
	if err := look(ctx, path, t.read(version)); err != nil {
		return nil, fmt.Errorf("read tags of %s: %w", path, err)
	}
	return t.join(), nil // after the file was closed
}

// ReadTagged reads what has a tag, like the function of that name.
func (s Server) ReadTagged(ctx context.Context, tag string) ([]snapshot.Tagged, error) {
	t := tagRows{tag: tag}
	err := s.look(ctx, func(ctx context.Context, q queryer, d schema) error { return t.read(d.version)(ctx, q) })
	if err != nil {
		return nil, fmt.Errorf("read tags of %s: %w", s, err)
	}
	return t.join(), nil
}

// tagRows are the rows of what has a tag.
type tagRows struct {
	tag    string
	tagged map[owner]bool
	films  []taggedRow
	shows  []taggedRow
	ids    []identifier
}

// taggedRow is a film or a show.
type taggedRow struct {
	id                          int64
	title, premiered, year, uid string
	folder, file                string
}

func (t *tagRows) read(version int) func(context.Context, queryer) error {
	return func(ctx context.Context, q queryer) error {
		if err := checkVersion(ctx, q, version); err != nil {
			return err
		}
		l, err := readLayout(ctx, q, version)
		if err != nil {
			return err
		}
		for table, columns := range map[string][]string{
			"tag": {"tag_id", "name"}, "tag_link": {"tag_id", "media_id", "media_type"}, "tvshowlinkpath": {"idShow", "idPath"},
		} {
			if l.columns[table], err = q.columns(ctx, table); err != nil {
				return err
			}
			if err := l.check(table, columns...); err != nil {
				return err
			}
		}
		for _, step := range []func(context.Context, queryer, layout) error{t.readLinks, t.readFilms, t.readShows, t.readIDs} {
			if err := step(ctx, q, l); err != nil {
				return err
			}
		}
		return nil
	}
}

func (t *tagRows) readLinks(ctx context.Context, q queryer, _ layout) error {
	t.tagged = map[owner]bool{}
	const query = `select ifnull(t.name, ''), l.media_type, l.media_id from tag_link l join tag t on t.tag_id = l.tag_id
		where l.media_type in ('movie', 'tvshow')`
	return each(ctx, q, query, func(scan scanner) error {
		var name string
		var o owner
		err := scan(&name, &o.kind, &o.id)
		if strings.EqualFold(strings.TrimSpace(name), t.tag) {
			t.tagged[o] = true
		}
		return err
	})
}

func (t *tagRows) readFilms(ctx context.Context, q queryer, l layout) error {
	query := fmt.Sprintf(`select m.idMovie, ifnull(m.c00, ''), ifnull(m.premiered, ''), ifnull(%s, ''), ifnull(m.c09, ''),
		ifnull(p.strPath, ''), ifnull(f.strFilename, '') from movie m left join files f on f.idFile = m.idFile
		left join path p on p.idPath = f.idPath order by m.idMovie`, l.optional("movie", "c07"))
	return each(ctx, q, query, func(scan scanner) error {
		var r taggedRow
		err := scan(&r.id, &r.title, &r.premiered, &r.year, &r.uid, &r.folder, &r.file)
		if t.tagged[owner{"movie", r.id}] {
			t.films = append(t.films, r)
		}
		return err
	})
}

// readShows reads the shows. One that lies in several folders goes by the first.
func (t *tagRows) readShows(ctx context.Context, q queryer, l layout) error {
	query := fmt.Sprintf(`select s.idShow, ifnull(s.c00, ''), ifnull(%s, ''), ifnull(s.c12, ''),
		ifnull((select min(p.strPath) from tvshowlinkpath l join path p on p.idPath = l.idPath where l.idShow = s.idShow), '')
		from tvshow s order by s.idShow`, l.optional("tvshow", "c05"))
	return each(ctx, q, query, func(scan scanner) error {
		var r taggedRow
		err := scan(&r.id, &r.title, &r.premiered, &r.uid, &r.folder)
		if t.tagged[owner{"tvshow", r.id}] {
			t.shows = append(t.shows, r)
		}
		return err
	})
}

func (t *tagRows) readIDs(ctx context.Context, q queryer, _ layout) error {
	if len(t.films)+len(t.shows) == 0 {
		return nil
	}
	const query = `select uniqueid_id, ifnull(media_id, 0), media_type, ifnull(value, ''), type from uniqueid
		where type in ('tmdb', 'imdb', 'tvdb') and media_type in ('movie', 'tvshow') order by uniqueid_id`
	return each(ctx, q, query, func(scan scanner) error {
		var i identifier
		err := scan(&i.row, &i.of.id, &i.of.kind, &i.value, &i.namespace)
		t.ids = append(t.ids, i)
		return err
	})
}

// join makes items of the rows.
func (t *tagRows) join() (all []snapshot.Tagged) {
	names := newNamer(t.ids)
	add := func(rows []taggedRow, kind viewing.MediaType, table string) {
		for _, r := range rows {
			m := viewing.Media{Type: kind, Title: text(r.title), Year: year(r.premiered, r.year), IDs: names.idsOf(owner{table, r.id}, rowOf(r.uid))}
			all = append(all, snapshot.Tagged{Media: m, Path: join(r.folder, r.file)})
		}
	}
	add(t.films, viewing.Movie, "movie")
	add(t.shows, viewing.TV, "tvshow")
	return all
}
