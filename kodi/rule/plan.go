package rule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/playback"
	"github.com/filmspool/filmspool/queue/viewing"
)

// PlanOptions says what of a library's past to import.
type PlanOptions struct {
	// Since leaves out what ended before, and what has no known time; zero
	// takes all.
	Since time.Time
	// Has reports whether the service has a viewing already, of something that
	// runs so long (0 when that is unknown); nil when it cannot be asked.
	Has func(m viewing.Media, at viewing.Instant, runtime time.Duration) bool
	// Planned is what imports of other libraries of the same account have
	// planned, by [viewing.Media.Key], and takes what this one plans; nil for a
	// library alone.
	Planned map[string][]viewing.Instant
}

// Past is what a library tells of the time before first contact: the last play
// of every file.
type Past struct {
	r     *reading
	plays []*finding
}

// Plan is what an import of a library would hand over.
type Plan struct {
	Earlier   int // plays before the last one of their file: Kodi keeps no time of them
	Recorded  int // files left out: the queue has heard of their last play
	AtService int // files left out: the service has their last play
	Copies    int // files left out: their last play is another file's too
	Before    int // files left out by the date, or for want of a time

	o        PlanOptions
	r        *reading
	recorded map[string][]viewing.Instant // when items were watched as far as the queue knows, by [viewing.Media.Key]
	ends     index                        // of what is known and of what was planned
	plays    []*finding                   // in the order they happened
}

// Remember gathers the past of a reading, given what is known after it.
func Remember(known *Memory, snap library.Snapshot, now time.Time, z Environment) *Past {
	p := &Past{r: newReading(known, snap, now, z)}
	p.gather()
	return p
}

// Plan plans the import, given when the items of [Past.Keys] were watched.
func (past *Past) Plan(recorded map[string][]viewing.Instant, o PlanOptions) *Plan {
	p := &Plan{o: o, r: past.r, recorded: recorded, ends: index{}}
	for _, rec := range p.r.known.files {
		for _, e := range rec.Events {
			p.ends.add(e)
		}
	}
	holdBulk(past.plays)
	slices.SortStableFunc(past.plays, soonest)
	for _, f := range past.plays {
		p.weigh(f)
	}
	slices.SortStableFunc(p.plays, byTime)
	p.announce()
	return p
}

// Len is how many events the import would hand over.
func (p *Plan) Len() int { return len(p.plays) }

// Viewings are all that would be handed over, in the order they happened.
func (p *Plan) Viewings() []viewing.Event {
	all := make([]viewing.Event, len(p.plays))
	for i, f := range p.plays {
		all[i] = f.viewing()
	}
	return all
}

// gather takes the last play of every file that was watched.
func (p *Past) gather() {
	for _, f := range p.r.snap.Files {
		if !counts(f) || f.PlayCount < 1 || p.r.seen[f.Path] {
			continue
		}
		p.r.seen[f.Path] = true
		old := p.r.known.files[f.Path]
		f.LastPlayed = cmp.Or(old.Whole, f.LastPlayed)
		media := p.r.trusted(f)
		g := growth{file: f, old: old, to: f.PlayCount}
		play := &finding{growth: g, ruling: p.r.past(f), media: media, key: identity(media, f.Path)}
		if w, ok := parseWall(f.LastPlayed); ok && !w.midnight() {
			play.wall = w.UnixMilli()
		}
		p.plays = append(p.plays, play)
	}
}

// past rules on the last play of a file from its time alone.
func (r *reading) past(f library.File) ruling {
	v := ruling{class: viewing.ClassImport, when: r.instant(f)}
	w, ok := parseWall(f.LastPlayed)
	switch {
	case !ok:
		v.class, v.note = viewing.ClassBackdated, fmt.Sprintf(
			"Kodi counts %d, without a time that can be read: the time shown is that of the import. Correct it before it is released.", f.PlayCount)
	case v.when.Begins().After(r.now.Add(slack)):
		v.class, v.note = viewing.ClassBackdated, "Its time lies in the future. Correct it before it is released."
	case w.Year() <= noClock:
		v.class, v.note = viewing.ClassBackdated, "Its time is that of a machine whose clock was not set. Correct it before it is released."
	case w.midnight():
		v.note = fmt.Sprintf("Kodi counts %d, the last on this day; its time is a date only, and noon stands for the day.", f.PlayCount)
	default:
		v.note = fmt.Sprintf("Kodi counts %d, the last at this time.", f.PlayCount)
	}
	return v
}

// timed reports whether the time of a play is known.
func (f *finding) timed() bool { return f.class != viewing.ClassBackdated }

// soonest orders plays by how well their time is known, then by time: of two
// that are the same, the better known one stands.
func soonest(a, b *finding) int {
	coarse := func(f *finding) int {
		switch {
		case !f.timed():
			return 2
		case f.when.Precision == viewing.Day:
			return 1
		default:
			return 0
		}
	}
	return cmp.Or(coarse(a)-coarse(b), byTime(a, b))
}

// Keys are the items of the past, as in [viewing.Media.Key].
func (p *Past) Keys() (keys []string) {
	for _, f := range p.plays {
		for _, m := range f.media {
			if key := m.Key(); key != "" {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// untimed names what a file without a time can be imported as, once.
const untimed = "\x00untimed"

// holdBulk holds what was marked in one act: its time is that of the act. What
// is left out of the import is a witness all the same.
func holdBulk(all []*finding) {
	ends := slices.DeleteFunc(slices.Clone(all), func(f *finding) bool { return f.wall == 0 })
	slices.SortStableFunc(ends, func(a, b *finding) int { return cmp.Compare(a.wall, b.wall) })
	for from := 0; from < len(ends); {
		to := from + 1
		for to < len(ends) && apart(ends[to].wall, ends[to-1].wall) <= chain {
			to++
		}
		act := ends[from:to]
		if slices.ContainsFunc(act, func(f *finding) bool { return f.key != act[0].key }) {
			for _, f := range act {
				f.class = viewing.ClassBulk
				f.note = "Several items have times within two seconds of each other: they were marked or imported then, not played."
			}
		}
		from = to
	}
}

// weigh plans a play, unless something speaks against it.
func (p *Plan) weigh(f *finding) {
	switch {
	case p.known(f):
		p.Recorded++
	case f.timed() && p.same(f):
		p.Copies++
	case !p.o.Since.IsZero() && (!f.timed() || f.when.Time().Before(p.o.Since)):
		p.Before++
	case f.timed() && p.has(f):
		p.AtService++
	default:
		p.name(f)
		p.plays = append(p.plays, f)
		p.ends.add(f.event())
	}
	p.Earlier += max(f.to-max(f.old.Serial, 1), 0) * len(f.media)
}

// announce tells the imports of other libraries what this one plans.
func (p *Plan) announce() {
	for _, f := range p.plays {
		for _, m := range f.media {
			if key := m.Key(); key != "" && p.o.Planned != nil && f.timed() {
				p.o.Planned[key] = append(p.o.Planned[key], f.when)
			}
		}
	}
}

// known reports whether the play was ever recorded here. Of a file that has
// had an event the last play is: every growth since first contact makes one.
func (p *Plan) known(f *finding) bool {
	if f.old.Serial > 0 {
		return true
	}
	return f.timed() && f.among(p.recorded)
}

// among reports whether every item of the play was watched just then,
// according to times by item.
func (f *finding) among(times map[string][]viewing.Instant) bool {
	return !slices.ContainsFunc(f.media, func(m viewing.Media) bool { return !slices.ContainsFunc(times[m.Key()], f.near) })
}

// same reports whether the play is one sitting with another end that is known
// or planned: a second copy, a renamed folder, another library.
func (p *Plan) same(f *finding) bool {
	first, _, _ := strings.Cut(f.key, "|")
	return f.among(p.o.Planned) || slices.ContainsFunc(p.ends[first], func(e event) bool { return covers(e.Key, f.key) && f.near(e.When) })
}

// near reports whether another end of the item is the same viewing.
func (f *finding) near(at viewing.Instant) bool {
	end := playback.End{At: f.when, Type: mediaOf(f.file)[0].Type, Runtime: f.file.Duration}
	return playback.Import.Same(end, playback.End{At: at})
}

// has reports whether the service has all of a play.
func (p *Plan) has(f *finding) bool {
	return p.o.Has != nil && !slices.ContainsFunc(f.media, func(m viewing.Media) bool {
		return !m.Identified() || !p.o.Has(m, f.when, f.file.Duration)
	})
}

// name gives a play its event id: the one that a live sighting of it would have.
func (p *Plan) name(f *finding) {
	f.id = eventID(p.r.Meta.ID, f.file.Path, f.file.LastPlayed, f.to, f.old.Serial)
	if !f.timed() {
		f.id = eventID(p.r.Meta.ID, f.file.Path, untimed, 0, 0)
	}
}

// Verdict is what the plays from one number to another become, given what is
// known now: that may have changed since the plan was made.
func (p *Plan) Verdict(known *Memory, from, to int, now time.Time) Verdict {
	r := &reading{known: known, now: now, environment: p.r.environment, zone: p.r.zone}
	r.Meta, r.files, r.found = known.Meta, map[string]record{}, p.plays[from:to]
	for _, f := range r.found {
		if _, ok := r.files[f.file.Path]; !ok {
			r.files[f.file.Path] = known.files[f.file.Path].clone()
		}
	}
	r.handOver()
	return r.Verdict
}
