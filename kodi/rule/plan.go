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

// PlanOptions selects which past viewings of a library to import.
type PlanOptions struct {
	// Since leaves out viewings before it and those without a known time; zero imports all.
	Since time.Time
	// Has reports whether the service already has a viewing; runtime is 0 if unknown. Nil if
	// the service is not queried.
	Has func(m viewing.Media, at viewing.Instant, runtime time.Duration) bool
	// Planned holds the times planned by imports of other libraries of the account, by
	// [viewing.Media.Key]. The plan adds its own times. Nil for a single library.
	Planned map[string][]viewing.Instant
}

// LeftOut counts plays and files that an import leaves out.
type LeftOut struct {
	Earlier   int `json:"earlier"`   // plays before the last one of a file, for which Kodi keeps no time
	Recorded  int `json:"recorded"`  // files with a last play that is already in the queue
	AtService int `json:"atService"` // files with a last play that the service has
	Copies    int `json:"copies"`    // files with the same last play as another file
	Before    int `json:"before"`    // files with a last play before Since or without a time
}

// Plan lists the viewings that an import of a library submits: the last play of each watched
// file, without those in [LeftOut].
type Plan struct {
	LeftOut

	options   PlanOptions
	reading   *reading
	lastPlays []*change                    // the last play of every file
	recorded  map[string][]viewing.Instant // watch times in the queue, by [viewing.Media.Key]
	events    eventIndex                   // events in the memory and in the plan
	selected  []*change                    // selected plays, in the order they happened
}

// NewPlan collects the last play of every watched file in a snapshot. The memory must already
// contain the snapshot.
func NewPlan(memory *Memory, snap library.Snapshot, now time.Time, e Environment) *Plan {
	r := newReading(memory, snap, now, e)
	p := &Plan{reading: r}
	for _, f := range snap.Files {
		if !isTracked(f) || f.PlayCount < 1 || r.seen[f.Path] {
			continue
		}
		r.seen[f.Path] = true
		old := memory.files[f.Path]
		f.LastPlayed = cmp.Or(old.CountedAt, f.LastPlayed)
		c := r.newChange(f, old, false)
		r.classifyPast(c)
		p.lastPlays = append(p.lastPlays, c)
	}
	return p
}

// classifyPast sets the class of a file's last play by its time.
func (r *reading) classifyPast(c *change) {
	w, ok := parseWall(c.file.LastPlayed)
	c.when = r.watchedAt(c.file)
	set := func(class viewing.Class, code string) {
		c.class, c.note = class, viewing.Say("note."+code, "n", strconv.Itoa(c.newCount))
	}
	switch {
	case !ok:
		set(viewing.ClassBackdated, "countsNoTime")
	case c.when.Earliest().After(r.now.Add(clockSlack)):
		set(viewing.ClassBackdated, "timeAhead")
	case w.Year() <= unsetClockYear:
		set(viewing.ClassBackdated, "clockUnset")
	case w.isMidnight():
		set(viewing.ClassImport, "countsDay")
		c.wallMillis = 0
	default:
		set(viewing.ClassImport, "counts")
	}
	c.unsure = !ok || w.Year() <= unsetClockYear
}

// Keys returns the [viewing.Media.Key] of every collected item.
func (p *Plan) Keys() (keys []string) {
	for _, c := range p.lastPlays {
		for _, m := range c.media {
			if key := m.Key(); key != "" {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// Select selects the plays to import, given the recorded watch times of the items in [Plan.Keys].
func (p *Plan) Select(recorded map[string][]viewing.Instant, o PlanOptions) {
	p.options, p.recorded, p.events = o, recorded, p.reading.knownEvents()
	holdBulk(p.lastPlays)
	slices.SortStableFunc(p.lastPlays, compareByPrecision)
	for _, c := range p.lastPlays {
		p.selectPlay(c)
	}
	slices.SortStableFunc(p.selected, byTime)
	for _, c := range p.selected {
		for _, m := range c.media {
			if key := m.Key(); key != "" && o.Planned != nil && c.hasTime() {
				o.Planned[key] = append(o.Planned[key], c.when)
			}
		}
	}
}

// holdBulk holds bulk marks, because their time is that of the mark. It also looks at plays that
// the import leaves out.
func holdBulk(plays []*change) {
	for _, group := range groupByTime(slices.DeleteFunc(slices.Clone(plays), func(c *change) bool { return c.wallMillis == 0 })) {
		if slices.ContainsFunc(group, func(c *change) bool { return c.key != group[0].key }) {
			for _, c := range group {
				c.class, c.note = viewing.ClassBulk, viewing.Say("note.bulkThen")
			}
		}
	}
}

// hasTime reports whether the time of a play is known.
func (c *change) hasTime() bool { return c.class != viewing.ClassBackdated }

// compareByPrecision orders plays by the precision of their time, then by time: of two equal
// plays the one with the more precise time is imported.
func compareByPrecision(a, b *change) int {
	coarse := func(c *change) int {
		switch {
		case !c.hasTime():
			return 2
		case c.when.Precision == viewing.Day:
			return 1
		default:
			return 0
		}
	}
	return cmp.Or(coarse(a)-coarse(b), byTime(a, b))
}

// selectPlay selects a play, or counts why it is left out. A file with an event was recorded:
// every count since first contact makes one.
func (p *Plan) selectPlay(c *change) {
	item, _, _ := strings.Cut(c.key, "|")
	isKnown := func(e event) bool { return covers(e.Key, c.key) && c.isSameViewing(e.When) }
	switch {
	case c.old.EventCount > 0 || c.hasTime() && c.isWatchedIn(p.recorded):
		p.Recorded++
	case c.hasTime() && (c.isWatchedIn(p.options.Planned) || slices.ContainsFunc(p.events[item], isKnown)):
		p.Copies++
	case !p.options.Since.IsZero() && (!c.hasTime() || c.when.Time().Before(p.options.Since)):
		p.Before++
	case c.hasTime() && p.atService(c):
		p.AtService++
	default: // same id as for a live viewing
		text := c.file.LastPlayed
		if !c.hasTime() {
			text = "\x00untimed"
		}
		c.id = eventID(p.reading.Meta.ID, c.file.Path, text, c.newCount, c.old.EventCount)
		p.selected = append(p.selected, c)
		p.events.add(c.event())
	}
	p.Earlier += max(c.newCount-max(c.old.EventCount, 1), 0) * len(c.media)
}

// isWatchedIn reports whether times contains this viewing for every item of the play.
func (c *change) isWatchedIn(times map[string][]viewing.Instant) bool {
	return !slices.ContainsFunc(c.media, func(m viewing.Media) bool { return !slices.ContainsFunc(times[m.Key()], c.isSameViewing) })
}

// isSameViewing reports whether a viewing of the item at this time is the same one.
func (c *change) isSameViewing(at viewing.Instant) bool {
	end := playback.End{At: c.when, Type: c.media[0].Type, Runtime: c.file.Duration}
	return playback.Import.Same(end, playback.End{At: at})
}

// atService reports whether the service has every item of a play.
func (p *Plan) atService(c *change) bool {
	return p.options.Has != nil && !slices.ContainsFunc(c.media, func(m viewing.Media) bool {
		return !m.Identified() || !p.options.Has(m, c.when, c.file.Duration)
	})
}

// Len returns how many events the import submits.
func (p *Plan) Len() int { return len(p.selected) }

// Viewings returns all events that the import submits, in the order they happened.
func (p *Plan) Viewings() []viewing.Event {
	all := make([]viewing.Event, len(p.selected))
	for i, c := range p.selected {
		all[i] = c.viewing()
	}
	return all
}

// Verdict returns the verdict for plays[from:to] and the current memory, which may have changed
// since the plan was made.
func (p *Plan) Verdict(memory *Memory, from, to int, now time.Time) Verdict {
	r := &reading{memory: memory, now: now, accepted: p.selected[from:to], Verdict: Verdict{Meta: memory.Meta, files: map[string]record{}}}
	for _, c := range r.accepted {
		r.files[c.file.Path] = memory.files[c.file.Path].clone()
	}
	r.submit()
	return r.Verdict
}
