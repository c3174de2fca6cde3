package rule

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// chain is the longest gap between two marks of one act: Kodi marks a whole
// show in one transaction, mostly within one second.
const chain = 2 * time.Second

// acts sorts changes by Kodi's clock, and splits them where more time lies between two
// than within one act.
func acts(all []*change) (acts [][]*change) {
	slices.SortStableFunc(all, func(a, b *change) int { return cmp.Compare(a.clock, b.clock) })
	for i, c := range all {
		if i == 0 || apart(c.clock, all[i-1].clock) > chain {
			acts = append(acts, nil)
		}
		acts[len(acts)-1] = append(acts[len(acts)-1], c)
	}
	return acts
}

// findBulk holds what was marked in one act: different items whose times follow each
// other within two seconds, whether the counts of all of them grew or not. What Kodi has
// announced as played is no part of an act. The act may have begun in the reading before:
// what that handed over is amended.
func (r *reading) findBulk() {
	before := &change{key: r.Meta.Last.Key, clock: r.Meta.Last.Clock, class: viewing.ClassLive}
	ends := []*change{before}
	for _, c := range r.changes {
		w, ok := parseWall(c.file.LastPlayed)
		moved := ok && !w.midnight() && c.file.LastPlayed != c.old.LastPlayed
		if c.act.Ended.IsZero() && (moved || played(c.class)) {
			ends = append(ends, c)
		}
	}
	for _, act := range acts(ends) {
		bulk := isBulk(act)
		for _, c := range act {
			switch {
			case c == before && bulk:
				r.amendBulk(r.Meta.Last)
			case c == before || !played(c.class):
			default:
				r.last = c
				if bulk {
					c.class, c.note = viewing.ClassBulk, r.say(c, "bulk")
				}
			}
		}
	}
}

// isBulk reports an act that was more than one playback: two items grew, or one grew and
// the times of two others moved. One that moved alone is a playback that was skipped.
func isBulk(act []*change) bool {
	grew := func(c *change) bool { return played(c.class) || c.to > c.from }
	grown, moved, seconds := map[string]bool{}, map[string]bool{}, map[int64]bool{}
	for _, c := range act {
		seconds[c.clock] = seconds[c.clock] || grew(c)
	}
	for _, c := range act {
		// A count that fell, or was made again with its item, may have grown since.
		if grew(c) || c.to > 0 && (c.to < c.from || c.inserted() || seconds[c.clock]) {
			grown[c.key] = true
		} else {
			moved[c.key] = true
		}
	}
	maps.DeleteFunc(moved, func(key string, _ bool) bool { return grown[key] })
	return len(grown) > 1 || len(grown) == 1 && len(moved) > 1
}

func (r *reading) amendBulk(last lastEnd) {
	rec, changed := r.files[last.Path]
	if !changed {
		rec = r.known.files[last.Path].clone()
	}
	for i := range rec.Events {
		e := &rec.Events[i]
		if e.ID == last.ID && !e.Gone && played(e.Class) {
			e.Class = viewing.ClassBulk
			r.files[last.Path] = rec
			r.Amendments = append(r.Amendments, viewing.Amendment{EventID: e.ID, Class: viewing.ClassBulk, Reason: viewing.Say("note.bulk")})
		}
	}
}

// gathering is how many items that got a count without a time in one reading
// are one act: a season that was marked by another program.
const gathering = 3

// gatherUntimed makes one bulk of many counts without a time.
func (r *reading) gatherUntimed() {
	items := map[string]bool{}
	for _, c := range r.changes {
		if c.untimed {
			items[c.key] = true
		}
	}
	for _, c := range r.changes {
		if c.untimed && len(items) >= gathering {
			c.class, c.note = viewing.ClassBulk, r.say(c, "manyUntimed")
		}
	}
}
