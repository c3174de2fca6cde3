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
	for _, a := range slices.Backward(r.around.Acts) {
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
	switch {
	case !ok:
	case !a.Ended.IsZero():
		if !v.played() {
			v.when = viewing.At(a.Ended.In(r.around.Machine))
		}
		note := fmt.Sprintf("The count went from %d to %d, and Kodi has announced the end of its playback.", g.from, g.to)
		return ruling{class: viewing.ClassLive, when: v.when, seen: true, note: note}
	case v.played():
		v.class = viewing.ClassMarked
		v.note = fmt.Sprintf("The count went from %d to %d, and Kodi has announced no playback: it was marked.", g.from, g.to)
	}
	return v
}
