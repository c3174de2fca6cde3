package kodi

import (
	"strings"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/rule"
)

// around is what is known of this Kodi beside its library. On a server other Kodis
// write as well, which nobody hears.
func (i *Importer) around(snap library.Snapshot) rule.Around {
	a := rule.Around{Configured: i.o.Zone, Kodi: i.zone.read(i.path), Machine: i.machine, AddOns: i.addOns}
	a.Acts, a.HeardSince = i.kodi.Acts()
	if strings.HasPrefix(snap.Path, "mysql://") {
		a.HeardSince = time.Time{}
	}
	return a
}

// kodiZone is the zone of Kodi's settings, read again when their file changes.
type kodiZone struct {
	stamp string
	zone  *time.Location
}

func (z *kodiZone) read(userdata string) *time.Location {
	stamp := stampOfFile(library.ZoneFile(userdata))
	if stamp != z.stamp {
		z.stamp, z.zone = stamp, library.Zone(userdata)
	}
	return z.zone
}

// written is when a reading was written, as far as that tells of what is new
// in it. It is zero when no event has told of the change: what is new may have been written long before the last write. Readings that failed
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
