package kodi

import (
	"fmt"
	"os"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/snapshot"
)

// around is what is known of this Kodi beside its library.
func (i *Importer) around() around {
	return around{configured: i.o.Zone, kodi: i.zone.read(i.o.Userdata), machine: i.machine, addOns: i.addOns}
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

// stampOfFile changes with a file; "" when it is not there.
func stampOfFile(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size())
}

// writtenAt is when a library file was last written, its write-ahead log
// counted in; zero when it cannot be told.
func writtenAt(path string) (at time.Time) {
	for _, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			at = latest(at, info.ModTime())
		}
	}
	return at
}

// written is when a reading was written, as far as that tells of what is new
// in it. It is zero after a start and where no event tells of changes: what is
// new may have been written long before the last write. Readings that failed
// could not see it either.
func (i *Importer) written(snap snapshot.Snapshot) time.Time {
	if i.sound.IsZero() || snap.Written.IsZero() || i.Status().Deaf != "" {
		return time.Time{}
	}
	if i.failed > 0 {
		return earliest(snap.Written, i.since)
	}
	return snap.Written
}
