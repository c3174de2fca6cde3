package rule

import (
	"slices"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/kodi/announce"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// change is a file whose play count or time changed since the last read, with its classification.
type change struct {
	file               library.File
	old                record
	oldCount, newCount int             // play counts
	isNew              bool            // the path was not in the memory
	setAgain           bool            // the count fell and rose again within half the running time
	media              []viewing.Media // items in the file
	key                string          // identity of media
	wallMillis         int64           // Kodi's wall clock time in ms, read as UTC; 0 without a time

	class   viewing.Class // "" for no viewing
	when    viewing.Instant
	note    viewing.Message
	unsure  bool            // only the user knows whether or when it was watched
	untimed bool            // the count rose without a new time
	update  announce.Update // the announcement that decided the class; zero if none did
	id      string          // event id
	sameAs  string          // id of the event that this one repeats, as a further sighting
}

// newChange compares a file with its record.
func (r *reading) newChange(f library.File, old record, isNew bool) *change {
	media := r.validMedia(f)
	c := &change{file: f, old: old, oldCount: old.Count, newCount: f.PlayCount, isNew: isNew, media: media, key: identity(media, f.Path)}
	if w, ok := parseWall(f.LastPlayed); ok {
		c.wallMillis = w.UnixMilli()
	}
	return c
}

// countsAsPlayed reports whether viewings of a class are sent by default.
func countsAsPlayed(class viewing.Class) bool {
	return slices.Contains([]viewing.Class{viewing.ClassLive, viewing.ClassMarked, viewing.ClassCatchUp, viewing.ClassImport}, class)
}

// classify sets the class of a count that rose: the first half of the table in doc.go.
func (r *reading) classify(c *change) {
	w, ok := parseWall(c.file.LastPlayed)
	c.when = r.watchedAt(c.file)
	at := r.resolve(w)
	stayed := !c.isNew && c.file.LastPlayed == c.old.LastPlayed
	liveAt := w.resolve(r.zone, r.liveFrom, r.now.Add(clockSlack))
	isNow := ok && !stayed && r.readRecently() && distanceOutside(liveAt, r.liveFrom, r.now.Add(clockSlack)) == 0
	if isNow {
		c.when = newInstant(c.file.LastPlayed, liveAt)
	}
	between := distanceOutside(at, r.lastRead, r.now) <= clockSlack
	later := at.UnixMilli() > c.old.Latest
	set := func(class viewing.Class, code string) { c.class, c.note = class, r.noteFor(c, code) }
	switch {
	case !ok:
		set(viewing.ClassReview, "noTime")
		c.unsure, c.untimed = true, true
	case stayed:
		set(viewing.ClassReview, "sameTime")
		c.unsure, c.untimed = true, true
	case isNow && (c.newCount-c.oldCount == 1 || c.isShowMark()):
		set(viewing.ClassLive, "live")
	case isNow && c.isInserted():
		set(viewing.ClassBackdated, "nfo")
	case isNow:
		set(viewing.ClassReview, "atOnce")
	case at.After(r.now.Add(clockSlack)):
		set(viewing.ClassReview, "future")
	case c.isKnownTime(at):
		set(viewing.ClassReview, "backup")
		c.unsure = true
	case w.isMidnight():
		set(viewing.ClassBackdated, "dateOnly")
	case between && (later || at.After(r.lastRead)) && !r.readRecently():
		set(viewing.ClassCatchUp, "since")
	case later && at.After(r.lastRead):
		set(viewing.ClassBackdated, "late")
	case later || c.isNew:
		set(viewing.ClassBackdated, "before")
	default:
		set(viewing.ClassReview, "notLater")
	}
	r.applyAnnouncement(c)
	c.unsure = c.unsure || c.update.At.IsZero() && w.Year() <= unsetClockYear
}

// applyAnnouncement corrects the class by Kodi's announcements: the second half of the table
// in doc.go. It keeps the library's time unless that cannot be the end of a playback.
func (r *reading) applyAnnouncement(c *change) {
	a, announced := r.announcementFor(c)
	reason := r.doubtReason(c, a, announced)
	switch {
	case announced && !a.Ended.IsZero():
		if !countsAsPlayed(c.class) {
			c.when = viewing.At(a.Ended.In(r.zone))
		}
		c.class, c.note, c.update = viewing.ClassLive, r.noteFor(c, "announced"), a
	case reason == "newShort":
		c.class, c.note = viewing.ClassBackdated, r.noteFor(c, reason)
	case reason != "":
		c.class, c.note = viewing.ClassReview, r.noteFor(c, reason)
	case announced && !a.Unclear && (countsAsPlayed(c.class) || c.untimed):
		if c.untimed {
			c.when = viewing.At(a.At.In(r.zone))
		}
		c.class, c.note, c.update = viewing.ClassMarked, r.noteFor(c, "marked"), a
	}
	if !c.update.At.IsZero() {
		c.unsure, c.untimed = false, false
		c.wallMillis = c.when.Millis + int64(offsetIn(r.zone, c.when.Time()))*1000
	}
}

// doubtReason returns the code of the reason why an apparent playback may be a mark or an
// import, or "". The caller ignores it if Kodi announced the end of the playback.
func (r *reading) doubtReason(c *change, a announce.Update, announced bool) (reason string) {
	switch {
	case !countsAsPlayed(c.class):
		return ""
	case c.isInserted() && !c.isNew:
		return "nfoAgain"
	case c.isInserted() && c.when.Time().Sub(r.lastRead) < halfRuntime(c.file):
		return "newShort"
	case c.isInserted():
		return "newLong"
	case !announced && r.expectsAnnouncement(c):
		return "unannounced"
	case announced && !a.Unclear && timeBetween(c.when.Millis, a.At.UnixMilli()) > clockSlack:
		return "otherTime"
	case announced && !a.Unclear && c.isRecorded():
		return "handedOver"
	}
	return ""
}

// noteFor returns a note with the counts and times of a change.
func (r *reading) noteFor(c *change, code string) viewing.Message {
	return viewing.Say("note."+code, "from", strconv.Itoa(c.oldCount), "to", strconv.Itoa(c.newCount),
		"time", c.file.LastPlayed, "before", r.lastRead.UTC().Format(time.RFC3339))
}

// announceLead is how long before a read Kodi may announce a count that the read did not show yet:
// Kodi marks a whole show in one transaction.
const announceLead = 2 * time.Second

// announcementFor returns Kodi's last announcement of a change. It must name an item of the
// file with the new count and be newer than the last successful read, because another Kodi
// uses the same item numbers.
func (r *reading) announcementFor(c *change) (announce.Update, bool) {
	for _, a := range slices.Backward(r.environment.Updates) {
		isItem := func(i library.Item) bool { return i.KodiID == a.ID && i.Media.Type == a.Type }
		isRecent := !a.At.Before(r.lastRead.Add(-announceLead))
		if a.Count == c.newCount && isRecent && slices.ContainsFunc(c.file.Items, isItem) {
			return a, true
		}
	}
	return announce.Update{}, false
}

// expectsAnnouncement reports whether Kodi would have announced a playback of the file to us:
// the connection existed since the last successful read, and the file has a library item.
func (r *reading) expectsAnnouncement(c *change) bool {
	since := r.environment.ListeningSince
	return firstItemID(c.file) != 0 && !since.IsZero() && !since.After(r.lastRead) && r.now.Sub(r.lastRead) < announce.MaxAge
}

// isRecorded reports whether a viewing with this count was already submitted and not
// withdrawn. The library lost the count since, for example by a restored backup.
func (c *change) isRecorded() bool {
	return !c.setAgain && slices.ContainsFunc(c.old.Events, func(e event) bool { return !e.Withdrawn && !e.TakenBack && e.Count >= c.newCount })
}

// isKnownTime reports whether the file had this time before.
func (c *change) isKnownTime(at time.Time) bool {
	return at.UnixMilli() == c.old.Latest || slices.ContainsFunc(c.old.Events, func(e event) bool { return e.When.Text == c.file.LastPlayed })
}

// isInserted reports whether Kodi inserted the file's item since the last read. Only then does
// Kodi read an NFO. If that has a count but no date, Kodi writes the current time (seen with
// Kodi 20.1), which looks like a playback that has just ended.
func (c *change) isInserted() bool {
	return firstItemID(c.file) != 0 && (c.isNew || c.old.NoItem || itemsHash(c.file) != c.old.ItemsHash)
}

// isShowMark reports whether the counts fit "mark as watched" on a whole show: Kodi then
// counts a file once for each of its episodes (seen with Kodi 20.1).
func (c *change) isShowMark() bool {
	n := len(mediaOf(c.file))
	return n > 1 && c.oldCount == 0 && c.newCount == n
}

// hold puts the change under review and adds the reason to its note.
func (c *change) hold(note viewing.Message) {
	c.class, c.note = viewing.ClassReview, note.Because(c.note)
}

// holdAmbiguous holds changes that have a second explanation: the mark of a whole show, a write
// by an add-on, or a playback that an add-on reports to the same service.
func (r *reading) holdAmbiguous(c *change) {
	writers, reporters := r.environment.Writers, r.environment.Reporters
	ended := !c.update.Ended.IsZero()
	switch {
	case !countsAsPlayed(c.class):
	case !ended && c.isShowMark():
		c.hold(viewing.Say("note.showMark"))
	case len(writers) > 0 && c.class == viewing.ClassMarked:
		c.hold(viewing.Say("note.orBy", "name", writers[0]))
	case len(writers) > 0 && !ended:
		c.hold(viewing.Say("note.mayWrite", "name", writers[0]))
	case len(reporters) > 0:
		c.hold(viewing.Say("note.reports", "name", reporters[0]))
	}
}

// event returns the change as the memory stores it.
func (c *change) event() event {
	return event{
		ID: c.id, When: c.when, Count: c.newCount, Class: c.class, Key: c.key, ItemCount: len(c.media),
		FirstItem: firstItemID(c.file), SameAs: c.sameAs, Played: !c.update.Ended.IsZero(),
	}
}

// viewing returns the change as an event for the queue.
func (c *change) viewing() viewing.Event {
	v := viewing.Event{
		Kind: viewing.KindViewing, EventID: c.id, Media: c.media, WatchedAt: c.when, Count: 1,
		Class: c.class, SameAs: c.sameAs, Unsure: c.unsure, Origin: Origin(c.file),
	}
	v.Origin.Note = c.note
	return v
}
