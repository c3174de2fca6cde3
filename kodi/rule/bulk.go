package rule

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// maxMarkGap is the longest gap between two marks of one bulk mark: Kodi marks a whole show in
// one transaction, mostly within one second.
const maxMarkGap = 2 * time.Second

// groupByTime sorts changes by Kodi's clock and starts a new group after each gap longer than
// maxMarkGap.
func groupByTime(all []*change) (groups [][]*change) {
	slices.SortStableFunc(all, func(a, b *change) int { return cmp.Compare(a.wallMillis, b.wallMillis) })
	for i, c := range all {
		if i == 0 || timeBetween(c.wallMillis, all[i-1].wallMillis) > maxMarkGap {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], c)
	}
	return groups
}

// findBulk holds bulk marks: different items with times less than two seconds apart, even if
// only some of their counts rose. Playbacks that Kodi announced are not part of a bulk mark. If
// the bulk mark began before the last read, the earlier viewing is amended.
func (r *reading) findBulk() {
	before := &change{key: r.Meta.Last.Key, wallMillis: r.Meta.Last.Clock, class: viewing.ClassLive}
	ends := []*change{before}
	for _, c := range r.changes {
		w, ok := parseWall(c.file.LastPlayed)
		moved := ok && !w.isMidnight() && c.file.LastPlayed != c.old.LastPlayed
		if c.update.Ended.IsZero() && (moved || countsAsPlayed(c.class)) {
			ends = append(ends, c)
		}
	}
	for _, group := range groupByTime(ends) {
		bulk := isBulk(group)
		for _, c := range group {
			switch {
			case c == before && bulk:
				r.amendBulk(r.Meta.Last)
			case c == before || !countsAsPlayed(c.class):
			default:
				r.lastChange = c
				if bulk {
					c.class, c.note = viewing.ClassBulk, r.noteFor(c, "bulk")
				}
			}
		}
	}
}

// isBulk reports whether a group is a bulk mark: the counts of two items rose, or one rose and
// the times of two others changed. A single changed time is a skipped playback.
func isBulk(group []*change) bool {
	rose := func(c *change) bool { return countsAsPlayed(c.class) || c.newCount > c.oldCount }
	risen, moved, seconds := map[string]bool{}, map[string]bool{}, map[int64]bool{}
	for _, c := range group {
		seconds[c.wallMillis] = seconds[c.wallMillis] || rose(c)
	}
	for _, c := range group {
		// The count may have fallen and risen, or been reset with a new item, between two reads.
		if rose(c) || c.newCount > 0 && (c.newCount < c.oldCount || c.isInserted() || seconds[c.wallMillis]) {
			risen[c.key] = true
		} else {
			moved[c.key] = true
		}
	}
	maps.DeleteFunc(moved, func(key string, _ bool) bool { return risen[key] })
	return len(risen) > 1 || len(risen) == 1 && len(moved) > 1
}

// amendBulk changes the class of the last submitted viewing to bulk.
func (r *reading) amendBulk(last lastEnd) {
	rec, changed := r.files[last.Path]
	if !changed {
		rec = r.memory.files[last.Path].clone()
	}
	for i := range rec.Events {
		e := &rec.Events[i]
		if e.ID == last.ID && !e.Withdrawn && countsAsPlayed(e.Class) {
			e.Class = viewing.ClassBulk
			r.files[last.Path] = rec
			r.Amendments = append(r.Amendments, viewing.Amendment{EventID: e.ID, Class: viewing.ClassBulk, Reason: viewing.Say("note.bulk")})
		}
	}
}

// untimedBulkSize is how many items must get a count without a time in one read to be a bulk
// mark, such as a season that another program marked.
const untimedBulkSize = 3

// findUntimedBulk holds bulk marks without times.
func (r *reading) findUntimedBulk() {
	items := map[string]bool{}
	for _, c := range r.changes {
		if c.untimed {
			items[c.key] = true
		}
	}
	for _, c := range r.changes {
		if c.untimed && len(items) >= untimedBulkSize {
			c.class, c.note = viewing.ClassBulk, r.noteFor(c, "manyUntimed")
		}
	}
}
