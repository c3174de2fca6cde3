package kodi

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/rule"
)

// The library does not tell a playback from what an add-on writes. Where an
// add-on writes what was watched elsewhere, or tells the same service, nothing
// is sent by itself: it may be there already.

// addOnsEvery is how often add-ons are looked for while the library changes
// and none is installed, removed or turned off.
const addOnsEvery = time.Hour

// findAddOns looks for add-ons now and then, and shows what it finds.
func (i *Importer) findAddOns(ctx context.Context) {
	stamp := stampOfFile(library.AddOnFolder(i.path)) + writtenAt(library.AddOnDatabase(i.path)).String()
	if !i.addOnsAt.IsZero() && time.Since(i.addOnsAt) < addOnsEvery && stamp == i.addOnsStamp {
		return
	}
	i.addOnsAt, i.addOnsStamp = time.Now(), stamp
	var found rule.AddOns
	found.Writers, found.Reporters = library.AddOns(ctx, i.path, i.o.Account.Hosts(i.source))
	if !slices.Equal(found.Reporters, i.addOns.Reporters) && len(found.Reporters) > 0 {
		i.o.Logger.Warn("an add-on of this Kodi reports to the same service", "source", i.source, "addons", strings.Join(found.Reporters, ", "))
	}
	i.addOns = found
	i.show.Lock()
	defer i.show.Unlock()
	i.status.Reporters, i.status.Writers = found.Reporters, found.Writers
}
