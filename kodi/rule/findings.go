package rule

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// finding is a growth that becomes a viewing.
type finding struct {
	growth
	ruling
	media   []viewing.Media
	id      string // the event's
	key     string // identity
	sameAs  string
	wall    int64 // Kodi's time in ms as if it were UTC
	first   int   // place of the first item in the file
	settled bool  // ruled on before: neither bulk nor one sitting any more
	unseen  bool  // it may be a playback, or what an add-on wrote
}

// find adds a finding.
func (r *reading) find(g growth, v ruling) {
	media := r.trusted(g.file)
	f := &finding{growth: g, ruling: v, media: media, key: identity(media, g.file.Path)}
	if w, ok := parseWall(g.file.LastPlayed); ok {
		f.wall = w.UnixMilli()
	}
	if v.byAct {
		f.wall = v.when.Millis + int64(offsetIn(r.zone, v.when.Time()))*1000
	}
	r.found = append(r.found, f)
}

// move notes a file whose time moved, as a witness of what happened then.
func (r *reading) move(f library.File, old record) {
	if f.LastPlayed == old.Text {
		return
	}
	w, ok := parseWall(f.LastPlayed)
	if !ok || w.midnight() {
		return
	}
	g := growth{file: f, old: old, from: old.base(), to: f.PlayCount}
	r.moved = append(r.moved, &finding{growth: g, key: identity(r.trusted(f), f.Path), wall: w.UnixMilli()})
}

// chain is the longest gap between two marks of one act: Kodi marks a whole
// show in one transaction, mostly within one second.
const chain = 2 * time.Second

// findBulk reclasses what was marked in one act: times of different items that
// follow each other within two seconds by Kodi's own clock, whether the counts
// of all of them grew or not. The act may have begun in the reading before: what
// that handed over is amended.
func (r *reading) findBulk() {
	before := &finding{key: r.Meta.Last.Key, wall: r.Meta.Last.Wall, ruling: ruling{class: viewing.ClassLive}}
	act := []*finding{before}
	for _, f := range r.ends() {
		if apart(f.wall, act[len(act)-1].wall) > chain {
			r.endAct(act, before)
			act = nil
		}
		act = append(act, f)
		if f.played() {
			r.last = f
		}
	}
	r.endAct(act, before)
}

// endAct marks an act as bulk if it is one, and amends what the reading before
// handed over as the beginning of it.
func (r *reading) endAct(act []*finding, before *finding) {
	if markBulk(act) && act[0] == before {
		r.amendBulk(r.Meta.Last)
	}
}

func (r *reading) amendBulk(last lastEnd) {
	rec, changed := r.files[last.Path]
	if !changed {
		rec = r.known.files[last.Path].clone()
	}
	for i := range rec.Events {
		e := &rec.Events[i]
		if e.ID == last.ID && !e.Gone && (ruling{class: e.Class}).played() {
			e.Class = viewing.ClassBulk
			r.files[last.Path] = rec
			r.Amendments = append(r.Amendments, viewing.Amendment{EventID: e.ID, Class: viewing.ClassBulk, Reason: viewing.Say("note.bulk")})
		}
	}
}

// ends are the findings that may be playbacks and the files whose time moved,
// in the order of Kodi's times. What was seen to be played is no part of an act.
func (r *reading) ends() []*finding {
	all, seen := slices.Clone(r.moved), map[string]bool{}
	for _, f := range r.found {
		if seen[f.file.Path] = f.seen; !f.settled && f.played() {
			all = append(all, f)
		}
	}
	all = slices.DeleteFunc(all, func(f *finding) bool { return seen[f.file.Path] })
	slices.SortStableFunc(all, func(a, b *finding) int { return cmp.Compare(a.wall, b.wall) })
	return all
}

func byTime(a, b *finding) int {
	return cmp.Or(cmp.Compare(a.when.Millis, b.when.Millis), cmp.Compare(a.file.Path, b.file.Path))
}

// bulkNote says why something is bulk.
const bulkNote = "Several items ended within two seconds of each other: they were marked or imported, and at most one of them was played."

// grew reports a count that went up, or what was handed over by the reading before.
func (f *finding) grew() bool { return f.played() || f.to > f.from }

// regrew reports a count that fell, or was made anew with its item, and then
// grew unseen: a playback that was skipped leaves it as it was.
func (f *finding) regrew() bool { return f.to > 0 && (f.to < f.from || f.inserted()) }

// markBulk marks what grew in an act, if that was more than one playback: two
// items grew, or one grew and the times of two others moved. One that moved
// alone is a playback that was skipped.
func markBulk(act []*finding) bool {
	grown, moved, seconds := map[string]bool{}, map[string]bool{}, map[int64]bool{}
	for _, f := range act {
		seconds[f.wall] = seconds[f.wall] || f.grew()
	}
	for _, f := range act {
		if f.grew() || f.regrew() || f.to > 0 && seconds[f.wall] {
			grown[f.key] = true
		} else {
			moved[f.key] = true
		}
	}
	maps.DeleteFunc(moved, func(key string, _ bool) bool { return grown[key] })
	if len(grown) == 0 || len(grown) == 1 && len(moved) < 2 {
		return false
	}
	for _, f := range act {
		if f.played() {
			f.class, f.note = viewing.ClassBulk, bulkNote
		}
	}
	return true
}

// gathering is how many items that got a count without a time in one reading
// are one act: a season that was marked by another program.
const gathering = 3

// gatherUntimed makes one bulk of many counts without a time.
func (r *reading) gatherUntimed() {
	items := map[string]bool{}
	for _, f := range r.found {
		items[f.key] = items[f.key] || f.untimed
	}
	maps.DeleteFunc(items, func(_ string, untimed bool) bool { return !untimed })
	if len(items) < gathering {
		return
	}
	for _, f := range r.found {
		if f.untimed {
			f.class = viewing.ClassBulk
			f.note += fmt.Sprintf(" %d items were changed so at once.", len(items))
		}
	}
}

// findSittings joins a finding to an earlier event when both are one sitting:
// half the running time must lie between two ends of an item over all its
// files, and between a count going down and growing again.
func (r *reading) findSittings() {
	r.name()
	ends := r.knownEnds()
	for _, f := range r.found {
		switch {
		case f.settled:
		case f.again:
			r.joinRegrown(f)
		case f.unseen, f.class != viewing.ClassReview && f.class != viewing.ClassBackdated:
			f.join(ends, r.files[f.file.Path].Events)
		}
		ends.add(f.event())
	}
}

// name orders the findings by time and gives each its event id, which holds
// for good: by library, path, time, count and how many events the file has
// had.
func (r *reading) name() {
	slices.SortStableFunc(r.found, byTime)
	made := map[string]int{}
	for _, f := range r.found {
		path := f.file.Path
		serial := r.files[path].Serial + made[path]
		made[path]++
		f.id = eventID(r.Meta.ID, path, f.when.Text, f.to, serial)
	}
}

// note adds an event where it names an item that is asked for.
func (x index) note(e event) {
	for key := range strings.SplitSeq(e.Key, "|") {
		if all, asked := x[key]; asked {
			x[key] = append(all, e)
		}
	}
}

// eventID names an event for good. Paths are long and private, so it is a
// hash.
func eventID(library, path, text string, to, serial int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d\x00%d", path, text, to, serial))
	return library + "-" + hex.EncodeToString(sum[:16])
}

// index finds events by each item they name.
type index map[string][]event

func (x index) add(e event) {
	for key := range strings.SplitSeq(e.Key, "|") {
		x[key] = append(x[key], e)
	}
}

// knownEnds are the events about what was found.
func (r *reading) knownEnds() index {
	ends := index{}
	for _, f := range r.found {
		for key := range strings.SplitSeq(f.key, "|") {
			ends[key] = nil
		}
	}
	if len(ends) == 0 {
		return ends
	}
	for path, rec := range r.known.files {
		if changed, ok := r.files[path]; ok {
			rec = changed
		}
		for _, e := range rec.Events {
			if !e.Gone && !e.old(r.now) {
				ends.note(e)
			}
		}
	}
	return ends
}

// copyMargin is how long it takes at least to begin another copy of an item.
const copyMargin = 5 * time.Second

// join looks for the nearest end of the same item that is too near, or of the
// same file, whatever it was called then. Another copy cannot have been played
// from its beginning within the running time. An end that waits for a person
// cannot stand for a playback.
func (f *finding) join(ends index, file []event) {
	first, _, _ := strings.Cut(f.key, "|")
	nearest := 2*half(f.file) + copyMargin
	own := func(e event) bool { return slices.ContainsFunc(file, func(o event) bool { return o.ID == e.ID }) }
	same := slices.DeleteFunc(slices.Clone(file), func(e event) bool { return e.Gone })
	for i, e := range slices.Concat(same, ends[first]) {
		played := ruling{class: e.Class}.played()
		d := apart(f.when.Millis, e.When.Millis)
		within := !f.began.IsZero() && e.When.Millis >= f.began.UnixMilli() && own(e) // marked while it was played
		if d >= half(f.file) && own(e) && !within {
			continue
		}
		if (within || d < nearest) && (i < len(same) || covers(e.Key, f.key)) && (played || e.Class == f.event().Class) {
			nearest, f.sameAs = d, e.first()
		}
	}
	if f.sameAs != "" {
		f.note = "Less than half the running time from another end of the same item: one sitting. " + f.note
	}
}

// joinRegrown joins a count that was taken back and set again to the event it
// came from; without one, a person must look.
func (r *reading) joinRegrown(f *finding) {
	for _, e := range r.files[f.file.Path].Events {
		if !e.Gone {
			f.sameAs = e.first()
		}
	}
	if f.sameAs != "" || !f.seen {
		f.note = "The count was taken back and set again within half the running time: no new playback."
	}
	if f.sameAs == "" && !f.seen {
		f.class, f.unsure = viewing.ClassReview, true
	}
}

// handOver makes viewings of the findings, in the order they happened, and
// remembers them as events.
func (r *reading) handOver() {
	for _, f := range r.found {
		r.Viewings = append(r.Viewings, f.viewing())
		rec := r.files[f.file.Path]
		e := f.event()
		e.Seen = r.now.UnixMilli()
		rec.Serial++
		rec.add(e, r.now)
		r.files[f.file.Path] = rec
		if f == r.last {
			r.Meta.Last = lastEnd{Key: f.key, Wall: f.wall, ID: e.first(), Path: f.file.Path}
		}
	}
}

// event is the finding as it is remembered.
func (f *finding) event() event {
	return event{
		ID: f.id, When: f.when, Count: f.to, Class: f.class, Key: f.key, Items: len(f.media), From: f.first,
		Row: row(f.file), Same: f.sameAs, Played: f.seen,
	}
}

// viewing is the finding in the shared vocabulary.
func (f *finding) viewing() viewing.Event {
	v := viewing.Event{
		Kind: viewing.KindViewing, EventID: f.id, Media: f.media, WatchedAt: f.when, Count: 1,
		Class: f.class, SameAs: f.sameAs, Unsure: f.unsure || f.clockless(),
	}
	v.Origin = origin(f.file)
	v.Origin.Note = f.note
	return v
}

// clockless reports a time that is none, or of a machine whose clock was not
// set. What followed from an earlier event has the time of that.
func (f *finding) clockless() bool {
	w, ok := parseWall(f.file.LastPlayed)
	return !f.settled && !f.seen && !f.byAct && (!ok || w.Year() <= noClock)
}

// maxLabels and maxLabel bound the genres and the tags of one viewing.
const (
	maxLabels = 50
	maxLabel  = 200
)

// origin is where a file lies and what the library says of it, extras left
// out: the user's filters go by it.
func origin(f library.File) viewing.Origin {
	o := viewing.Origin{
		Site: "kodi", Path: validText(f.Path, maxPath), Folder: validText(f.Folder, maxPath), Runtime: int(f.Duration / time.Second),
	}
	for _, i := range f.Items {
		if !i.Extra {
			o.Genres, o.Tags = withLabels(o.Genres, i.Genres), withLabels(o.Tags, i.Tags)
		}
	}
	return o
}

// withLabels adds what is not there yet.
func withLabels(all, more []string) []string {
	for _, label := range more {
		label = validText(label, maxLabel)
		if label != "" && len(all) < maxLabels && !slices.Contains(all, label) {
			all = append(all, label)
		}
	}
	return all
}
