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

// copyMargin is the shortest time needed to start another copy of an item.
const copyMargin = 5 * time.Second

// joinSittings joins a change to an earlier event of the same sitting, as a further sighting.
// Two viewings of an item must end at least half its running time apart, in all its files.
// The same holds between a fall and the next rise of a count. Held changes join as well, so the
// user reviews a sitting once.
func (r *reading) joinSittings() {
	r.assignIDs()
	events := eventIndex{}
	if len(r.accepted) > 0 {
		events = r.knownEvents()
	}
	for _, c := range r.accepted {
		held := c.class == viewing.ClassReview || c.class == viewing.ClassBackdated
		r.holdAmbiguous(c)
		own := slices.DeleteFunc(slices.Clone(r.files[c.file.Path].Events), func(e event) bool { return e.Withdrawn })
		switch {
		case c.setAgain:
			c.joinSetAgain(own)
		case !held:
			c.joinNearest(own, events)
		}
		events.add(c.event())
	}
}

// assignIDs sorts the changes that become viewings by time and sets their event ids. The same
// library, path, time, count and number of earlier events give the same id.
func (r *reading) assignIDs() {
	r.accepted = slices.DeleteFunc(slices.Clone(r.changes), func(c *change) bool { return c.class == "" })
	slices.SortStableFunc(r.accepted, byTime)
	made := map[string]int{}
	for _, c := range r.accepted {
		path := c.file.Path
		c.id = eventID(r.Meta.ID, path, c.when.Text, c.newCount, r.files[path].EventCount+made[path])
		made[path]++
	}
}

// byTime orders changes by time, then by path.
func byTime(a, b *change) int {
	return cmp.Or(cmp.Compare(a.when.Millis, b.when.Millis), cmp.Compare(a.file.Path, b.file.Path))
}

// eventID returns the id of a viewing.
func eventID(library, path, text string, count, eventCount int) string {
	return library + "-" + shortHash(fmt.Sprintf("%s\x00%s\x00%d\x00%d", path, text, count, eventCount))
}

// shortHash returns a hash of a long or private text.
func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// eventIndex maps each item key to the events of that item.
type eventIndex map[string][]event

// add adds an event under each of its item keys.
func (x eventIndex) add(e event) {
	for key := range strings.SplitSeq(e.Key, "|") {
		x[key] = append(x[key], e)
	}
}

// knownEvents returns the events that are not withdrawn and can still be amended.
func (r *reading) knownEvents() eventIndex {
	events := eventIndex{}
	for path, rec := range r.memory.files {
		if changed, ok := r.files[path]; ok {
			rec = changed
		}
		for _, e := range rec.Events {
			if !e.Withdrawn && !e.isExpired(r.now) {
				events.add(e)
			}
		}
	}
	return events
}

// joinNearest joins the change to the nearest event of the same sitting. An event of the same
// file must be less than half the running time away, or within the playback that ended now. An
// event of another copy must be less than the running time away: the copy cannot have been
// played from its beginning. A held event cannot replace a playback.
func (c *change) joinNearest(own []event, events eventIndex) {
	nearest := time.Duration(math.MaxInt64)
	try := func(e event, within time.Duration) {
		d := timeBetween(c.when.Millis, e.When.Millis)
		if d < min(within, nearest) && (countsAsPlayed(e.Class) || e.Class == c.class) {
			nearest, c.sameAs = d, e.originalID()
		}
	}
	for _, e := range own {
		within := halfRuntime(c.file)
		if !c.update.Began.IsZero() && e.When.Millis >= c.update.Began.UnixMilli() {
			within = nearest
		}
		try(e, within)
	}
	item, _, _ := strings.Cut(c.key, "|")
	for _, e := range events[item] {
		if covers(e.Key, c.key) && !slices.ContainsFunc(own, func(o event) bool { return o.ID == e.ID }) {
			try(e, 2*halfRuntime(c.file)+copyMargin)
		}
	}
	if c.sameAs != "" {
		c.note = viewing.Say("note.oneSitting").Because(c.note)
	}
}

// joinSetAgain joins a count that fell and rose again to the last event of the file. Without one
// the change goes to review, unless Kodi announced its playback.
func (c *change) joinSetAgain(own []event) {
	if len(own) > 0 {
		c.sameAs = own[len(own)-1].originalID()
	}
	ended := !c.update.Ended.IsZero()
	if c.sameAs == "" && !ended {
		c.class, c.unsure = viewing.ClassReview, true
	}
	if c.sameAs != "" || !ended {
		c.note = viewing.Say("note.setAgain")
	}
}

// submit adds the accepted changes to the verdict as viewings and stores them as events.
func (r *reading) submit() {
	for _, c := range r.accepted {
		r.Viewings = append(r.Viewings, c.viewing())
		rec := r.files[c.file.Path]
		e := c.event()
		e.SubmittedAt = r.now.UnixMilli()
		rec.EventCount++
		rec.add(e, r.now)
		r.files[c.file.Path] = rec
		if c == r.lastChange {
			r.Meta.Last = lastEnd{Key: c.key, Clock: c.wallMillis, ID: e.originalID(), Path: c.file.Path}
		}
	}
}
