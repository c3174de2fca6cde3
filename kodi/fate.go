package kodi

import (
	"time"

	"github.com/filmspool/filmspool/kodi/scan"

	"github.com/filmspool/filmspool/queue/viewing"
)

// fates are those of all items of a viewing.
func (i *Importer) fates(v viewing.Event, now time.Time) []scan.Fate {
	all := make([]scan.Fate, len(v.Media))
	for n, m := range v.Media {
		all[n] = i.o.Account.Foresee(i.source, v, m, now)
	}
	return all
}
