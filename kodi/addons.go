package kodi

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// The library does not tell a playback from what an add-on writes. Where an
// add-on writes what was watched elsewhere, or tells the same service, nothing
// is sent by itself: it may be there already.

// addOns are those of a Kodi that matter here, by id.
type addOns struct {
	reporters []string // report to the same service
	writers   []string // write into the library what was watched elsewhere
}

// addOnsEvery is how often add-ons are looked for while the library changes
// and none is installed or removed.
const addOnsEvery = time.Hour

// findAddOns looks for add-ons now and then, and shows what it finds.
func (i *Importer) findAddOns(ctx context.Context) {
	if i.o.Hosts == nil {
		return
	}
	stamp := stampOfFile(library.AddOns(i.o.Userdata))
	if !i.addOnsAt.IsZero() && time.Since(i.addOnsAt) < addOnsEvery && stamp == i.addOnsStamp {
		return
	}
	i.addOnsAt, i.addOnsStamp = time.Now(), stamp
	found := addOns{reporters: i.reporters(ctx), writers: library.Writers(ctx, i.o.Userdata)}
	if !slices.Equal(found.reporters, i.addOns.reporters) && len(found.reporters) > 0 {
		i.o.Logger.Warn("an add-on of this Kodi reports to the same service", "source", i.source, "addons", strings.Join(found.reporters, ", "))
	}
	i.addOns = found
	i.show.Lock()
	defer i.show.Unlock()
	i.status.Reporters, i.status.Writers = found.reporters, found.writers
}

// reporters are the add-ons that report to the same service.
func (i *Importer) reporters(ctx context.Context) []string {
	if i.o.Hosts == nil {
		return nil
	}
	return library.Reporters(ctx, i.o.Userdata, i.o.Hosts())
}

// doubt says why what looks like a playback may be known elsewhere, one
// sentence; "" without such an add-on.
func (a addOns) doubt() string {
	switch {
	case len(a.writers) > 0:
		return fmt.Sprintf("But %s of this Kodi may have written it: it brings what was watched elsewhere, and the library does not tell that from a playback.", a.writers[0])
	case len(a.reporters) > 0:
		return fmt.Sprintf("But %s of this Kodi reports to the same service: it may be there already.", a.reporters[0])
	default:
		return ""
	}
}

// holdUnseen holds what an add-on may have written or told.
func (r *reading) holdUnseen() {
	why := r.around.addOns.doubt()
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
