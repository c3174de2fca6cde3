package library

import (
	"slices"
	"strings"
	"time"
)

// files joins the tables.
func (t *tables) files() []File {
	items := t.items()
	sources := t.sources()
	var all []File
	for _, r := range t.rows {
		f := File{
			ID: r.id, Path: join(t.folders[r.folder].path, r.name), PlayCount: int(max(r.plays, 0)),
			LastPlayed: r.last, Folder: sources[r.folder], InSource: sources[r.folder] != "", Items: items[r.id].list,
		}
		if strings.HasSuffix(r.name, "/") || !f.InSource && len(f.Items) == 0 {
			continue
		}
		seconds := t.runtimes[r.id]
		if seconds == 0 {
			seconds = items[r.id].seconds
		}
		f.Duration = time.Duration(min(seconds, maxSeconds)) * time.Second
		all = append(all, f)
	}
	return all
}

// maxSeconds bounds a running time: a week.
const maxSeconds = 7 * 24 * 3600

// inFile is what one file holds.
type inFile struct {
	list    []Item
	seconds int64 // the longest running time that an item claims
}

// items are the films and episodes by idFile.
func (t *tables) items() map[int64]inFile {
	names := newNamer(t.names)
	byFile := make(map[int64]inFile, len(t.films)+len(t.episodes))
	add := func(file int64, item Item, runtime string) {
		f := byFile[file]
		f.list = append(f.list, item)
		if !item.Extra { // its running time is the film's
			f.seconds = max(f.seconds, number(runtime, maxSeconds))
		}
		byFile[file] = f
	}
	for _, r := range t.films {
		add(r.file, t.film(r, names), r.runtime)
	}
	for _, r := range t.episodes {
		add(r.file, t.episode(r, names), r.runtime)
	}
	for _, f := range byFile {
		slices.SortStableFunc(f.list, byPlace)
	}
	return byFile
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
// lies, as Kodi writes it; "" for none. The nearest folder above that has a say
// decides.
func (t *tables) sources() map[int64]string {
	said := map[string]bool{}
	for _, f := range t.folders {
		if f.excluded {
			said[f.path] = false
		} else if f.content != "" {
			said[f.path] = f.content == "movies" || f.content == "tvshows"
		}
	}
	in := make(map[int64]string, len(t.folders))
	for id, f := range t.folders {
		in[id] = source(said, f.path)
	}
	return in
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
