package kodi

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
	class  viewing.Class
	when   viewing.Instant
	note   string // one sentence that says how the verdict came about
	unsure bool   // only a person can tell whether, or when, it happened
}

// judge rules on a growth. Live comes first: what is written this minute was
// played this minute, whatever was seen before.
func (r *reading) judge(g growth) ruling {
	w, ok := parseWall(g.file.LastPlayed)
	if !ok {
		return ruling{class: viewing.ClassReview, when: r.instant(g.file), unsure: true, note: fmt.Sprintf(
			"The count went from %d to %d without a time that can be read; the time shown is when it was seen.", g.from, g.to)}
	}
	if g.unchanged() {
		return ruling{class: viewing.ClassReview, when: r.instant(g.file), unsure: true, note: fmt.Sprintf(
			"The count went from %d to %d but its time stayed: an add-on or a remote has changed it.", g.from, g.to)}
	}
	if gap := r.now.Sub(r.good); gap >= 0 && gap < liveGap {
		if v, ok := r.judgeLive(g, w); ok {
			return v
		}
	}
	return r.judgeTime(g, w)
}

// judgeLive rules on a growth seen within two minutes.
func (r *reading) judgeLive(g growth, w wallTime) (ruling, bool) {
	s, now := w.thisMinute(r.zone, r.good, r.now)
	elsewhere := offsetIn(r.zone, s.at) != s.offset
	switch {
	case now && elsewhere && g.broughtBack():
		return ruling{class: viewing.ClassReview, when: r.instant(g.file), unsure: true, note: fmt.Sprintf(
			"The count had been taken back, and its time is this minute only by a clock at UTC%s: played there, or brought back from a backup.", utc(s.offset))}, true
	case now && (g.to-g.from == 1 || g.showMark()):
		note := fmt.Sprintf("The count went from %d to %d this minute: seen live.", g.from, g.to)
		if elsewhere {
			note = fmt.Sprintf("The count went from %d to %d this minute, as Kodi's clock has it at UTC%s: seen live.", g.from, g.to, utc(s.offset))
		}
		return ruling{class: viewing.ClassLive, when: instant(g.file.LastPlayed, s), note: note}, true
	case now:
		return ruling{class: viewing.ClassBackdated, when: instant(g.file.LastPlayed, s), note: fmt.Sprintf(
			"The count went from %d to %d at once: an import, not a playback.", g.from, g.to)}, true
	default:
		return ruling{}, false
	}
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
		v.class, v.note = viewing.ClassReview, "Its time lies in the future."
	case w.midnight() && above:
		v.class, v.note = viewing.ClassBackdated, "Its time is a date only, as imports from NFO files leave it; noon stands for the day."
	case inside && g.told():
		v.class, v.unsure, v.note = viewing.ClassReview, true, fmt.Sprintf(
			"The count went from %d to %d with a time that was seen before: brought back from a backup.", g.from, g.to)
	case inside && (above || s.at.After(r.good)) && r.now.Sub(r.good) >= liveGap:
		v.class, v.note = viewing.ClassCatchUp, r.catchUpNote(g)
	case g.unknown || above:
		v.class, v.note = viewing.ClassBackdated, fmt.Sprintf(
			"The count went from %d to %d with a time before the last reading: an import or a restored file.", g.from, g.to)
	default:
		v.class, v.note = viewing.ClassReview, fmt.Sprintf(
			"The count went from %d to %d with a time that is not later than one seen before.", g.from, g.to)
	}
	return v
}

func (r *reading) catchUpNote(g growth) string {
	note := fmt.Sprintf("The count went from %d to %d since the reading of %s.", g.from, g.to, r.good.UTC().Format(time.RFC3339))
	if g.to-g.from > 1 {
		note += " Kodi keeps the last time only, so it counts as one."
	}
	return note
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
