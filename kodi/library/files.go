package library

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/kodi/snapshot"
	"github.com/filmspool/filmspool/queue/viewing"
)

// files joins the tables.
func (t *tables) files() []snapshot.File {
	sources, paths := t.sources()
	items := t.items()
	all := make([]snapshot.File, 0, len(t.rows))
	for _, r := range t.rows { // both in the order of their ids
		for len(items) > 0 && items[0].file < r.id {
			items = items[1:]
		}
		f := snapshot.File{
			ID: r.id, Path: join(paths[r.folder], r.name), PlayCount: int(max(r.plays, 0)), LastPlayed: r.last,
			Folder: sources[r.folder], InSource: sources[r.folder] != "", Outline: !t.full,
		}
		var in inFile
		if len(items) > 0 && items[0].file == r.id {
			in = items[0]
		}
		if strings.HasSuffix(r.name, "/") || !f.InSource && len(in.list) == 0 {
			continue
		}
		f.Items = in.list
		if t.full {
			f.Duration = t.duration(in)
		}
		all = append(all, f)
	}
	return all
}

// duration is the running time of a file: what its streams say, else the
// longest that an item claims.
func (t *tables) duration(in inFile) time.Duration {
	seconds := t.runtimes[in.file]
	if seconds == 0 {
		seconds = in.seconds
	}
	return time.Duration(min(seconds, maxSeconds)) * time.Second
}

// maxSeconds bounds a running time: a week.
const maxSeconds = 7 * 24 * 3600

// inFile is what one file holds.
type inFile struct {
	file    int64
	list    []snapshot.Item
	seconds int64 // the longest running time that an item claims
}

// piece is a film or an episode in a file.
type piece struct {
	file            int64
	row             int32 // in the table of films or of episodes
	season, episode int32
	film            bool
}

// pieces are the films and episodes in the order of their files, and in each
// file in their own.
func (t *tables) pieces() []piece {
	all := make([]piece, 0, len(t.films)+len(t.episodes))
	for i, r := range t.films {
		all = append(all, piece{file: r.file, row: int32(i), film: true, season: last, episode: last})
	}
	for i, r := range t.episodes {
		all = append(all, piece{file: r.file, row: int32(i), season: r.season, episode: r.number})
	}
	slices.SortStableFunc(all, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.season, b.season), cmp.Compare(a.episode, b.episode))
	})
	return all
}

// items are the films and episodes, in the order of their files.
func (t *tables) items() []inFile {
	names := newNamer(t.names)
	pieces := t.pieces()
	items := make([]snapshot.Item, 0, len(pieces))
	files := make([]inFile, 0, len(pieces))
	for _, p := range pieces {
		item, runtime := t.item(p, names)
		items = append(items, item)
		if n := len(files); n == 0 || files[n-1].file != p.file {
			files = append(files, inFile{file: p.file})
		}
		f, end := &files[len(files)-1], len(items)
		f.list = items[end-len(f.list)-1 : end : end]
		if !item.Extra { // its running time is the film's
			f.seconds = max(f.seconds, number(runtime, maxSeconds))
		}
	}
	return files
}

// item is a film or an episode, in full or in outline, and the running time
// that it claims.
func (t *tables) item(p piece, names namer) (snapshot.Item, string) {
	switch {
	case p.film && t.full:
		r := t.films[p.row]
		return t.film(r, names), r.runtime
	case p.film:
		r := t.films[p.row]
		return snapshot.Item{KodiID: r.id, IDRow: r.uid, Extra: r.extra, Media: viewing.Media{Type: viewing.Movie}}, ""
	case t.full:
		r := t.episodes[p.row]
		return t.episode(r, names), r.runtime
	default:
		r := t.episodes[p.row]
		return snapshot.Item{KodiID: r.id, IDRow: r.uid, Media: viewing.Media{Type: viewing.Episode}}, ""
	}
}

// join is Kodi's way from folder and name to an address: a name that is a
// whole address of its own (stack://, plugin://, an archive) stands alone.
func join(folder, name string) string {
	if strings.Contains(name, "://") {
		return name
	}
	return folder + name
}

// sources gives of each folder the source of films or series under which it
// lies, as Kodi writes it, "" for none; and its own path. The nearest folder
// above that has a say decides.
func (t *tables) sources() (sources, paths map[int64]string) {
	said := map[string]bool{}
	for _, f := range t.folders {
		if f.excluded {
			said[f.path] = false
		} else if f.content != "" {
			said[f.path] = f.content == "movies" || f.content == "tvshows"
		}
	}
	sources, paths = make(map[int64]string, len(t.folders)), make(map[int64]string, len(t.folders))
	for id, f := range t.folders {
		sources[id], paths[id] = source(said, f.path), f.path
	}
	return sources, paths
}

// source walks up from path to the first folder that is in said.
func source(said map[string]bool, path string) string {
	for path != "" {
		if scanned, ok := said[path]; ok {
			if scanned {
				return path
			}
			return ""
		}
		path = path[:strings.LastIndexAny(path[:len(path)-1], `/\`)+1]
	}
	return ""
}
