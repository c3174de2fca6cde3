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

// environment returns zone, add-ons and announcements of this Kodi. Other Kodis may write to a
// library on a server, and their announcements are not received.
func (i *Importer) environment(snap library.Snapshot) rule.Environment {
	e := rule.Environment{Zone: cmp.Or(i.options.Zone, i.zone, time.Local), Reporters: i.reporters, Writers: i.writers}
	e.Updates, e.ListeningSince = i.listener.Updates()
	if strings.HasPrefix(snap.Path, "mysql://") {
		e.ListeningSince = time.Time{}
	}
	return e
}

// readSettings updates zone and add-ons if their files have changed, and shows the add-ons.
func (i *Importer) readSettings(ctx context.Context) {
	if stamp := fileStamp(library.ZoneFile(i.path)); stamp != i.zoneStamp {
		i.zoneStamp, i.zone = stamp, library.Zone(i.path)
	}
	database := library.AddOnDatabase(i.path)
	stamp := fileStamp(library.AddOnFolder(i.path)) + fileStamp(database) + fileStamp(database+"-wal")
	if stamp == i.addOnsStamp {
		return
	}
	i.addOnsStamp = stamp
	before := i.reporters
	i.writers, i.reporters = library.AddOns(ctx, i.path, i.options.Account.Hosts(i.source))
	if !slices.Equal(before, i.reporters) && len(i.reporters) > 0 {
		i.options.Logger.Warn("an add-on of this Kodi reports to the same service", "source", i.source, "addons", strings.Join(i.reporters, ", "))
	}
	i.statusMu.Lock()
	defer i.statusMu.Unlock()
	i.status.Reporters, i.status.Writers = i.reporters, i.writers
}

// writtenAt returns when the newest change of a snapshot was written. It is zero without a file
// event: the change may be much older than the last write. After failed reads it is at most the
// start of the first one.
func (i *Importer) writtenAt(snap library.Snapshot) time.Time {
	if i.verifiedAt.IsZero() || snap.Written.IsZero() || !i.eventSeen.Load() {
		return time.Time{}
	}
	if i.failures > 0 && i.failedSince.Before(snap.Written) {
		return i.failedSince
	}
	return snap.Written
}
