package rule

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/playback"
	"github.com/filmspool/filmspool/queue/viewing"
)

// half is the time that must lie between two ends of one item.
func half(f library.File) time.Duration {
	return playback.Import.Window(mediaOf(f)[0].Type, f.Duration)
}

// own are the items of a file, extras left out.
func own(f library.File) []library.Item {
	return slices.DeleteFunc(slices.Clone(f.Items), func(i library.Item) bool { return i.Extra })
}

// row is Kodi's id of the first item: a refresh or a rebuilt library gives
// another one. 0 when the file has no item.
func row(f library.File) int64 {
	for _, i := range f.Items {
		if !i.Extra {
			return i.KodiID
		}
	}
	return 0
}

// itemsOf sums up Kodi's ids of all items in a file and the rows of their default
// identifiers. A refresh of any of them changes it; often also when the item
// keeps its id, because its identifiers get new rows.
func itemsOf(f library.File) uint32 {
	numbers := make([]byte, 0, 64)
	for _, i := range f.Items {
		numbers = binary.LittleEndian.AppendUint64(numbers, uint64(i.KodiID))
		numbers = binary.LittleEndian.AppendUint64(numbers, uint64(i.IDRow))
	}
	return crc32.ChecksumIEEE(numbers)
}

// mediaOf is what a file holds; when the library does not know it, what its name says.
func mediaOf(f library.File) (all []viewing.Media) {
	for _, i := range own(f) {
		all = append(all, i.Media)
	}
	if len(all) == 0 {
		return []viewing.Media{guess(f.Path)}
	}
	return all
}

// guess reads a file's name, as evidence for a person; it gives no identifier.
func guess(file string) viewing.Media {
	name := path.Base(strings.ReplaceAll(file, `\`, "/"))
	name = library.Text(strings.TrimSuffix(name, path.Ext(name)), library.MaxTitle)
	parts := regexp.MustCompile(`(?i)^(.*?)[ ._-]*\bs(\d{1,4})[ ._-]?e(\d{1,4})`).FindStringSubmatch(name)
	if parts == nil {
		return viewing.Media{Type: viewing.Movie, Title: name, Unsure: true}
	}
	season, _ := strconv.Atoi(parts[2]) // digits only
	m := viewing.Media{Type: viewing.Episode, Title: name, Season: &season, Show: &viewing.Show{Title: parts[1]}, Unsure: true}
	if episode, _ := strconv.Atoi(parts[3]); episode > 0 {
		m.Episode = &episode
	}
	return m
}

// identity names what a file holds, to compare it over time and over files.
// Items without any identifier are named by the path.
func identity(media []viewing.Media, path string) string {
	keys := make([]string, len(media))
	for i, m := range media {
		keys[i] = itemKey(m, path)
	}
	return strings.Join(keys, "|")
}

func itemKey(m viewing.Media, path string) string {
	if key := m.Key(); key != "" {
		return key
	}
	ids, place := m.IDs, ""
	if m.Type == viewing.Episode && m.Show != nil && m.Show.IDs != (viewing.IDs{}) && m.Season != nil && m.Episode != nil {
		ids, place = m.Show.IDs, fmt.Sprintf(":%d:%d", *m.Season, *m.Episode)
	}
	switch {
	case ids.IMDB != "":
		return string(m.Type) + ":" + ids.IMDB + place
	case ids.TVDB > 0:
		return fmt.Sprintf("%s:tvdb%d%s", m.Type, ids.TVDB, place)
	default:
		return pathKey + path
	}
}

// pathKey begins the identity of an item that has no identifier.
const pathKey = "path:"

// covers reports whether every item of part is among those of whole.
func covers(whole, part string) bool {
	all := "|" + whole + "|"
	for key := range strings.SplitSeq(part, "|") {
		if !strings.Contains(all, "|"+key+"|") {
			return false
		}
	}
	return true
}

// trusted is what a file holds; what its name says when that is not valid.
func (r *reading) trusted(f library.File) []viewing.Media {
	media := mediaOf(f)
	probe := viewing.Event{Kind: viewing.KindViewing, EventID: "x", Media: media, WatchedAt: viewing.At(r.now), Count: 1}
	if probe.Validate() != nil { // one odd row must not hold up the others
		return []viewing.Media{guess(f.Path)}
	}
	return media
}

// rename lets the events of a file follow its identity: a file that came into
// the library, or a wrong match that was corrected.
func (r *reading) rename(f library.File, next *record) {
	open := func(e event) bool { return !e.Gone && !e.old(r.now) }
	if row(f) == 0 || !slices.ContainsFunc(next.Events, open) {
		return
	}
	media := r.trusted(f)
	key := identity(media, f.Path)
	if strings.Contains(key, pathKey) {
		return // no better name than before
	}
	for i := range next.Events {
		e := &next.Events[i]
		if e.Key == key || !open(*e) {
			continue
		}
		if e.Same == "" {
			r.Amendments = append(r.Amendments, renamed(*e, media, f))
		}
		e.Key, e.Item = key, row(f)
	}
}

// renamed is the amendment that gives an event its new identity: the first items of the
// file, as many as the event named. One that would shrink is left as it is.
func renamed(e event, media []viewing.Media, f library.File) viewing.Amendment {
	labels := make([]string, len(media))
	for i, m := range media {
		labels[i] = m.Label()
	}
	a := viewing.Amendment{EventID: e.ID, Origin: Origin(f), Reason: viewing.Say("note.calls", "title", strings.Join(labels, ", "))}
	if len(media) >= e.Items {
		a.Media = media[:e.Items]
	}
	return a
}

// extraName matches a file that belongs to a film and is none: a trailer, an extra,
// a sample, a disc of several, by the names that Kodi gives them.
var extraName = regexp.MustCompile(`(?i)[/\\](trailers?|extras?|samples?|behind the scenes|deleted scenes|featurettes)[/\\][^/\\]*$|` +
	`(-|[/\\])(trailer|sample|behindthescenes|deleted|featurette|interview|scene|short)\d*\.[^./\\]*$|[-._ ](cd|dvd|disc|disk)[-._ ]?\d\.[^./\\]*$`)

// counts reports whether plays of a file can be viewings: folders and extras
// are none, and neither is a file outside of the library's sources.
func counts(f library.File) bool {
	if len(f.Items) == 0 {
		return f.InSource && !strings.HasSuffix(f.Path, "/") && !strings.HasSuffix(f.Path, `\`) && !extraName.MatchString(f.Path)
	}
	return row(f) != 0
}

// Bounds of what is handed over.
const (
	maxPath   = 4000
	maxLabels = 50 // genres, and tags, of one viewing
	maxLabel  = 200
)

// Origin is where a file lies and what the library says of it, extras left
// out: the user's filters go by it.
func Origin(f library.File) viewing.Origin {
	o := viewing.Origin{
		Site: "kodi", Path: library.Text(f.Path, maxPath), Folder: library.Text(f.Folder, maxPath), Runtime: int(f.Duration / time.Second),
	}
	for _, i := range own(f) {
		o.Genres, o.Tags = withLabels(o.Genres, i.Genres), withLabels(o.Tags, i.Tags)
	}
	return o
}

// withLabels adds what is not there yet.
func withLabels(all, more []string) []string {
	for _, label := range more {
		label = library.Text(label, maxLabel)
		if label != "" && len(all) < maxLabels && !slices.Contains(all, label) {
			all = append(all, label)
		}
	}
	return all
}
