package library

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/kodi/snapshot"
	"github.com/filmspool/filmspool/queue/viewing"
)

// ReadWishes reads what is wanted from the library file at path. It holds the
// file no longer than [Read] does, and its errors are the same; a library that
// has no such tables is [ErrUnsupported].
func ReadWishes(ctx context.Context, path string, want snapshot.Want) (snapshot.Wishes, error) {
	version, ok := versionOf(filepath.Base(path))
	if !ok {
		return snapshot.Wishes{}, fmt.Errorf("read wishes of %s: %w: its name is not MyVideosNNN.db", path, ErrUnsupported)
	}
	w := wishRows{want: want}
	if err := look(ctx, path, w.read(version)); err != nil {
		return snapshot.Wishes{}, fmt.Errorf("read wishes of %s: %w", path, err)
	}
	return w.wishes(), nil // after the file was let go
}

// ReadWishes reads what is wanted, like the function of that name.
func (s Server) ReadWishes(ctx context.Context, want snapshot.Want) (snapshot.Wishes, error) {
	w := wishRows{want: want}
	err := s.look(ctx, func(ctx context.Context, q queryer, d schema) error { return w.read(d.version)(ctx, q) })
	if err != nil {
		return snapshot.Wishes{}, fmt.Errorf("read wishes of %s: %w", s, err)
	}
	return w.wishes(), nil
}

// wishRows are the rows of wishes, in memory.
type wishRows struct {
	want   snapshot.Want
	layout layout
	tagged map[owner]bool
	sets   []setRow
	films  []wishRow
	shows  []wishRow
	names  []identifier
}

type setRow struct {
	id   int64
	name string
}

// wishRow is a film or a show.
type wishRow struct {
	id, set                     int64
	title, premiered, year, uid string
	folder, file                string
}

func (w *wishRows) read(version int) func(context.Context, queryer) error {
	return func(ctx context.Context, q queryer) (err error) {
		if err := checkVersion(ctx, q, version); err != nil {
			return err
		}
		if w.layout, err = readLayout(ctx, q, version); err != nil {
			return err
		}
		if err := w.check(ctx, q); err != nil {
			return err
		}
		for _, step := range []func(context.Context, queryer) error{w.readTags, w.readSets, w.readFilms, w.readShows, w.readIDs} {
			if err := step(ctx, q); err != nil {
				return err
			}
		}
		return nil
	}
}

// check fails unless the tables are there that the wanted needs.
func (w *wishRows) check(ctx context.Context, q queryer) error {
	need := map[string][]string{}
	if w.want.Tag != "" {
		need["tag"] = []string{"tag_id", "name"}
		need["tag_link"] = []string{"tag_id", "media_id", "media_type"}
		need["tvshowlinkpath"] = []string{"idShow", "idPath"}
	}
	if w.want.Sets {
		need["sets"] = []string{"idSet", "strSet"}
		need["movie"] = []string{"idSet"}
	}
	for table, columns := range need {
		have, err := q.columns(ctx, table)
		if err != nil {
			return err
		}
		w.layout.columns[table] = have
		if err := w.layout.check(table, columns...); err != nil {
			return err
		}
	}
	return nil
}

// readTags finds what has the tag. Kodi tells tags apart by case in a file and
// not on a server; a person means one and the same.
func (w *wishRows) readTags(ctx context.Context, q queryer) error {
	w.tagged = map[owner]bool{}
	if w.want.Tag == "" {
		return nil
	}
	query := `select ifnull(t.name, ''), l.media_type, l.media_id from tag_link l join tag t on t.tag_id = l.tag_id
		where l.media_type in ('movie', 'tvshow')`
	return each(ctx, q, query, func(scan scanner) error {
		var name string
		var o owner
		err := scan(&name, &o.kind, &o.id)
		if strings.EqualFold(strings.TrimSpace(name), w.want.Tag) {
			w.tagged[o] = true
		}
		return err
	})
}

func (w *wishRows) readSets(ctx context.Context, q queryer) error {
	if !w.want.Sets {
		return nil
	}
	return each(ctx, q, `select idSet, ifnull(strSet, '') from sets order by idSet`, func(scan scanner) error {
		var s setRow
		err := scan(&s.id, &s.name)
		w.sets = append(w.sets, s)
		return err
	})
}

// readFilms keeps only the films that are asked for.
func (w *wishRows) readFilms(ctx context.Context, q queryer) error {
	set := "0"
	if w.want.Sets {
		set = "ifnull(m.idSet, 0)"
	}
	query := fmt.Sprintf(`select m.idMovie, %s, ifnull(m.c00, ''), ifnull(m.premiered, ''), ifnull(%s, ''), ifnull(m.c09, ''),
		ifnull(p.strPath, ''), ifnull(f.strFilename, '') from movie m left join files f on f.idFile = m.idFile
		left join path p on p.idPath = f.idPath order by m.idMovie`, set, w.layout.optional("movie", "c07"))
	return each(ctx, q, query, func(scan scanner) error {
		var r wishRow
		err := scan(&r.id, &r.set, &r.title, &r.premiered, &r.year, &r.uid, &r.folder, &r.file)
		if w.want.Films || r.set > 0 || w.tagged[owner{"movie", r.id}] {
			w.films = append(w.films, r)
		}
		return err
	})
}

// readShows keeps only the shows that are asked for. One that lies in several
// folders goes by the first.
func (w *wishRows) readShows(ctx context.Context, q queryer) error {
	if w.want.Tag == "" {
		return nil
	}
	query := fmt.Sprintf(`select s.idShow, ifnull(s.c00, ''), ifnull(%s, ''), ifnull(s.c12, ''),
		ifnull((select min(p.strPath) from tvshowlinkpath l join path p on p.idPath = l.idPath where l.idShow = s.idShow), '')
		from tvshow s order by s.idShow`, w.layout.optional("tvshow", "c05"))
	return each(ctx, q, query, func(scan scanner) error {
		var r wishRow
		err := scan(&r.id, &r.title, &r.premiered, &r.uid, &r.folder)
		if w.tagged[owner{"tvshow", r.id}] {
			w.shows = append(w.shows, r)
		}
		return err
	})
}

func (w *wishRows) readIDs(ctx context.Context, q queryer) error {
	if len(w.films)+len(w.shows) == 0 {
		return nil
	}
	const query = `select uniqueid_id, ifnull(media_id, 0), media_type, ifnull(value, ''), type from uniqueid
		where type in ('tmdb', 'imdb', 'tvdb') and media_type in ('movie', 'tvshow') order by uniqueid_id`
	return each(ctx, q, query, func(scan scanner) error {
		var i identifier
		err := scan(&i.row, &i.of.id, &i.of.kind, &i.value, &i.namespace)
		w.names = append(w.names, i)
		return err
	})
}

// wishes joins the rows.
func (w *wishRows) wishes() snapshot.Wishes {
	all := snapshot.Wishes{Films: map[int64]snapshot.Wish{}}
	names := newNamer(w.names)
	inSet := map[int64][]snapshot.Wish{}
	for _, r := range w.films {
		wish := r.wish(viewing.Movie, owner{"movie", r.id}, names)
		if w.tagged[owner{"movie", r.id}] {
			all.Tagged = append(all.Tagged, wish)
		}
		inSet[r.set] = append(inSet[r.set], wish)
		if w.want.Films {
			all.Films[r.id] = wish
		}
	}
	for _, r := range w.shows {
		all.Tagged = append(all.Tagged, r.wish(viewing.TV, owner{"tvshow", r.id}, names))
	}
	for _, s := range w.sets {
		if films := inSet[s.id]; len(films) > 0 {
			slices.SortStableFunc(films, func(a, b snapshot.Wish) int { return orNever(a.Media.Year) - orNever(b.Media.Year) })
			all.Sets = append(all.Sets, snapshot.Set{Name: text(s.name), Films: films})
		}
	}
	return all
}

// orNever puts a year that is not known last.
func orNever(year int) int {
	if year == 0 {
		return 10_000
	}
	return year
}

func (r wishRow) wish(t viewing.MediaType, o owner, names namer) snapshot.Wish {
	return snapshot.Wish{
		Media: viewing.Media{Type: t, Title: text(r.title), Year: year(r.premiered, r.year), IDs: names.idsOf(o, rowOf(r.uid))},
		Path:  join(r.folder, r.file),
	}
}
