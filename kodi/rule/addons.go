package rule

import (
	"fmt"

	"github.com/filmspool/filmspool/queue/viewing"
)

// The library does not tell a playback from what an add-on writes. Where an
// add-on writes what was watched elsewhere, or tells the same service, nothing
// is sent by itself: it may be there already.

// AddOns are those of a Kodi that matter here, by id.
type AddOns struct {
	Reporters []string // report to the same service
	Writers   []string // write into the library what was watched elsewhere
}

// doubt says why what looks like a playback may be known elsewhere, one
// sentence; "" without such an add-on.
func (a AddOns) doubt() string {
	switch {
	case len(a.Writers) > 0:
		return fmt.Sprintf("But %s of this Kodi may have written it: it brings what was watched elsewhere, and the library does not tell that from a playback.", a.Writers[0])
	case len(a.Reporters) > 0:
		return fmt.Sprintf("But %s of this Kodi reports to the same service: it may be there already.", a.Reporters[0])
	default:
		return ""
	}
}

// holdUnseen holds what an add-on may have written or told.
func (r *reading) holdUnseen() {
	why := r.around.AddOns.doubt()
	if why == "" {
		return
	}
	for _, f := range r.found {
		if !f.settled && f.played() {
			f.class, f.unseen = viewing.ClassReview, true
			f.note += " " + why
		}
	}
}
