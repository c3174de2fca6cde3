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

// Foresee tells the fate of an item of a viewing that this source would hand
// over now.
type Foresee func(source string, v viewing.Viewing, m viewing.Media, now time.Time) Fate

// tolerance is how far ahead a time may lie, as the queue has it.
const tolerance = 5 * time.Minute

// plainFate is the fate where the user has said nothing.
func plainFate(_ string, v viewing.Viewing, m viewing.Media, now time.Time) Fate {
	switch {
	case v.WatchedAt.Begins().After(now.Add(tolerance)):
		return Fate{State: viewing.StateHeld, Reason: viewing.ReasonFuture}
	case !(ruling{class: v.Class}).played():
		return Fate{State: viewing.StateHeld, Reason: string(v.Class)}
	case !m.Identified():
		return Fate{State: viewing.StateHeld, Reason: viewing.ReasonUnresolved}
	default:
		return Fate{State: viewing.StatePending}
	}
}

// fates are those of all items of a viewing.
func (f Foresee) fates(source string, v viewing.Viewing, now time.Time) []Fate {
	all := make([]Fate, len(v.Media))
	for i, m := range v.Media {
		all[i] = f(source, v, m, now)
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
