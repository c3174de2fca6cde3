package kodi

import (
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Fate is what would become of one item of a viewing, in the queue's words.
type Fate struct {
	State  viewing.State // pending, held or dropped
	Reason string        // why, one word; "" for pending
	Why    string        // the same, one sentence
}

// fates are those of all items of a viewing.
func (i *Importer) fates(v viewing.Viewing, now time.Time) []Fate {
	all := make([]Fate, len(v.Media))
	for n, m := range v.Media {
		all[n] = i.o.Account.Foresee(i.source, v, m, now)
	}
	return all
}

// found is what a preview shows of a viewing: with why it would not be sent,
// where the viewing itself does not say.
func found(v viewing.Viewing, fates []Fate) Found {
	f := Found{
		Media: v.Media, WatchedAt: v.WatchedAt.Time(), Class: v.Class, Path: v.Origin.Path, Note: v.Origin.Note, SameAs: v.SameAs,
	}
	for _, fate := range fates {
		if fate.State != viewing.StatePending {
			f.Reason, f.Why = fate.Reason, fate.Why
			break
		}
	}
	return f
}
