package rule

import (
	"slices"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/kodi/announce"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// change is a file whose count or time is not what it was, and what is made of that.
type change struct {
	file     library.File
	old      record
	from, to int             // the play count
	isNew    bool            // the path was not known
	setAgain bool            // the count was taken back, and grew again within half the running time
	media    []viewing.Media // what the file holds
	key      string          // identity of that
	clock    int64           // the time by Kodi's clock, in ms as if that were UTC; 0 for none

	class   viewing.Class // "" for no viewing
	when    viewing.Instant
	note    viewing.Message
	unsure  bool         // only a person can tell whether, or when, it happened
	untimed bool         // no time came with the count
	act     announce.Act // what Kodi has announced of it, where that decides; else zero
	id      string       // of the event
	sameAs  string       // the event of which this is only a further sighting
}

// changeOf compares a file with what was known of it.
func (r *reading) changeOf(f library.File, old record, isNew bool) *change {
	media := r.trusted(f)
	c := &change{file: f, old: old, from: old.Count, to: f.PlayCount, isNew: isNew, media: media, key: identity(media, f.Path)}
	if w, ok := parseWall(f.LastPlayed); ok {
		c.clock = w.UnixMilli()
	}
	return c
}

// played reports a class that is sent: it was played, or counts as that.
func played(class viewing.Class) bool {
	return slices.Contains([]viewing.Class{viewing.ClassLive, viewing.ClassMarked, viewing.ClassCatchUp, viewing.ClassImport}, class)
}

// classify says what a count that grew is: the first half of the table.
func (r *reading) classify(c *change) {
	w, ok := parseWall(c.file.LastPlayed)
	c.when = r.instant(c.file)
	at := r.at(w)
	stayed := !c.isNew && c.file.LastPlayed == c.old.LastPlayed
	soon := w.nearest(r.zone, r.since, r.now.Add(slack))
	isNow := ok && !stayed && r.watching() && distance(soon, r.since, r.now.Add(slack)) == 0
	if isNow {
		c.when = instant(c.file.LastPlayed, soon)
	}
	between := distance(at, r.good, r.now) <= slack
	later := at.UnixMilli() > c.old.Latest
	is := func(class viewing.Class, code string) { c.class, c.note = class, r.say(c, code) }
	switch {
	case !ok:
		is(viewing.ClassReview, "noTime")
		c.unsure, c.untimed = true, true
	case stayed:
		is(viewing.ClassReview, "sameTime")
		c.unsure, c.untimed = true, true
	case isNow && (c.to-c.from == 1 || c.showMark()):
		is(viewing.ClassLive, "live")
	case isNow && c.inserted():
		is(viewing.ClassBackdated, "nfo")
	case isNow:
		is(viewing.ClassReview, "atOnce")
	case at.After(r.now.Add(slack)):
		is(viewing.ClassReview, "future")
	case c.seenBefore(at):
		is(viewing.ClassReview, "backup")
		c.unsure = true
	case w.midnight():
		is(viewing.ClassBackdated, "dateOnly")
	case between && (later || at.After(r.good)) && !r.watching():
		is(viewing.ClassCatchUp, "since")
	case later && at.After(r.good):
		is(viewing.ClassBackdated, "late")
	case later || c.isNew:
		is(viewing.ClassBackdated, "before")
	default:
		is(viewing.ClassReview, "notLater")
	}
	r.hear(c)
	c.unsure = c.unsure || c.act.At.IsZero() && w.Year() <= noClock
}

// hear lets what Kodi has announced decide: the second half of the table. The time is
// the library's, unless that cannot be the time of a playback.
func (r *reading) hear(c *change) {
	a, announced := r.announced(c)
	reason := r.suspicious(c, a, announced)
	switch {
	case announced && !a.Ended.IsZero():
		if !played(c.class) {
			c.when = viewing.At(a.Ended.In(r.zone))
		}
		c.class, c.note, c.act = viewing.ClassLive, r.say(c, "announced"), a
	case reason == "newShort":
		c.class, c.note = viewing.ClassBackdated, r.say(c, reason)
	case reason != "":
		c.class, c.note = viewing.ClassReview, r.say(c, reason)
	case announced && !a.Unclear && (played(c.class) || c.untimed):
		if c.untimed {
			c.when = viewing.At(a.At.In(r.zone))
		}
		c.class, c.note, c.act = viewing.ClassMarked, r.say(c, "marked"), a
	}
	if !c.act.At.IsZero() {
		c.unsure, c.untimed = false, false
		c.clock = c.when.Millis + int64(offsetIn(r.zone, c.when.Time()))*1000
	}
}

// suspicious says why what looks like a playback may be none; "" for no reason. An
// announced end of the playback clears every suspicion.
func (r *reading) suspicious(c *change, a announce.Act, announced bool) (reason string) {
	switch {
	case !played(c.class):
		return ""
	case c.inserted() && !c.isNew:
		return "nfoAgain"
	case c.inserted() && c.when.Time().Sub(r.good) < half(c.file):
		return "newShort"
	case c.inserted():
		return "newLong"
	case !announced && r.hearsAll(c):
		return "unannounced"
	case announced && !a.Unclear && apart(c.when.Millis, a.At.UnixMilli()) > slack:
		return "otherTime"
	case announced && !a.Unclear && c.handedOver():
		return "handedOver"
	}
	return ""
}

// say is a note of a change.
func (r *reading) say(c *change, code string) viewing.Message {
	return viewing.Say("note."+code, "from", strconv.Itoa(c.from), "to", strconv.Itoa(c.to), "time", c.file.LastPlayed, "before", r.good.UTC().Format(time.RFC3339))
}

// early is how long before a good reading something may have been announced
// that this reading did not show: Kodi marks a show in one transaction.
const early = 2 * time.Second

// announced is the last that Kodi has announced of a change. It fits if it names an item
// of the file with this count, since the last good reading: another Kodi numbers its
// items alike.
func (r *reading) announced(c *change) (announce.Act, bool) {
	for _, a := range slices.Backward(r.environment.Acts) {
		fits := a.Count == c.to && !a.At.Before(r.good.Add(-early)) && slices.ContainsFunc(c.file.Items, func(i library.Item) bool {
			return i.KodiID == a.ID && i.Media.Type == a.Type
		})
		if fits {
			return a, true
		}
	}
	return announce.Act{}, false
}

// hearsAll reports that Kodi would have been heard announce a change: it was connected
// all the time since the last good reading, and the file is an item of its library.
func (r *reading) hearsAll(c *change) bool {
	since := r.environment.HeardSince
	return row(c.file) != 0 && !since.IsZero() && !since.After(r.good) && r.now.Sub(r.good) < announce.KeptFor
}

// handedOver reports that a viewing of this file stands that led to this count: it
// was lost from the library, as by a backup that was put back.
func (c *change) handedOver() bool {
	return !c.setAgain && slices.ContainsFunc(c.old.Events, func(e event) bool { return !e.Gone && !e.Taken && e.Count >= c.to })
}

// seenBefore reports a time that was seen with the file before.
func (c *change) seenBefore(at time.Time) bool {
	return at.UnixMilli() == c.old.Latest || slices.ContainsFunc(c.old.Events, func(e event) bool { return e.When.Text == c.file.LastPlayed })
}

// inserted reports that the file's item is new, or was inserted again, since the last
// reading: only then does Kodi read an NFO. When that has a count but no date, Kodi writes
// the current time (seen with Kodi 20.1), which looks like a playback that has just ended.
// A file without an item was played.
func (c *change) inserted() bool {
	return row(c.file) != 0 && (c.isNew || c.old.NoItem || itemsOf(c.file) != c.old.Items)
}

// showMark reports what "mark as watched" of a whole show leaves behind: Kodi
// counts a file once for each episode in it (seen with Kodi 20.1).
func (c *change) showMark() bool {
	n := len(mediaOf(c.file))
	return n > 1 && c.from == 0 && c.to == n
}

// hold holds what counts as played for another explanation.
func (c *change) hold(note viewing.Message) {
	c.class, c.note = viewing.ClassReview, note.Because(c.note)
}

// holdForOthers holds what another explanation fits as well: the mark of a show when
// nothing else was marked, and what an add-on may have written, or told the service.
func (r *reading) holdForOthers(c *change) {
	writers, reporters := r.environment.Writers, r.environment.Reporters
	ended := !c.act.Ended.IsZero()
	switch {
	case !played(c.class):
	case !ended && c.showMark():
		c.hold(viewing.Say("note.showMark"))
	case len(writers) > 0 && c.class == viewing.ClassMarked:
		c.hold(viewing.Say("note.orBy", "name", writers[0]))
	case len(writers) > 0 && !ended:
		c.hold(viewing.Say("note.mayWrite", "name", writers[0]))
	case len(reporters) > 0:
		c.hold(viewing.Say("note.reports", "name", reporters[0]))
	}
}

// event is the change as it is remembered.
func (c *change) event() event {
	return event{
		ID: c.id, When: c.when, Count: c.to, Class: c.class, Key: c.key, Items: len(c.media),
		Item: row(c.file), Same: c.sameAs, Played: !c.act.Ended.IsZero(),
	}
}

// viewing is the change in the shared vocabulary.
func (c *change) viewing() viewing.Event {
	v := viewing.Event{
		Kind: viewing.KindViewing, EventID: c.id, Media: c.media, WatchedAt: c.when, Count: 1,
		Class: c.class, SameAs: c.sameAs, Unsure: c.unsure, Origin: Origin(c.file),
	}
	v.Origin.Note = c.note
	return v
}
