package rule

import (
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// growth is a play count that went up.
type growth struct {
	file     library.File
	old      record
	from, to int
	unknown  bool // the path was not known before
	again    bool // the count had gone down only a moment before
}

// unchanged reports that the time did not move with the count.
func (g growth) unchanged() bool { return !g.unknown && g.file.LastPlayed == g.old.Text }

// told reports a time that was seen with the file before.
func (g growth) told() bool {
	return !g.unknown && (g.file.LastPlayed == g.old.MarkText ||
		slices.ContainsFunc(g.old.Events, func(e event) bool { return e.When.Text == g.file.LastPlayed }))
}

// ruling is the verdict on one growth.
type ruling struct {
	class   viewing.Class
	when    viewing.Instant
	note    string // what was seen, in plain sentences
	unsure  bool   // only a person can tell whether, or when, it happened
	untimed bool   // no time came with the count
	seen    bool   // Kodi has announced its playback
	byAct   bool   // Kodi has announced the mark, and its time is that of the announcement

	began time.Time // when the playback began that Kodi has announced; zero when that was not heard
}

// played reports a class that will be sent: it was played, or counts as that.
func (v ruling) played() bool {
	switch v.class {
	case viewing.ClassLive, viewing.ClassMarked, viewing.ClassCatchUp, viewing.ClassImport:
		return true
	default:
		return false
	}
}

// judge rules on a growth. Live comes first: what is written this minute was
// played this minute, whatever was seen before.
func (r *reading) judge(g growth) ruling {
	w, ok := parseWall(g.file.LastPlayed)
	if !ok {
		return ruling{class: viewing.ClassReview, when: r.instant(g.file), unsure: true, untimed: true, note: fmt.Sprintf(
			"The count went from %d to %d without a time that can be read. The time shown is when that was seen.", g.from, g.to)}
	}
	if g.unchanged() {
		return ruling{class: viewing.ClassReview, when: r.instant(g.file), unsure: true, untimed: true, note: fmt.Sprintf(
			"The count went from %d to %d, the time stayed %s. An add-on, a remote or an NFO file has changed it.", g.from, g.to, g.file.LastPlayed)}
	}
	if r.watching() {
		if s, now := w.now(r.zone, r.since, r.now.Add(slack)); now {
			return r.judgeNow(g, s)
		}
	}
	return r.judgeTime(g, w)
}

// watching reports that the last good reading is under two minutes old.
func (r *reading) watching() bool {
	gap := r.now.Sub(r.good)
	return gap >= 0 && gap < liveGap
}

// judgeNow rules on a growth that was written this minute.
func (r *reading) judgeNow(g growth, s stamp) ruling {
	when := instant(g.file.LastPlayed, s)
	if g.to-g.from == 1 || g.showMark() {
		return ruling{class: viewing.ClassLive, when: when, note: fmt.Sprintf("The count went from %d to %d this minute: seen live.", g.from, g.to)}
	}
	if g.inserted() {
		return ruling{class: viewing.ClassBackdated, when: when, note: fmt.Sprintf("Kodi has read the file's NFO, with a count of %d: an import.", g.to)}
	}
	return ruling{class: viewing.ClassReview, when: when, note: fmt.Sprintf(
		"The count went from %d to %d at once, at %s. It may be one playback that was counted more than once, or an import.",
		g.from, g.to, r.say(s.at))}
}

// judgeTime rules by where the time lies: after the last good reading is
// catch-up, before it an import, in the future or below the mark nonsense.
func (r *reading) judgeTime(g growth, w wallTime) ruling {
	s := w.nearest(r.zone, r.good, r.now)
	v := ruling{when: r.instant(g.file)}
	inside := distance(s.at, r.good, r.now) <= slack && !w.midnight()
	above := s.at.UnixMilli() > g.old.Mark
	switch {
	case s.at.After(r.now.Add(slack)):
		v.class, v.note = viewing.ClassReview, fmt.Sprintf("Its time %s lies in the future.", r.say(s.at))
	case w.midnight() && above:
		v.class, v.note = viewing.ClassBackdated, fmt.Sprintf(
			"The count went from %d to %d with a date only, as imports from NFO files leave it. Noon stands for the day.", g.from, g.to)
	case g.told():
		v.class, v.unsure, v.note = viewing.ClassReview, true, fmt.Sprintf(
			"The count went from %d to %d with the time %s, which was seen before: brought back from a backup.", g.from, g.to, g.file.LastPlayed)
	case inside && (above || s.at.After(r.good)) && !r.watching():
		v.class, v.note = viewing.ClassCatchUp, r.catchUpNote(g)
	case g.unknown || above:
		v.class, v.note = viewing.ClassBackdated, r.backdatedNote(g, s)
	default:
		v.class, v.note = viewing.ClassReview, fmt.Sprintf(
			"The count went from %d to %d with the time %q, which is not later than one seen before.", g.from, g.to, g.file.LastPlayed)
	}
	return v
}

func (r *reading) catchUpNote(g growth) string {
	note := fmt.Sprintf("The count went from %d to %d since the reading of %s.", g.from, g.to, r.say(r.good))
	if g.to-g.from > 1 {
		note += " Kodi keeps the last time only, so it counts as one."
	}
	return note
}

// backdatedNote says how old the time was when it was written, or else when it
// was seen.
func (r *reading) backdatedNote(g growth, s stamp) string {
	if !r.watching() || r.snap.Written.IsZero() {
		return fmt.Sprintf("The count went from %d to %d with the time %s, and the reading before was at %s. It is an import or a restored file.",
			g.from, g.to, r.say(s.at), r.say(r.good))
	}
	return fmt.Sprintf("The count went from %d to %d and was written at %s with the time %s. Kodi writes a playback within seconds, so it is an import.",
		g.from, g.to, r.say(earliest(r.snap.Written, r.now)), r.say(s.at))
}

// clockLayout tells a person an instant.
const clockLayout = "2006-01-02 15:04:05 -07:00"

// say writes an instant in this machine's time, with its offset.
func (r *reading) say(at time.Time) string {
	return at.In(r.environment.Machine).Format(clockLayout)
}

// maxStamp bounds a time that is no time.
const maxStamp = 40

// instant reads the time of a file in the expected zone: a date alone as noon
// of that day, and no time at all as now.
func (r *reading) instant(f library.File) viewing.Instant {
	w, ok := parseWall(f.LastPlayed)
	switch {
	case !ok:
		at := viewing.At(r.now)
		if f.LastPlayed != "" {
			at.Text = validText(f.LastPlayed, maxStamp)
		}
		return at
	case w.midnight():
		in := instant(f.LastPlayed, w.noon().nearest(r.zone, r.good, r.now))
		in.Precision = viewing.Day
		return in
	default:
		return instant(f.LastPlayed, w.nearest(r.zone, r.good, r.now))
	}
}

func instant(text string, s stamp) viewing.Instant {
	offset := s.offset
	return viewing.Instant{Millis: s.at.UnixMilli(), Text: text, Offset: &offset, Precision: viewing.Second}
}
