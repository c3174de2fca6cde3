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

// broughtBack reports a count that had gone down before, or a time that was
// seen before: one in seven old times of a day is this minute in some zone.
func (g growth) broughtBack() bool { return g.old.DownAt > 0 || g.told() }

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
	afar    bool   // this minute by the clock of another zone alone
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
		if v, ok := r.judgeLive(g, w); ok {
			return v
		}
		r.clockVote(g, w)
	}
	return r.judgeTime(g, w)
}

// watching reports that the last good reading is under two minutes old.
func (r *reading) watching() bool {
	gap := r.now.Sub(r.good)
	return gap >= 0 && gap < liveGap
}

// judgeLive rules on a growth seen within two minutes.
func (r *reading) judgeLive(g growth, w wallTime) (ruling, bool) {
	until := r.now.Add(slack)
	if s, now := w.now(r.zone, r.since, until); now {
		r.Meta.Clock = Clock{}
		return r.judgeNow(g, s), true
	}
	s, now := w.nowElsewhere(r.since, until)
	if !now || r.around.told() {
		return ruling{}, false
	}
	v := ruling{class: viewing.ClassReview, when: instant(g.file.LastPlayed, s), unsure: true, afar: true, note: fmt.Sprintf(
		"The count went from %d to %d. Its time %s is this minute only by a clock at UTC%s, and this machine's is at UTC%s.",
		g.from, g.to, g.file.LastPlayed, utc(s.offset), utc(offsetIn(r.zone, r.now)))}
	if g.broughtBack() {
		v.when = r.instant(g.file)
		v.note += " The count had been taken back, or the time was seen before: it may come from a backup."
	}
	return v, true
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
	case inside && g.told():
		v.class, v.unsure, v.note = viewing.ClassReview, true, fmt.Sprintf(
			"The count went from %d to %d with the time %s, which was seen before: brought back from a backup.", g.from, g.to, g.file.LastPlayed)
	case inside && (above || s.at.After(r.good)) && !r.watching():
		v.class, v.note = viewing.ClassCatchUp, r.catchUpNote(g)
	case g.unknown || above:
		v.class, v.note = viewing.ClassBackdated, r.backdatedNote(g, s)
	default:
		v.class, v.note = viewing.ClassReview, fmt.Sprintf(
			"The count went from %d to %d with the time %s, which is not later than one seen before.", g.from, g.to, r.say(s.at))
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
	age := max(earliest(r.snap.Written, r.now).Sub(s.at), 0).Round(time.Second)
	return fmt.Sprintf("The count went from %d to %d with the time %s, written %s after it. Kodi writes a playback within seconds, so it is an import.",
		g.from, g.to, r.say(s.at), age)
}

// clockLayout tells a person an instant.
const clockLayout = "2006-01-02 15:04:05 -07:00"

// say writes an instant in this machine's time, with its offset.
func (r *reading) say(at time.Time) string {
	return at.In(r.around.Machine).Format(clockLayout)
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

// utc writes an offset as +05:30.
func utc(offset int) string {
	return time.Time{}.In(time.FixedZone("", offset)).Format("-07:00")
}
