package rule

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// copyMargin is how long it takes at least to begin another copy of an item.
const copyMargin = 5 * time.Second

// findSittings joins a change to an earlier event when both are one sitting: half the
// running time must lie between two ends of an item over all its files, and between a
// count going down and growing again. What is held for another explanation joins as well:
// nobody is asked twice about one sitting.
func (r *reading) findSittings() {
	r.name()
	ends := index{}
	if len(r.found) > 0 {
		ends = r.knownEnds()
	}
	for _, c := range r.found {
		held := c.class == viewing.ClassReview || c.class == viewing.ClassBackdated
		r.holdForOthers(c)
		own := slices.DeleteFunc(slices.Clone(r.files[c.file.Path].Events), func(e event) bool { return e.Gone })
		switch {
		case c.setAgain:
			c.joinSetAgain(own)
		case !held:
			c.join(own, ends)
		}
		ends.add(c.event())
	}
}

// name orders what becomes viewings by time, and gives each its event id, which holds
// for good: by library, path, time, count and how many events the file has had.
func (r *reading) name() {
	r.found = slices.DeleteFunc(slices.Clone(r.changes), func(c *change) bool { return c.class == "" })
	slices.SortStableFunc(r.found, byTime)
	made := map[string]int{}
	for _, c := range r.found {
		path := c.file.Path
		c.id = eventID(r.Meta.ID, path, c.when.Text, c.to, r.files[path].Serial+made[path])
		made[path]++
	}
}

func byTime(a, b *change) int {
	return cmp.Or(cmp.Compare(a.when.Millis, b.when.Millis), cmp.Compare(a.file.Path, b.file.Path))
}

// eventID names an event for good.
func eventID(library, path, text string, to, serial int) string {
	return library + "-" + hashed(fmt.Sprintf("%s\x00%s\x00%d\x00%d", path, text, to, serial))
}

// hashed is a name made of what is long and private.
func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// index finds events by each item they name.
type index map[string][]event

func (x index) add(e event) {
	for key := range strings.SplitSeq(e.Key, "|") {
		x[key] = append(x[key], e)
	}
}

// knownEnds are the events that stand and can still be corrected.
func (r *reading) knownEnds() index {
	ends := index{}
	for path, rec := range r.known.files {
		if changed, ok := r.files[path]; ok {
			rec = changed
		}
		for _, e := range rec.Events {
			if !e.Gone && !e.old(r.now) {
				ends.add(e)
			}
		}
	}
	return ends
}

// join looks for the nearest end that is one sitting with this one: of the same file,
// whatever it was called then, within half the running time, or in the playback that has
// ended here; of another copy within the running time, since that cannot have been played
// from its beginning. An end that waits for a person cannot stand for a playback.
func (c *change) join(own []event, ends index) {
	nearest := time.Duration(math.MaxInt64)
	try := func(e event, within time.Duration) {
		d := apart(c.when.Millis, e.When.Millis)
		if d < min(within, nearest) && (played(e.Class) || e.Class == c.class) {
			nearest, c.sameAs = d, e.first()
		}
	}
	for _, e := range own {
		within := half(c.file)
		if !c.act.Began.IsZero() && e.When.Millis >= c.act.Began.UnixMilli() {
			within = nearest
		}
		try(e, within)
	}
	item, _, _ := strings.Cut(c.key, "|")
	for _, e := range ends[item] {
		if covers(e.Key, c.key) && !slices.ContainsFunc(own, func(o event) bool { return o.ID == e.ID }) {
			try(e, 2*half(c.file)+copyMargin)
		}
	}
	if c.sameAs != "" {
		c.note = viewing.Say("note.oneSitting").Because(c.note)
	}
}

// joinSetAgain joins a count that was taken back and set again to the last event of the
// file; without one, a person must look, unless Kodi has announced its playback.
func (c *change) joinSetAgain(own []event) {
	if len(own) > 0 {
		c.sameAs = own[len(own)-1].first()
	}
	ended := !c.act.Ended.IsZero()
	if c.sameAs == "" && !ended {
		c.class, c.unsure = viewing.ClassReview, true
	}
	if c.sameAs != "" || !ended {
		c.note = viewing.Say("note.setAgain")
	}
}

// handOver makes viewings of what was found, and remembers them as events.
func (r *reading) handOver() {
	for _, c := range r.found {
		r.Viewings = append(r.Viewings, c.viewing())
		rec := r.files[c.file.Path]
		e := c.event()
		e.Seen = r.now.UnixMilli()
		rec.Serial++
		rec.add(e, r.now)
		r.files[c.file.Path] = rec
		if c == r.last {
			r.Meta.Last = lastEnd{Key: c.key, Clock: c.clock, ID: e.first(), Path: c.file.Path}
		}
	}
}
