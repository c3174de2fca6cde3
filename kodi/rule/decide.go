package rule

import (
	"cmp"
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
	watchlist map[string]*added // likewise; nil is forgotten
}

// Decide compares a reading with what was known and gives what follows. It
// changes nothing, and the same arguments give the same verdict.
func Decide(known *Memory, snap library.Snapshot, now time.Time, z Environment) Verdict {
	r := newReading(known, snap, now, z)
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
	r.holdShowMarks()
	r.holdUnseen()
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
	zone        *time.Location // in which Kodi is believed to write
	silent      bool           // falling counts are believed to be no one's act
	seen        map[string]bool
	met         int // how many of them were known
	found       []*finding
	last        *finding   // the last end that may be a playback
	moved       []*finding // files whose time moved; handed over only if they were found as well
	Verdict
}

func newReading(known *Memory, snap library.Snapshot, now time.Time, z Environment) *reading {
	r := &reading{
		known: known, snap: snap, now: now, environment: z, good: time.UnixMilli(known.Meta.GoodAt),
		seen: make(map[string]bool, len(snap.Files)),
	}
	r.zone, r.since = z.expected(), r.notBefore()
	r.files = map[string]record{}
	r.Meta = known.Meta
	r.Meta.GoodAt = now.UnixMilli()
	r.Meta.Database = snap.Path
	r.Meta.Watched = countWatched(snap)
	r.silent = known.Meta.Database != snap.Path
	return r
}

// notBefore is the earliest end of a playback that is found by this reading
// and not by the one before: Kodi writes it within seconds.
func (r *reading) notBefore() time.Time {
	if r.snap.Written.IsZero() {
		return r.good.Add(-slack)
	}
	return latest(r.good, earliest(r.snap.Written, r.now)).Add(-late)
}

// baseline takes everything as it is: nothing is handed over.
func (r *reading) baseline() {
	for _, f := range r.snap.Files {
		if counts(f) {
			r.files[f.Path] = r.remember(record{}, f)
		}
	}
}

func countWatched(snap library.Snapshot) (n int) {
	for _, f := range snap.Files {
		if f.PlayCount > 0 && counts(f) {
			n++
		}
	}
	return n
}

// file compares one file.
func (r *reading) file(f library.File) {
	if !counts(f) || r.seen[f.Path] {
		return
	}
	r.seen[f.Path] = true
	old, known := r.known.files[f.Path]
	if known {
		r.met++
	}
	if known && old.still(f) {
		return
	}
	next := r.remember(old.clone(), f)
	if known {
		r.move(f, old)
	}
	switch {
	case !known:
		next.Count = f.PlayCount
		r.unknown(f)
	case f.PlayCount > old.base():
		r.grown(f, old, &next)
	case f.PlayCount < old.base():
		r.fallen(f, old, &next)
	}
	next.Whole = old.whole(f)
	r.rename(f, &next)
	r.withdraw(f, &next)
	if !known || !next.equal(old) {
		r.files[f.Path] = next
	}
}

// still reports a file of which nothing has changed and nothing is open.
func (r *record) still(f library.File) bool {
	id := row(f)
	return f.PlayCount == r.base() && f.LastPlayed == r.Text && len(r.Events) == 0 && r.Bare == (id == 0) &&
		(id == 0 || id == r.Row && rows(f) == r.Rows) && r.Whole == r.whole(f)
}

// whole is the time that came with the count of a file: a playback that did
// not reach its end, or a refresh, moves the time alone.
func (r record) whole(f library.File) string {
	switch {
	case f.PlayCount > r.base() && f.LastPlayed == r.Text && r.Text != "":
		return untold
	case f.PlayCount < 1 || f.PlayCount != r.base():
		return ""
	case f.LastPlayed == r.Text:
		return r.Whole
	default:
		return cmp.Or(r.Whole, r.Text, untold)
	}
}

// untold stands for a count that came without a time.
const untold = "none"

// remember takes in the time of a file. The mark only rises, and never to a
// time that no zone could explain.
func (r *reading) remember(rec record, f library.File) record {
	if r.known.Meta.GoodAt == 0 {
		rec.Count = f.PlayCount
	}
	if id := row(f); id != 0 {
		rec.Row, rec.Rows = id, rows(f)
	}
	rec.Bare = row(f) == 0
	oldText := rec.Text
	if f.LastPlayed == oldText {
		return rec
	}
	rec.Text = f.LastPlayed
	if w, ok := parseWall(f.LastPlayed); ok {
		at := w.nearest(r.zone, r.good, r.now).at
		if at.UnixMilli() > rec.Mark && at.Before(r.now.Add(farFuture)) {
			rec.Mark, rec.MarkText = at.UnixMilli(), ""
			return rec
		}
	}
	if rec.MarkText == "" {
		rec.MarkText = oldText // the mark stays with the text it came from
	}
	return rec
}

// unknown looks at a path that is new. What it brings along was watched
// before we knew it, unless it was played since the last reading.
func (r *reading) unknown(f library.File) {
	w, ok := parseWall(f.LastPlayed)
	if f.PlayCount == 0 || !ok || w.midnight() {
		return
	}
	g := growth{file: f, to: f.PlayCount, unknown: true}
	v := r.hear(g, r.doubt(g, r.judge(g)))
	later := v.when.Time().After(r.good.Add(-slack))
	if later || v.class == viewing.ClassLive {
		r.find(g, v)
		r.move(f, record{}) // it may have been marked together with others
	}
}

// grown looks at a count that went up.
func (r *reading) grown(f library.File, old record, next *record) {
	g := growth{file: f, old: old, from: old.base(), to: f.PlayCount}
	v := r.hear(g, r.doubt(g, r.judge(g)))
	if old.Frozen {
		r.thawed(g, v, next)
		return
	}
	next.Count = f.PlayCount
	if old.DownAt > 0 && !g.inserted() { // an NFO changes no one's mind
		g.again = r.setAgain(g, v)
		next.DownAt = 0
		r.undo(next, func(e event) bool { return g.again && e.Count <= f.PlayCount })
	}
	r.find(g, v)
}

// setAgain reports a count that was taken back only a moment before it grew.
// When its time stayed, it grew at some moment up to now.
func (r *reading) setAgain(g growth, v ruling) bool {
	at := v.when.Millis
	if g.unchanged() {
		at = r.now.UnixMilli()
	}
	return apart(at, g.old.DownAt) < half(g.file)
}

// thawed looks at a count that had fallen with many others. Mostly it only
// comes back to where it was.
func (r *reading) thawed(g growth, v ruling, next *record) {
	next.Low = g.to
	if g.to >= g.old.Count {
		next.Frozen, next.Low, next.Count = false, 0, g.to
	}
	back := r.restored(g)
	if v.seen || v.byAct {
		r.find(g, v)
		return
	}
	if back && (v.class != viewing.ClassLive || g.file.LastPlayed == g.old.MarkText) {
		return
	}
	if back || v.class == viewing.ClassCatchUp { // an old time may look like this minute in some zone
		v.class, v.unsure, v.note = viewing.ClassReview, v.unsure || back, "The count came back with a new time after it had fallen with many others: a person must look."
	}
	r.find(g, v)
}

// restored reports a count that only came back to where it was.
func (r *reading) restored(g growth) bool {
	w, ok := parseWall(g.file.LastPlayed)
	if g.to > g.old.Count {
		return false
	}
	return !ok || w.midnight() || g.unchanged() || w.nearest(r.zone, r.good, r.now).at.UnixMilli() <= g.old.Mark
}

// fallen looks at a count that went down. The count follows, the mark does
// not; a viewing whose growth was taken back is withdrawn after a while.
func (r *reading) fallen(f library.File, old record, next *record) {
	if r.silent || old.Frozen {
		next.Frozen, next.Low = true, f.PlayCount
		return
	}
	next.Count = f.PlayCount
	if f.PlayCount > 0 && r.playedSince(f, old) {
		next.DownAt = 0
		r.find(growth{file: f, old: old, from: old.Count, to: f.PlayCount}, ruling{
			class: viewing.ClassReview, when: r.instant(f), note: "The count fell but the time is new: it may have been played in a library that was rebuilt meanwhile, or Kodi has read its NFO again.",
		})
		return
	}
	rebuilt := row(f) == 0 || row(f) != old.Row
	restored := f.LastPlayed != "" && f.LastPlayed != old.Text
	if rebuilt || restored {
		return // by Kodi or from a backup: nobody took anything back
	}
	next.DownAt = r.now.UnixMilli()
	for i := range next.Events {
		e := &next.Events[i]
		if e.Taken || e.Played || e.Count <= f.PlayCount || e.Row != row(f) {
			continue
		}
		e.Taken = true
		r.postpone(*e, r.now.Add(undecided), viewing.Say("note.waitsBack"))
	}
}

// undecided is how long what was taken back may not leave, unless it is decided
// before: longer than half of any running time.
const undecided = 24 * time.Hour

// postpone says anew when an event may leave. One that is a further sighting
// made no entry.
func (r *reading) postpone(e event, until time.Time, reason viewing.Message) {
	if e.Same == "" && !e.Gone {
		r.Amendments = append(r.Amendments, viewing.Amendment{EventID: e.ID, NotBefore: until.UnixMilli(), Reason: reason})
	}
}

// playedSince reports a new time that lies after the last good reading.
func (r *reading) playedSince(f library.File, old record) bool {
	w, ok := parseWall(f.LastPlayed)
	if !ok || w.midnight() || f.LastPlayed == old.Text {
		return false
	}
	return distance(w.nearest(r.zone, r.good, r.now).at, r.good, r.now) <= slack
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
			r.postpone(*e, r.now, viewing.Say("note.setCount"))
		default:
			e.Taken, e.Gone = false, true
			r.Amendments = append(r.Amendments, viewing.Amendment{
				EventID: e.ID, Drop: true,
				Reason: viewing.Say("note.tookBack"),
			})
		}
	}
}

// withdraw drops what stayed taken back for half the running time; until then
// a second change of mind costs nothing.
func (r *reading) withdraw(f library.File, next *record) {
	if !slices.ContainsFunc(next.Events, func(e event) bool { return e.Taken }) {
		return
	}
	due := time.UnixMilli(next.DownAt).Add(half(f))
	if !r.now.Before(due) {
		r.undo(next, func(event) bool { return false })
	} else if r.Wake.IsZero() || due.Before(r.Wake) {
		r.Wake = due
	}
}
