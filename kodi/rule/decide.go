package rule

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Verdict is the result of one read: the viewings to submit and the changes of the memory.
type Verdict struct {
	Viewings   []viewing.Event // in the order they happened
	Amendments []viewing.Amendment
	Meta       Meta
	Wake       time.Time // when to read again even without a change; zero: never

	files map[string]record    // only those that changed
	added map[string]addedItem // only those that changed
}

// Decide compares a snapshot with the memory and returns the verdict. It changes nothing,
// and the same arguments give the same verdict.
func Decide(memory *Memory, snap library.Snapshot, now time.Time, e Environment) Verdict {
	r := newReading(memory, snap, now, e)
	if memory.Meta.VerifiedAt == 0 {
		r.baseline()
		return r.Verdict
	}
	r.updateGuard()
	for _, f := range snap.Files {
		r.compareFile(f)
	}
	r.markMissing()
	r.findBulk()
	r.findUntimedBulk()
	r.joinSittings()
	r.submit()
	return r.Verdict
}

// reading compares one snapshot with the memory and collects the verdict.
type reading struct {
	memory      *Memory
	snap        library.Snapshot
	now         time.Time
	lastRead    time.Time // time of the last successful read
	liveFrom    time.Time // earliest end of a playback of class "live"
	environment Environment
	zone        *time.Location  // zone of the times that Kodi writes
	freezeFalls bool            // counts that fall are not the user's doing
	seen        map[string]bool // paths compared so far
	changes     []*change
	accepted    []*change // changes that become viewings, in the order they happened
	lastChange  *change   // the last one that counts as played
	Verdict
}

// newReading prepares the comparison and counts the watched files.
func newReading(memory *Memory, snap library.Snapshot, now time.Time, e Environment) *reading {
	r := &reading{
		memory: memory, snap: snap, now: now, environment: e, zone: e.Zone, lastRead: time.UnixMilli(memory.Meta.VerifiedAt),
		seen: make(map[string]bool, len(snap.Files)), freezeFalls: memory.Meta.Database != snap.Path,
		Verdict: Verdict{Meta: memory.Meta, files: map[string]record{}},
	}
	// Kodi writes a playback within seconds of its end.
	if r.liveFrom = r.lastRead.Add(-clockSlack); !snap.Written.IsZero() {
		r.liveFrom = time.UnixMilli(max(memory.Meta.VerifiedAt, min(snap.Written.UnixMilli(), now.UnixMilli()))).Add(-writeDelay)
	}
	r.Meta.VerifiedAt, r.Meta.Database, r.Meta.Watched = now.UnixMilli(), snap.Path, 0
	for _, f := range snap.Files {
		if f.PlayCount > 0 && isTracked(f) {
			r.Meta.Watched++
		}
	}
	return r
}

// readRecently reports whether the last successful read is less than two minutes old.
func (r *reading) readRecently() bool {
	gap := r.now.Sub(r.lastRead)
	return gap >= 0 && gap < liveGap
}

// baseline stores all files without making viewings.
func (r *reading) baseline() {
	for _, f := range r.snap.Files {
		if isTracked(f) {
			r.files[f.Path] = r.updateRecord(record{}, f)
		}
	}
}

// compareFile compares a file with its record and collects the change.
func (r *reading) compareFile(f library.File) {
	if !isTracked(f) || r.seen[f.Path] {
		return
	}
	r.seen[f.Path] = true
	old, known := r.memory.files[f.Path]
	if known && old.isUnchanged(f) {
		return
	}
	c, next := r.newChange(f, old, !known), r.updateRecord(old.clone(), f)
	r.changes = append(r.changes, c)
	switch {
	case c.newCount > c.oldCount:
		r.handleIncrease(c, &next)
	case c.newCount < c.oldCount:
		r.handleDecrease(c, &next)
	}
	r.updateIdentity(f, &next)
	r.withdrawTakenBack(f, &next)
	if !known || !reflect.DeepEqual(next, old) {
		r.files[f.Path] = next
	}
}

// isUnchanged reports whether the file equals its record and no event can still be amended.
func (r *record) isUnchanged(f library.File) bool {
	id := firstItemID(f)
	return f.PlayCount == r.Count && f.LastPlayed == r.LastPlayed && len(r.Events) == 0 && r.NoItem == (id == 0) &&
		(id == 0 || id == r.FirstItem && itemsHash(f) == r.ItemsHash)
}

// updateRecord returns the record with the values of the file. The latest time only rises, and
// ignores times more than 14 hours ahead, which no zone explains.
func (r *reading) updateRecord(rec record, f library.File) record {
	rec.CountedAt = rec.countedAt(f)
	rec.Count = f.PlayCount
	if id := firstItemID(f); id != 0 {
		rec.FirstItem, rec.ItemsHash = id, itemsHash(f)
	}
	rec.NoItem = firstItemID(f) == 0
	rec.LastPlayed = f.LastPlayed
	if w, ok := parseWall(f.LastPlayed); ok {
		if at := r.resolve(w); at.Before(r.now.Add(farFuture)) {
			rec.Latest = max(rec.Latest, at.UnixMilli())
		}
	}
	return rec
}

// countedAt returns the time at which the count rose if the file now shows another one. An
// unfinished playback or a refresh changes the time without the count.
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

// noTime marks a count that rose without a new time.
const noTime = "none"

// markMissing marks files that are missing in this snapshot: a file that comes back was
// inserted again.
func (r *reading) markMissing() {
	for path, rec := range r.memory.files {
		if !rec.NoItem && !r.seen[path] {
			rec.NoItem = true
			r.files[path] = rec
		}
	}
}

// handleIncrease classifies a count that rose. The count of a new path is a baseline unless
// the file was played since the last read.
func (r *reading) handleIncrease(c *change, next *record) {
	r.classify(c)
	switch {
	case c.isNew && (c.untimed || c.when.Precision == viewing.Day || !c.when.Time().After(r.lastRead.Add(-clockSlack))):
		c.class = ""
	case c.old.FrozenCount > 0:
		if c.newCount >= c.old.FrozenCount {
			next.FrozenCount = 0
		}
		r.handleFrozenIncrease(c)
	case c.old.FellAt > 0 && !c.isInserted(): // a count from an NFO does not undo what the user unmarked
		c.setAgain = r.isSetAgain(c)
		next.FellAt = 0
		r.resolveTakenBack(next, func(e event) bool { return c.setAgain && e.Count <= c.newCount })
	}
}

// isSetAgain reports whether the count fell less than half the running time before it rose.
// If the file's time did not change, the count may have risen at any moment until now.
func (r *reading) isSetAgain(c *change) bool {
	at := c.when.Millis
	if c.file.LastPlayed == c.old.LastPlayed {
		at = r.now.UnixMilli()
	}
	return timeBetween(at, c.old.FellAt) < halfRuntime(c.file)
}

// handleFrozenIncrease classifies a rise of a count that had fallen with many others. A rise to
// the old count restores it and makes no viewing.
func (r *reading) handleFrozenIncrease(c *change) {
	w, ok := parseWall(c.file.LastPlayed)
	isOldTime := !ok || w.isMidnight() || c.file.LastPlayed == c.old.LastPlayed || r.resolve(w).UnixMilli() <= c.old.Latest
	switch {
	case !c.update.At.IsZero():
	case isOldTime && c.newCount <= c.old.FrozenCount:
		c.class = ""
	case c.class == viewing.ClassCatchUp:
		c.class, c.note = viewing.ClassReview, r.noteFor(c, "cameBack")
	}
}

// handleDecrease handles a count that fell. It schedules the withdrawal of the viewings that the
// count had made, unless the fall comes from a rebuilt or restored library. A new time since the
// last read makes a viewing for review.
func (r *reading) handleDecrease(c *change, next *record) {
	w, ok := parseWall(c.file.LastPlayed)
	moved := c.file.LastPlayed != c.old.LastPlayed
	recent := ok && moved && !w.isMidnight() && distanceOutside(r.resolve(w), r.lastRead, r.now) <= clockSlack
	switch {
	case r.freezeFalls || c.old.FrozenCount > 0:
		next.FrozenCount = cmp.Or(c.old.FrozenCount, c.old.Count)
	case c.newCount > 0 && recent:
		next.FellAt = 0
		c.class, c.when, c.note = viewing.ClassReview, r.watchedAt(c.file), r.noteFor(c, "fell")
	case firstItemID(c.file) == 0 || firstItemID(c.file) != c.old.FirstItem, c.file.LastPlayed != "" && moved:
		// Kodi made the item again, or a backup was restored: the user unmarked nothing.
	default:
		next.FellAt = r.now.UnixMilli()
		for i := range next.Events {
			e := &next.Events[i]
			if !e.TakenBack && !e.Played && e.Count > c.newCount && e.FirstItem == firstItemID(c.file) {
				e.TakenBack = true
				r.postpone(*e, r.now.Add(maxPostpone), "note.waitsBack")
			}
		}
	}
}

// maxPostpone is how long a viewing is postponed after its count fell, unless it is withdrawn or
// confirmed earlier. It is longer than half of any running time.
const maxPostpone = 24 * time.Hour

// postpone sets the earliest time at which an event may be sent. Further sightings have no entry.
func (r *reading) postpone(e event, until time.Time, reason string) {
	if e.SameAs == "" && !e.Withdrawn {
		r.Amendments = append(r.Amendments, viewing.Amendment{EventID: e.ID, NotBefore: until.UnixMilli(), Reason: viewing.Say(reason)})
	}
}

// resolveTakenBack ends the postponement of events: those that keep accepts may be sent, the
// others are withdrawn.
func (r *reading) resolveTakenBack(next *record, keep func(event) bool) {
	for i := range next.Events {
		e := &next.Events[i]
		switch {
		case !e.TakenBack:
		case keep(*e):
			e.TakenBack = false
			r.postpone(*e, r.now, "note.setCount")
		default:
			e.TakenBack, e.Withdrawn = false, true
			r.Amendments = append(r.Amendments, viewing.Amendment{EventID: e.ID, Drop: true, Reason: viewing.Say("note.tookBack")})
		}
	}
}

// withdrawTakenBack withdraws events whose count fell more than half the running time ago. Until
// then the user can mark the file again without losing the viewing.
func (r *reading) withdrawTakenBack(f library.File, next *record) {
	if !slices.ContainsFunc(next.Events, func(e event) bool { return e.TakenBack }) {
		return
	}
	due := time.UnixMilli(next.FellAt).Add(halfRuntime(f))
	if !r.now.Before(due) {
		r.resolveTakenBack(next, func(event) bool { return false })
	} else {
		r.wakeAt(due)
	}
}

// wakeAt schedules a read at due or earlier.
func (r *reading) wakeAt(due time.Time) {
	if r.Wake.IsZero() || due.Before(r.Wake) {
		r.Wake = due
	}
}
