package rule

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Verdict is what follows from one reading: what to hand over, and what is
// known afterwards.
type Verdict struct {
	Viewings   []viewing.Event // in the order they happened
	Amendments []viewing.Amendment
	Meta       Meta
	Wake       time.Time // when to look again though nothing changes; zero: never

	files     map[string]record // only those that changed
	watchlist map[string]added  // likewise
}

// Decide compares a reading with what was known and gives what follows. It
// changes nothing, and the same arguments give the same verdict.
func Decide(known *Memory, snap library.Snapshot, now time.Time, e Environment) Verdict {
	r := newReading(known, snap, now, e)
	if known.Meta.GoodAt == 0 {
		r.baseline()
		return r.Verdict
	}
	r.watchForWipe()
	for _, f := range snap.Files {
		r.file(f)
	}
	r.gone()
	r.findBulk()
	r.gatherUntimed()
	r.findSittings()
	r.handOver()
	return r.Verdict
}

// reading is one comparison on its way to a verdict.
type reading struct {
	known       *Memory
	snap        library.Snapshot
	now         time.Time
	good        time.Time // the last good reading
	since       time.Time // what was played just now did not end before
	environment Environment
	zone        *time.Location  // in which Kodi is believed to write
	silent      bool            // falling counts are believed to be no one's act
	seen        map[string]bool // paths
	changes     []*change
	found       []*change // those that become viewings, in the order they happened
	last        *change   // the last that counts as played
	Verdict
}

func newReading(known *Memory, snap library.Snapshot, now time.Time, e Environment) *reading {
	r := &reading{
		known: known, snap: snap, now: now, environment: e, zone: e.Zone, good: time.UnixMilli(known.Meta.GoodAt),
		seen: make(map[string]bool, len(snap.Files)), silent: known.Meta.Database != snap.Path,
		Verdict: Verdict{Meta: known.Meta, files: map[string]record{}},
	}
	// Kodi writes a playback within seconds of its end.
	if r.since = r.good.Add(-slack); !snap.Written.IsZero() {
		r.since = time.UnixMilli(max(known.Meta.GoodAt, min(snap.Written.UnixMilli(), now.UnixMilli()))).Add(-late)
	}
	r.Meta.GoodAt, r.Meta.Database, r.Meta.Watched = now.UnixMilli(), snap.Path, 0
	for _, f := range snap.Files {
		if f.PlayCount > 0 && counts(f) {
			r.Meta.Watched++
		}
	}
	return r
}

// watching reports that the last good reading is under two minutes old.
func (r *reading) watching() bool {
	gap := r.now.Sub(r.good)
	return gap >= 0 && gap < liveGap
}

// baseline takes everything as it is: nothing is handed over.
func (r *reading) baseline() {
	for _, f := range r.snap.Files {
		if counts(f) {
			r.files[f.Path] = r.remember(record{}, f)
		}
	}
}

// file compares one file.
func (r *reading) file(f library.File) {
	if !counts(f) || r.seen[f.Path] {
		return
	}
	r.seen[f.Path] = true
	old, known := r.known.files[f.Path]
	if known && old.still(f) {
		return
	}
	c, next := r.changeOf(f, old, !known), r.remember(old.clone(), f)
	r.changes = append(r.changes, c)
	switch {
	case c.to > c.from:
		r.grown(c, &next)
	case c.to < c.from:
		r.fallen(c, &next)
	}
	r.rename(f, &next)
	r.withdraw(f, &next)
	if !known || !reflect.DeepEqual(next, old) {
		r.files[f.Path] = next
	}
}

// still reports a file of which nothing has changed and nothing is open.
func (r *record) still(f library.File) bool {
	id := row(f)
	return f.PlayCount == r.Count && f.LastPlayed == r.LastPlayed && len(r.Events) == 0 && r.NoItem == (id == 0) &&
		(id == 0 || id == r.Item && itemsOf(f) == r.Items)
}

// remember takes in a file. The latest time only rises, and never to a time that no zone
// could explain.
func (r *reading) remember(rec record, f library.File) record {
	rec.CountedAt = rec.countedAt(f)
	rec.Count = f.PlayCount
	if id := row(f); id != 0 {
		rec.Item, rec.Items = id, itemsOf(f)
	}
	rec.NoItem = row(f) == 0
	rec.LastPlayed = f.LastPlayed
	if w, ok := parseWall(f.LastPlayed); ok {
		if at := r.at(w); at.Before(r.now.Add(farFuture)) {
			rec.Latest = max(rec.Latest, at.UnixMilli())
		}
	}
	return rec
}

// countedAt is the time that came with the count of a file, where the file shows another:
// a playback that did not reach its end, or a refresh, moves the time alone.
func (r record) countedAt(f library.File) string {
	switch {
	case f.PlayCount > r.Count && f.LastPlayed == r.LastPlayed && r.LastPlayed != "":
		return noTime
	case f.PlayCount < 1 || f.PlayCount != r.Count:
		return ""
	case f.LastPlayed == r.LastPlayed:
		return r.CountedAt
	default:
		return cmp.Or(r.CountedAt, r.LastPlayed, noTime)
	}
}

// noTime stands for a count that came without a time.
const noTime = "none"

// gone notes files that are no longer there: if one comes back, Kodi has
// inserted it again.
func (r *reading) gone() {
	for path, rec := range r.known.files {
		if !rec.NoItem && !r.seen[path] {
			rec.NoItem = true
			r.files[path] = rec
		}
	}
}

// grown looks at a count that went up. What a new path brings along was watched before
// it was known, unless it was played since the last reading.
func (r *reading) grown(c *change, next *record) {
	r.classify(c)
	switch {
	case c.isNew && (c.untimed || c.when.Precision == viewing.Day || !c.when.Time().After(r.good.Add(-slack))):
		c.class = ""
	case c.old.Fallen > 0:
		if c.to >= c.old.Fallen {
			next.Fallen = 0
		}
		r.thaw(c)
	case c.old.FellAt > 0 && !c.inserted(): // an NFO changes no one's mind
		c.setAgain = r.isSetAgain(c)
		next.FellAt = 0
		r.undo(next, func(e event) bool { return c.setAgain && e.Count <= c.to })
	}
}

// isSetAgain reports a count that was taken back only a moment before it grew.
// When its time stayed, it grew at some moment up to now.
func (r *reading) isSetAgain(c *change) bool {
	at := c.when.Millis
	if c.file.LastPlayed == c.old.LastPlayed {
		at = r.now.UnixMilli()
	}
	return apart(at, c.old.FellAt) < half(c.file)
}

// thaw looks at a count that had fallen with many others. Mostly it only comes back to
// where it was, and is no viewing.
func (r *reading) thaw(c *change) {
	w, ok := parseWall(c.file.LastPlayed)
	back := c.to <= c.old.Fallen && (!ok || w.midnight() || c.file.LastPlayed == c.old.LastPlayed || r.at(w).UnixMilli() <= c.old.Latest)
	switch {
	case !c.act.At.IsZero():
	case back:
		c.class = ""
	case c.class == viewing.ClassCatchUp:
		c.class, c.note = viewing.ClassReview, r.say(c, "cameBack")
	}
}

// fallen looks at a count that went down. The count follows, the latest time does
// not; a viewing whose count was taken back is withdrawn after a while.
func (r *reading) fallen(c *change, next *record) {
	w, ok := parseWall(c.file.LastPlayed)
	moved := c.file.LastPlayed != c.old.LastPlayed
	recent := ok && moved && !w.midnight() && distance(r.at(w), r.good, r.now) <= slack
	switch {
	case r.silent || c.old.Fallen > 0:
		next.Fallen = cmp.Or(c.old.Fallen, c.old.Count)
	case c.to > 0 && recent:
		next.FellAt = 0
		c.class, c.when, c.note = viewing.ClassReview, r.instant(c.file), r.say(c, "fell")
	case row(c.file) == 0 || row(c.file) != c.old.Item, c.file.LastPlayed != "" && moved:
		// Kodi made the item again, or a backup was put back: no person took anything back.
	default:
		next.FellAt = r.now.UnixMilli()
		for i := range next.Events {
			e := &next.Events[i]
			if !e.Taken && !e.Played && e.Count > c.to && e.Item == row(c.file) {
				e.Taken = true
				r.postpone(*e, r.now.Add(undecided), "note.waitsBack")
			}
		}
	}
}

// undecided is how long what was taken back may not leave, unless it is decided
// before: longer than half of any running time.
const undecided = 24 * time.Hour

// postpone changes when an event may leave. One that is a further sighting
// made no entry.
func (r *reading) postpone(e event, until time.Time, reason string) {
	if e.Same == "" && !e.Gone {
		r.Amendments = append(r.Amendments, viewing.Amendment{EventID: e.ID, NotBefore: until.UnixMilli(), Reason: viewing.Say(reason)})
	}
}

// undo ends what was taken back: keep says which events stand after all, the
// others are withdrawn.
func (r *reading) undo(next *record, keep func(event) bool) {
	for i := range next.Events {
		e := &next.Events[i]
		switch {
		case !e.Taken:
		case keep(*e):
			e.Taken = false
			r.postpone(*e, r.now, "note.setCount")
		default:
			e.Taken, e.Gone = false, true
			r.Amendments = append(r.Amendments, viewing.Amendment{EventID: e.ID, Drop: true, Reason: viewing.Say("note.tookBack")})
		}
	}
}

// withdraw drops what stayed taken back for half the running time; until then
// a second change of mind costs nothing.
func (r *reading) withdraw(f library.File, next *record) {
	if !slices.ContainsFunc(next.Events, func(e event) bool { return e.Taken }) {
		return
	}
	due := time.UnixMilli(next.FellAt).Add(half(f))
	if !r.now.Before(due) {
		r.undo(next, func(event) bool { return false })
	} else {
		r.wakeAt(due)
	}
}

// wakeAt has the library looked at again then, or before.
func (r *reading) wakeAt(due time.Time) {
	if r.Wake.IsZero() || due.Before(r.Wake) {
		r.Wake = due
	}
}
