package rule

import (
	"fmt"
	"hash/fnv"
	"strconv"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// When an NFO has a count but no date, Kodi writes the current time at every
// scan and refresh (seen with Kodi 20.1). That looks like a playback that has
// just ended. What tells the two apart is that Kodi reads an NFO only when it
// inserts an item.

// inserted reports that the file's item is new, or was inserted again, since
// the last reading. A file without an item has no NFO that was read: what it
// counts was played.
func (g growth) inserted() bool {
	return row(g.file) != 0 && (g.unknown || g.old.Bare || rows(g.file) != g.old.Rows)
}

// rows sums up Kodi's ids of all items in a file and the rows of their default
// identifiers. A refresh of any of them changes it; often also when the item
// keeps its id, because its identifiers get new rows.
func rows(f library.File) uint32 {
	var room [64]byte
	sum := fnv.New32a()
	for _, i := range f.Items {
		line := append(strconv.AppendInt(room[:0], i.KodiID, 10), ' ')
		sum.Write(append(strconv.AppendInt(line, i.IDRow, 10), '\n'))
	}
	return sum.Sum32()
}

// doubt holds what may come from an NFO.
func (r *reading) doubt(g growth, v ruling) ruling {
	if !v.played() || !g.inserted() {
		return v
	}
	since := r.say(r.good)
	switch {
	case !g.unknown:
		v.class, v.note = viewing.ClassReview, fmt.Sprintf(
			"This file's NFO was read again since the reading of %s. The count of %d may come from there, not from a playback.", since, g.to)
	case v.when.Time().Sub(r.good) < half(g.file):
		v.class, v.note = viewing.ClassBackdated, fmt.Sprintf(
			"The file is new in the library, with a count of %d and less time to play it than half its running time: most likely its NFO says so.", g.to)
	default:
		v.class, v.note = viewing.ClassReview, fmt.Sprintf(
			"The file is new in the library, with a count of %d: it was played since the reading of %s, or its NFO says so.", g.to, since)
	}
	return v
}

// gone notes files that are no longer there: if one comes back, Kodi has
// inserted it again.
func (r *reading) gone() {
	if r.met == len(r.known.files) {
		return
	}
	for path, rec := range r.known.files {
		if !rec.Bare && !r.seen[path] {
			rec.Bare = true
			r.files[path] = rec
		}
	}
}

// showMark reports what "mark as watched" of a whole show leaves behind: Kodi
// counts a file once for each episode in it (seen with Kodi 20.1).
func (g growth) showMark() bool {
	n := len(mediaOf(g.file))
	return n > 1 && g.from == 0 && g.to == n
}

// holdShowMarks holds a file of several episodes that was marked with its
// show when nothing else was: it may have been played as often, too.
func (r *reading) holdShowMarks() {
	for _, f := range r.found {
		if !f.settled && !f.seen && f.played() && f.showMark() {
			f.class, f.note = viewing.ClassReview, fmt.Sprintf(
				"The count went from 0 to %d, the number of episodes in the file: marked with its show, or played as often.", f.to)
		}
	}
}
