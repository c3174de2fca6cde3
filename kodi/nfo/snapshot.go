package nfo

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/kodi/snapshot"
	"github.com/filmspool/filmspool/queue/viewing"
)

// build makes files of all that is known, in a fixed order, and says in words
// what is amiss.
func (r *Reader) build() (files []snapshot.File, remark string) {
	var amiss amiss
	for _, dir := range slices.Sorted(maps.Keys(r.folders)) {
		f := r.folders[dir]
		for _, name := range slices.Sorted(maps.Keys(f.notes)) {
			n := f.notes[name]
			amiss.add(r.path, n)
			all := n.files(f.show)
			if len(all) > 0 && f.repeats(name, all[0]) {
				continue
			}
			for _, file := range all {
				file.Folder = r.path
				files = append(files, file)
			}
		}
	}
	if r.export != nil {
		files = append(files, r.export.files()...)
	}
	return files, amiss.remark(r.deep)
}

// amiss counts the files that give less than they could.
type amiss struct {
	counts [tooLarge + 1]int
	first  string // the first broken one, with its fault
}

func (a *amiss) add(root string, n *note) {
	a.counts[n.trouble]++
	if n.trouble == broken && a.first == "" {
		name, err := filepath.Rel(root, n.path)
		if err != nil {
			name = filepath.Base(n.path)
		}
		a.first = cut(name, maxNamed) + ": " + n.fault
	}
}

// maxNamed bounds the name of a file in a remark.
const maxNamed = 200

// remark says it in one clause; "" when nothing is amiss.
func (a *amiss) remark(deep int) string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{a.counts[broken], "broken, so their identifiers are not used (the first: " + a.first + ")"},
		{a.counts[unreadable], "not readable by this user"},
		{a.counts[tooLarge], "larger than 1 MiB"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	var said []string
	if len(parts) > 0 {
		said = append(said, "some NFO files give less than they could: "+strings.Join(parts, "; "))
	}
	if deep > 0 {
		said = append(said, fmt.Sprintf("%d folders lie more than %d deep and are not looked at", deep, maxDeep))
	}
	return strings.Join(said, "; ")
}

// repeats reports movie.nfo beside another NFO of the same film: one media
// file, told of twice. Kodi reads the one that has the file's name.
func (f *folder) repeats(name string, file snapshot.File) bool {
	if !strings.EqualFold(name, "movie.nfo") {
		return false
	}
	for other, n := range f.notes {
		if other == name {
			continue
		}
		for _, i := range n.items {
			if i.media.Type == viewing.Movie && i.same(file.Items[0].Media) {
				return true
			}
		}
	}
	return false
}

// same reports whether an item is that film: by an identifier, or by title
// and year when one of them has none.
func (i item) same(m viewing.Media) bool {
	a, b := i.media.IDs, m.IDs
	if i.unsure {
		a = viewing.IDs{}
	}
	if a == (viewing.IDs{}) || b == (viewing.IDs{}) {
		return i.media.Title == m.Title && i.media.Year == m.Year
	}
	return a.TMDB != 0 && a.TMDB == b.TMDB || a.IMDB != "" && a.IMDB == b.IMDB || a.TVDB != 0 && a.TVDB == b.TVDB
}

// files are what an NFO stands for: one media file; of several episodes, one
// for each, because each has its own play count there. There are none when it
// tells of no film and no episode.
func (n *note) files(show *note) (all []snapshot.File) {
	items := make([]item, 0, len(n.items))
	for _, i := range n.items {
		if i.media.Type == viewing.TV {
			continue
		}
		if i.media.Type == viewing.Episode && show != nil {
			i.join(show.series())
		}
		items = append(items, i)
	}
	if len(items) == 0 {
		return nil
	}
	order, parts := inParts(n.path, items)
	for _, path := range order {
		all = append(all, fileOf(path, parts[path]))
	}
	return all
}

// inParts divides the episodes of one NFO by their places. A part is named as if
// it lay in a folder of the file's name, so that what is said of the file holds
// for it. What has no place stays together under the name of the file.
func inParts(path string, items []item) (order []string, parts map[string][]item) {
	parts = map[string][]item{}
	for _, i := range items {
		name := path
		if m := i.media; len(items) > 1 && m.Season != nil && m.Episode != nil {
			name = fmt.Sprintf("%s/S%02dE%02d", path, *m.Season, *m.Episode)
		}
		if _, known := parts[name]; !known {
			order = append(order, name)
		}
		parts[name] = append(parts[name], i)
	}
	return order, parts
}

// series is what a tvshow.nfo tells of. One of which nothing is left could
// have told anything.
func (n *note) series() item {
	for _, i := range n.items {
		if i.media.Type == viewing.TV {
			return i
		}
	}
	if n.trouble != whole {
		return item{media: viewing.Media{Type: viewing.TV}, unsure: true, doubt: "nothing of it can be read"}
	}
	return item{}
}

// join gives an episode the identifiers of its series, when both call it by
// the same name and neither is broken. An identifier of the series is none of
// the episode.
func (i *item) join(show item) {
	if show.media.Type != viewing.TV {
		return
	}
	own, theirs := &i.media.IDs, show.media.IDs
	if own.TMDB == theirs.TMDB {
		own.TMDB = 0
	}
	if own.TVDB == theirs.TVDB {
		own.TVDB = 0
	}
	if own.IMDB == theirs.IMDB {
		own.IMDB = ""
	}
	s := *i.media.Show
	s.Year = show.media.Year
	switch named := s.Title != "" && show.media.Title != ""; {
	case show.unsure:
		i.doubt = cmp.Or(i.doubt, "the file of its series is broken: "+show.doubt)
		if theirs == (viewing.IDs{}) {
			*own = viewing.IDs{} // they could be the series'
		}
	case named && !alike(s.Title, show.media.Title):
		i.doubt = cmp.Or(i.doubt, fmt.Sprintf("it calls its series %q, but the file of the series says %q", s.Title, show.media.Title))
		s.Year = 0
	default:
		s.IDs = theirs
		s.Title = cmp.Or(show.media.Title, s.Title)
		i.doubt = cmp.Or(i.doubt, show.doubt)
		if len(show.genres) > 0 {
			i.genres = show.genres
		}
		if len(show.tags) > 0 {
			i.tags = show.tags
		}
	}
	i.media.Show = &s
}

// alike compares titles whatever their case and spaces.
func alike(a, b string) bool {
	plain := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	return strings.EqualFold(plain(a), plain(b))
}

// files groups the items of an export by the media file they lie in.
func (e *export) files() []snapshot.File {
	var order []string
	byPath := map[string][]item{}
	for _, i := range e.items {
		if _, known := byPath[i.path]; !known {
			order = append(order, i.path)
		}
		byPath[i.path] = append(byPath[i.path], i)
	}
	files := make([]snapshot.File, 0, len(order))
	for _, path := range order {
		files = append(files, fileOf(path, byPath[path]))
	}
	return files
}

// fileOf is a media file with its items. Its numbers are made of the path:
// they stay as long as it does.
func fileOf(path string, items []item) snapshot.File {
	sum := fnv.New64a()
	sum.Write([]byte(path))
	id := int64(sum.Sum64() >> 2)
	f := snapshot.File{ID: id, Path: path, InSource: true, Items: make([]snapshot.Item, 0, len(items))}
	for _, i := range items {
		f.PlayCount = max(f.PlayCount, i.playCount)
		f.LastPlayed = max(f.LastPlayed, i.lastPlayed) // Kodi's texts sort by themselves
		f.Duration = max(f.Duration, i.duration)
		f.Items = append(f.Items, i.item(id+int64(len(f.Items))+1))
	}
	slices.SortStableFunc(f.Items, byPlace)
	return f
}

// item is the library's word for it. Of a broken file no identifier is left,
// but what it seemed to say stays as evidence.
func (i item) item(id int64) snapshot.Item {
	out := snapshot.Item{KodiID: id, Media: i.media, Genres: i.genres, Tags: i.tags}
	if i.doubt != "" {
		out.Doubt = "Of its identifiers not all are used: " + i.doubt + "."
	}
	if i.unsure {
		out.Doubt = fmt.Sprintf("Its NFO is broken (%s), so its identifiers are not used%s.", i.doubt, seeming(i.media.IDs))
		out.Media.IDs = viewing.IDs{}
		if show := out.Media.Show; show != nil {
			out.Media.Show = &viewing.Show{Title: show.Title, Year: show.Year}
		}
	}
	out.Media.Unsure = out.Doubt != "" && !out.Media.Identified()
	return out
}

// seeming lists identifiers as evidence.
func seeming(ids viewing.IDs) string {
	var parts []string
	if ids.TMDB > 0 {
		parts = append(parts, fmt.Sprintf("tmdb %d", ids.TMDB))
	}
	if ids.IMDB != "" {
		parts = append(parts, "imdb "+ids.IMDB)
	}
	if ids.TVDB > 0 {
		parts = append(parts, fmt.Sprintf("tvdb %d", ids.TVDB))
	}
	if len(parts) == 0 {
		return ""
	}
	return "; it seems to say " + strings.Join(parts, ", ")
}

// byPlace orders the episodes of one file; those without a place come last.
func byPlace(a, b snapshot.Item) int {
	return cmp.Or(
		cmp.Compare(orLast(a.Media.Season), orLast(b.Media.Season)),
		cmp.Compare(orLast(a.Media.Episode), orLast(b.Media.Episode)))
}

func orLast(n *int) int {
	if n == nil {
		return math.MaxInt
	}
	return *n
}
