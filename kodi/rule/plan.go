package rule

import (
	"cmp"
	"slices"
	"strconv"
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

// LeftOut counts what an import leaves out.
type LeftOut struct {
	Earlier   int `json:"earlier"`   // plays before the last one of their file: Kodi keeps no time of them
	Recorded  int `json:"recorded"`  // files: their last play was recorded here before
	AtService int `json:"atService"` // files: the service has their last play
	Copies    int `json:"copies"`    // files: their last play is another file's too
	Before    int `json:"before"`    // files: by the date, or for want of a time
}

// Plan is what an import of a library would hand over: of every file that was watched
// the last play, unless that is left out.
type Plan struct {
	LeftOut

	o        PlanOptions
	r        *reading
	past     []*change                    // the last play of every file
	recorded map[string][]viewing.Instant // when items were watched as far as the queue knows, by [viewing.Media.Key]
	ends     index                        // of what is known and of what was planned
	plays    []*change                    // in the order they happened
}

// Remember gathers the past of a reading, given what is known after it: the last play of
// every file that was watched.
func Remember(known *Memory, snap library.Snapshot, now time.Time, e Environment) *Plan {
	r := newReading(known, snap, now, e)
	p := &Plan{r: r}
	for _, f := range snap.Files {
		if !counts(f) || f.PlayCount < 1 || r.seen[f.Path] {
			continue
		}
		r.seen[f.Path] = true
		old := known.files[f.Path]
		f.LastPlayed = cmp.Or(old.CountedAt, f.LastPlayed)
		c := r.changeOf(f, old, false)
		r.classifyPast(c)
		p.past = append(p.past, c)
	}
	return p
}

// classifyPast says what the last play of a file is, from its time alone.
func (r *reading) classifyPast(c *change) {
	w, ok := parseWall(c.file.LastPlayed)
	c.when = r.instant(c.file)
	is := func(class viewing.Class, code string) {
		c.class, c.note = class, viewing.Say("note."+code, "n", strconv.Itoa(c.to))
	}
	switch {
	case !ok:
		is(viewing.ClassBackdated, "countsNoTime")
	case c.when.Earliest().After(r.now.Add(slack)):
		is(viewing.ClassBackdated, "timeAhead")
	case w.Year() <= noClock:
		is(viewing.ClassBackdated, "clockUnset")
	case w.midnight():
		is(viewing.ClassImport, "countsDay")
		c.clock = 0
	default:
		is(viewing.ClassImport, "counts")
	}
	c.unsure = !ok || w.Year() <= noClock
}

// Keys are the items of the past, as in [viewing.Media.Key].
func (p *Plan) Keys() (keys []string) {
	for _, c := range p.past {
		for _, m := range c.media {
			if key := m.Key(); key != "" {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// Weigh plans the import, given when the items of [Plan.Keys] were watched.
func (p *Plan) Weigh(recorded map[string][]viewing.Instant, o PlanOptions) {
	p.o, p.recorded, p.ends = o, recorded, p.r.knownEnds()
	holdBulk(p.past)
	slices.SortStableFunc(p.past, bestKnown)
	for _, c := range p.past {
		p.weigh(c)
	}
	slices.SortStableFunc(p.plays, byTime)
	for _, c := range p.plays {
		for _, m := range c.media {
			if key := m.Key(); key != "" && o.Planned != nil && c.timed() {
				o.Planned[key] = append(o.Planned[key], c.when)
			}
		}
	}
}

// holdBulk holds what was marked in one act: its time is that of the act. What
// is left out of the import is a witness all the same.
func holdBulk(plays []*change) {
	for _, act := range acts(slices.DeleteFunc(slices.Clone(plays), func(c *change) bool { return c.clock == 0 })) {
		if slices.ContainsFunc(act, func(c *change) bool { return c.key != act[0].key }) {
			for _, c := range act {
				c.class, c.note = viewing.ClassBulk, viewing.Say("note.bulkThen")
			}
		}
	}
}

// timed reports whether the time of a play is known.
func (c *change) timed() bool { return c.class != viewing.ClassBackdated }

// bestKnown orders plays by how well their time is known, then by time: of two
// that are the same, the better known one stands.
func bestKnown(a, b *change) int {
	coarse := func(c *change) int {
		switch {
		case !c.timed():
			return 2
		case c.when.Precision == viewing.Day:
			return 1
		default:
			return 0
		}
	}
	return cmp.Or(coarse(a)-coarse(b), byTime(a, b))
}

// weigh plans a play, unless something speaks against it. A file that has had an event is
// known: every count since first contact makes one.
func (p *Plan) weigh(c *change) {
	item, _, _ := strings.Cut(c.key, "|")
	isKnown := func(e event) bool { return covers(e.Key, c.key) && c.near(e.When) }
	switch {
	case c.old.Serial > 0 || c.timed() && c.among(p.recorded):
		p.Recorded++
	case c.timed() && (c.among(p.o.Planned) || slices.ContainsFunc(p.ends[item], isKnown)):
		p.Copies++
	case !p.o.Since.IsZero() && (!c.timed() || c.when.Time().Before(p.o.Since)):
		p.Before++
	case c.timed() && p.has(c):
		p.AtService++
	default: // the id is the one that a live sighting would have
		text := c.file.LastPlayed
		if !c.timed() {
			text = "\x00untimed"
		}
		c.id = eventID(p.r.Meta.ID, c.file.Path, text, c.to, c.old.Serial)
		p.plays = append(p.plays, c)
		p.ends.add(c.event())
	}
	p.Earlier += max(c.to-max(c.old.Serial, 1), 0) * len(c.media)
}

// among reports whether every item of the play was watched just then,
// according to times by item.
func (c *change) among(times map[string][]viewing.Instant) bool {
	return !slices.ContainsFunc(c.media, func(m viewing.Media) bool { return !slices.ContainsFunc(times[m.Key()], c.near) })
}

// near reports whether another end of the item is the same viewing.
func (c *change) near(at viewing.Instant) bool {
	end := playback.End{At: c.when, Type: c.media[0].Type, Runtime: c.file.Duration}
	return playback.Import.Same(end, playback.End{At: at})
}

// has reports whether the service has all of a play.
func (p *Plan) has(c *change) bool {
	return p.o.Has != nil && !slices.ContainsFunc(c.media, func(m viewing.Media) bool {
		return !m.Identified() || !p.o.Has(m, c.when, c.file.Duration)
	})
}

// Len is how many events the import would hand over.
func (p *Plan) Len() int { return len(p.plays) }

// Viewings are all that would be handed over, in the order they happened.
func (p *Plan) Viewings() []viewing.Event {
	all := make([]viewing.Event, len(p.plays))
	for i, c := range p.plays {
		all[i] = c.viewing()
	}
	return all
}

// Verdict is what the plays from one number to another become, given what is
// known now: that may have changed since the plan was made.
func (p *Plan) Verdict(known *Memory, from, to int, now time.Time) Verdict {
	r := &reading{known: known, now: now, found: p.plays[from:to], Verdict: Verdict{Meta: known.Meta, files: map[string]record{}}}
	for _, c := range r.found {
		r.files[c.file.Path] = known.files[c.file.Path].clone()
	}
	r.handOver()
	return r.Verdict
}
