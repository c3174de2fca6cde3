package kodi

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/rule"
)

// environment is what is known of this Kodi beside its library. Other Kodis write to a
// library on a server, and they are not heard.
func (i *Importer) environment(snap library.Snapshot) rule.Environment {
	e := rule.Environment{Zone: cmp.Or(i.o.Zone, i.zone, time.Local), Reporters: i.reporters, Writers: i.writers}
	e.Acts, e.HeardSince = i.kodi.Acts()
	if strings.HasPrefix(snap.Path, "mysql://") {
		e.HeardSince = time.Time{}
	}
	return e
}

// readSettings reads the zone of Kodi's settings and its add-ons again where their files
// have changed, and shows the add-ons.
func (i *Importer) readSettings(ctx context.Context) {
	if stamp := stampOfFile(library.ZoneFile(i.path)); stamp != i.zoneStamp {
		i.zoneStamp, i.zone = stamp, library.Zone(i.path)
	}
	database := library.AddOnDatabase(i.path)
	stamp := stampOfFile(library.AddOnFolder(i.path)) + stampOfFile(database) + stampOfFile(database+"-wal")
	if stamp == i.addOnsStamp {
		return
	}
	i.addOnsStamp = stamp
	before := i.reporters
	i.writers, i.reporters = library.AddOns(ctx, i.path, i.o.Account.Hosts(i.source))
	if !slices.Equal(before, i.reporters) && len(i.reporters) > 0 {
		i.o.Logger.Warn("an add-on of this Kodi reports to the same service", "source", i.source, "addons", strings.Join(i.reporters, ", "))
	}
	i.show.Lock()
	defer i.show.Unlock()
	i.status.Reporters, i.status.Writers = i.reporters, i.writers
}

// written is when the newest of a reading was written. It is zero where no event has told
// of the change: that may have happened long before the last write. A reading that failed
// could not see it either.
func (i *Importer) written(snap library.Snapshot) time.Time {
	if i.sound.IsZero() || snap.Written.IsZero() || !i.event.Load() {
		return time.Time{}
	}
	if i.failed > 0 && i.since.Before(snap.Written) {
		return i.since
	}
	return snap.Written
}
