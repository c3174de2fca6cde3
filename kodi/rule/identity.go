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

// halfRuntime returns half the running time of a file: the shortest time between two viewings of an item.
func halfRuntime(f library.File) time.Duration {
	return playback.Import.Window(mediaOf(f)[0].Type, f.Duration)
}

// mainItems returns the items of a file without extras.
func mainItems(f library.File) []library.Item {
	return slices.DeleteFunc(slices.Clone(f.Items), func(i library.Item) bool { return i.Extra })
}

// firstItemID returns Kodi's id of the first item, or 0 without items. A refresh or a rebuilt
// library changes it.
func firstItemID(f library.File) int64 {
	for _, i := range f.Items {
		if !i.Extra {
			return i.KodiID
		}
	}
	return 0
}

// itemsHash returns a checksum of Kodi's ids of all items in a file and of the row ids of their
// default identifiers. A refresh changes it, mostly even if the item keeps its id, because its
// identifiers get new rows.
func itemsHash(f library.File) uint32 {
	numbers := make([]byte, 0, 64)
	for _, i := range f.Items {
		numbers = binary.LittleEndian.AppendUint64(numbers, uint64(i.KodiID))
		numbers = binary.LittleEndian.AppendUint64(numbers, uint64(i.IDRow))
	}
	return crc32.ChecksumIEEE(numbers)
}

// mediaOf returns the items in a file, or a guess from its name if the library has none.
func mediaOf(f library.File) (all []viewing.Media) {
	for _, i := range mainItems(f) {
		all = append(all, i.Media)
	}
	if len(all) == 0 {
		return []viewing.Media{guessMedia(f.Path)}
	}
	return all
}

// guessMedia derives title, season and episode from a file name, as a hint for the user.
func guessMedia(file string) viewing.Media {
	name := path.Base(strings.ReplaceAll(file, `\`, "/"))
	name = library.ValidText(strings.TrimSuffix(name, path.Ext(name)), library.MaxTitle)
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

// identity returns a key of the items in a file, to compare them over time and between files.
// Items without an identifier are named by the path.
func identity(media []viewing.Media, path string) string {
	keys := make([]string, len(media))
	for i, m := range media {
		keys[i] = itemKey(m, path)
	}
	return strings.Join(keys, "|")
}

// itemKey returns a key of one item: its own identifier, else that of its series with season and
// episode, else the path.
func itemKey(m viewing.Media, path string) string {
	if key := m.Key(); key != "" {
		return key
	}
	ids, position := m.IDs, ""
	if m.Type == viewing.Episode && m.Show != nil && m.Show.IDs != (viewing.IDs{}) && m.Season != nil && m.Episode != nil {
		ids, position = m.Show.IDs, fmt.Sprintf(":%d:%d", *m.Season, *m.Episode)
	}
	switch {
	case ids.IMDB != "":
		return string(m.Type) + ":" + ids.IMDB + position
	case ids.TVDB > 0:
		return fmt.Sprintf("%s:tvdb%d%s", m.Type, ids.TVDB, position)
	default:
		return pathKey + path
	}
}

// pathKey is the prefix of the key of an item without an identifier.
const pathKey = "path:"

// covers reports whether the identity whole contains every item of part.
func covers(whole, part string) bool {
	all := "|" + whole + "|"
	for key := range strings.SplitSeq(part, "|") {
		if !strings.Contains(all, "|"+key+"|") {
			return false
		}
	}
	return true
}

// validMedia returns the items in a file, or a guess from its name if they are not valid.
func (r *reading) validMedia(f library.File) []viewing.Media {
	media := mediaOf(f)
	probe := viewing.Event{Kind: viewing.KindViewing, EventID: "x", Media: media, WatchedAt: viewing.At(r.now), Count: 1}
	if probe.Validate() != nil { // one invalid row must not block the others
		return []viewing.Media{guessMedia(f.Path)}
	}
	return media
}

// updateIdentity amends the events of a file whose identity changed: the file was added to the
// library, or a wrong match was corrected.
func (r *reading) updateIdentity(f library.File, next *record) {
	open := func(e event) bool { return !e.Withdrawn && !e.isExpired(r.now) }
	if firstItemID(f) == 0 || !slices.ContainsFunc(next.Events, open) {
		return
	}
	media := r.validMedia(f)
	key := identity(media, f.Path)
	if strings.Contains(key, pathKey) {
		return // no better name than before
	}
	for i := range next.Events {
		e := &next.Events[i]
		if e.Key == key || !open(*e) {
			continue
		}
		if e.SameAs == "" {
			r.Amendments = append(r.Amendments, identityAmendment(*e, media, f))
		}
		e.Key, e.FirstItem = key, firstItemID(f)
	}
}

// identityAmendment returns the amendment that gives an event the first items of the file, as many
// as the event had. If the file has fewer, the items stay.
func identityAmendment(e event, media []viewing.Media, f library.File) viewing.Amendment {
	labels := make([]string, len(media))
	for i, m := range media {
		labels[i] = m.Label()
	}
	a := viewing.Amendment{EventID: e.ID, Origin: Origin(f), Reason: viewing.Say("note.calls", "title", strings.Join(labels, ", "))}
	if len(media) >= e.ItemCount {
		a.Media = media[:e.ItemCount]
	}
	return a
}

// extraName matches trailers, extras, samples and single discs of a set by Kodi's naming rules.
var extraName = regexp.MustCompile(`(?i)[/\\](trailers?|extras?|samples?|behind the scenes|deleted scenes|featurettes)[/\\][^/\\]*$|` +
	`(-|[/\\])(trailer|sample|behindthescenes|deleted|featurette|interview|scene|short)\d*\.[^./\\]*$|[-._ ](cd|dvd|disc|disk)[-._ ]?\d\.[^./\\]*$`)

// isTracked reports whether plays of a file can be viewings. Folders, extras and files outside
// the library's sources are ignored.
func isTracked(f library.File) bool {
	if len(f.Items) == 0 {
		return f.InSource && !strings.HasSuffix(f.Path, "/") && !strings.HasSuffix(f.Path, `\`) && !extraName.MatchString(f.Path)
	}
	return firstItemID(f) != 0
}

// Bounds of the texts in an event.
const (
	maxPath   = 4000
	maxLabels = 50 // genres, and likewise tags, of one viewing
	maxLabel  = 200
)

// Origin returns the path, running time, genres and tags of a file without its extras. The
// user's filters match on them.
func Origin(f library.File) viewing.Origin {
	o := viewing.Origin{
		Site: "kodi", Path: library.ValidText(f.Path, maxPath), Folder: library.ValidText(f.Folder, maxPath), Runtime: int(f.Duration / time.Second),
	}
	for _, i := range mainItems(f) {
		o.Genres, o.Tags = appendLabels(o.Genres, i.Genres), appendLabels(o.Tags, i.Tags)
	}
	return o
}

// appendLabels appends the labels that are not in the list yet.
func appendLabels(all, more []string) []string {
	for _, label := range more {
		label = library.ValidText(label, maxLabel)
		if label != "" && len(all) < maxLabels && !slices.Contains(all, label) {
			all = append(all, label)
		}
	}
	return all
}
