package rule

import (
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/kodi/announce"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// early is how long before a good reading something may have been announced
// that this reading did not show: Kodi marks a show in one transaction.
const early = 2 * time.Second

// announced is what Kodi has announced of a growth, the last word of it. It
// fits if it names an item of the file with this count, since the last good
// reading: another Kodi numbers its items alike.
func (r *reading) announced(g growth) (announce.Act, bool) {
	for _, a := range slices.Backward(r.environment.Acts) {
		fits := a.Count == g.to && !a.At.Before(r.good.Add(-early)) && slices.ContainsFunc(g.file.Items, func(i library.Item) bool {
			return i.KodiID == a.ID && i.Media.Type == a.Type
		})
		if fits {
			return a, true
		}
	}
	return announce.Act{}, false
}

// hear lets what Kodi has announced of a growth decide its class. The time is
// the library's, unless that cannot be the time of a playback.
func (r *reading) hear(g growth, v ruling) ruling {
	a, ok := r.announced(g)
	mark := viewing.At(a.At.In(r.environment.Machine))
	switch {
	case !ok && v.played() && r.heardAll(g):
		v.class, v.note = viewing.ClassReview, fmt.Sprintf(
			"The count went from %d to %d, and Kodi, which is heard, has announced neither a playback nor a mark: another program has written it.", g.from, g.to)
	case !ok || a.Unclear:
	case !a.Ended.IsZero():
		if !v.played() {
			v.when = viewing.At(a.Ended.In(r.environment.Machine))
		}
		note := fmt.Sprintf("The count went from %d to %d, and Kodi has announced the end of its playback.", g.from, g.to)
		return ruling{class: viewing.ClassLive, when: v.when, note: note, seen: true, began: a.Began}
	case v.played() && apart(v.when.Millis, mark.Millis) > slack:
		v.class, v.note = viewing.ClassReview, fmt.Sprintf(
			"The count went from %d to %d. It was announced as marked, with a time that is not that of the mark: another program has written it.", g.from, g.to)
	case v.played() && r.handedOver(g):
		v.class, v.note = viewing.ClassReview, fmt.Sprintf(
			"The count went from %d to %d by a mark, and a viewing up to that count was handed over before.", g.from, g.to)
	case v.played(), v.untimed:
		note := fmt.Sprintf("The count went from %d to %d, and Kodi has announced no playback: it was marked.", g.from, g.to)
		if v.untimed {
			v.when = mark
		}
		return ruling{class: viewing.ClassMarked, when: v.when, note: note, byAct: v.untimed}
	}
	return v
}

// heardAll reports that Kodi would have been heard announce a growth: it was
// connected all the time since the last good reading, and the file is an item of its
// library.
func (r *reading) heardAll(g growth) bool {
	since := r.environment.HeardSince
	return row(g.file) != 0 && !since.IsZero() && !since.After(r.good) && r.now.Sub(r.good) < announce.KeptFor
}

// handedOver reports that a viewing of this file stands that led to this count: it
// was lost from the library, as by a backup that was put back.
func (r *reading) handedOver(g growth) bool {
	return !g.again && slices.ContainsFunc(g.old.Events, func(e event) bool { return !e.Gone && !e.Taken && e.Count >= g.to })
}
