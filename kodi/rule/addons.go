package rule

import (
	"fmt"

	"github.com/filmspool/filmspool/queue/viewing"
)

// The library does not tell a playback from what an add-on writes; what Kodi
// announces does. Where an add-on writes what was watched elsewhere, nothing is
// sent by itself but what was seen to be played. Where one tells the same
// service, nothing is: it may be there already.

// AddOns are those of a Kodi that matter here, by id.
type AddOns struct {
	Reporters []string // report to the same service
	Writers   []string // write into the library what was watched elsewhere
}

// holdUnseen holds what an add-on may have written or told.
func (r *reading) holdUnseen() {
	writers, reporters := r.environment.AddOns.Writers, r.environment.AddOns.Reporters
	for _, f := range r.found {
		switch {
		case f.settled || !f.played():
		case len(writers) > 0 && f.class == viewing.ClassMarked:
			f.class = viewing.ClassReview
			f.note += fmt.Sprintf(" By a person, or by %s of this Kodi, which brings what was watched elsewhere.", writers[0])
		case len(writers) > 0 && !f.seen:
			f.hold(fmt.Sprintf("But %s of this Kodi may have written it: it brings what was watched elsewhere, and the library does not tell that from a playback.", writers[0]))
		case len(reporters) > 0:
			f.hold(fmt.Sprintf("But %s of this Kodi reports to the same service: it may be there already.", reporters[0]))
		}
	}
}

// hold holds what looks like a playback, for what may be known elsewhere.
func (f *finding) hold(why string) {
	f.class, f.unseen = viewing.ClassReview, true
	f.note += " " + why
}
