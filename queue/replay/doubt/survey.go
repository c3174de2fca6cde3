package doubt

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// maxAnchors is how many viewings that have arrived are looked for in one
// form, to learn how the service keeps times.
const maxAnchors = 20

// form is how an item is named towards the service. Only items of one form
// tell anything of each other.
func form(m viewing.Media) string {
	if m.Placed() {
		return "placed"
	}
	return string(m.Type)
}

// Anchors are viewings that the service has answered with success, by form.
type Anchors map[string][]Anchor

// Add adds an anchor, unless its form has enough of them.
func (a Anchors) Add(one Anchor) {
	if f := form(one.Media); len(a[f]) < maxAnchors {
		a[f] = append(a[f], one)
	}
}

// Survey is one reading of the history of one type.
type Survey struct {
	At      time.Time // when it began
	Keeps   Precision
	Anchors Anchors
	History tracker.Reading
}

// Learn is how the service keeps times, as the history shows.
func (s Survey) Learn() Precision {
	var all []Anchor
	for _, of := range s.Anchors {
		for _, a := range of {
			a.Shown, _ = Times(s.History.Items, a.Media, a.Watched)
			all = append(all, a)
		}
	}
	return Learn(all)
}

// Read is what the history shows of a viewing, without what was sent meanwhile.
func (s Survey) Read(m viewing.Media, watched time.Time, sent []Departure) Reading {
	r := Reading{At: s.At, Complete: s.History.Complete, Print: printWithout(s.History, sent, s.Keeps)}
	r.Records, r.Vague = Times(s.History.Items, m, watched)
	for _, a := range s.Anchors[form(m)] {
		shown, _ := Times(s.History.Items, a.Media, a.Watched)
		r.Anchor = r.Anchor || slices.ContainsFunc(shown, func(t time.Time) bool { return s.Keeps.Same(t, a.Watched) })
	}
	return r
}

// Times are the times of an item's records. Vague: a record near that time may be
// the item's, but cannot be compared. Or a record of the item has no time.
func Times(records []tracker.HistoryItem, m viewing.Media, at time.Time) (all []time.Time, vague bool) {
	for _, h := range records {
		switch like := h.Of(m); {
		case like == tracker.Alike && !h.WatchedAt.IsZero():
			all = append(all, h.WatchedAt)
		case like == tracker.Alike, like == tracker.Unclear && (h.WatchedAt.IsZero() || Day.Same(h.WatchedAt, at)):
			vague = true
		}
	}
	return all, vague
}

// Append adds a reading to those that are kept, as JSON. It gives the newest
// two, and the same as they are to be kept.
func Append(kept json.RawMessage, fresh Reading) ([]Reading, json.RawMessage) {
	var all []Reading
	if len(kept) > 0 && json.Unmarshal(kept, &all) != nil {
		all = nil // of another version: they are taken again
	}
	all = append(all, fresh)
	all = all[max(0, len(all)-2):]
	kept, _ = json.Marshal(all) // none of a time that JSON does not know; the next reading stands alone
	return all, kept
}

// Departure is a viewing that was sent.
type Departure struct {
	Media   viewing.Media
	Watched time.Time
}

// printWithout is the print of a history without the records of what was sent: what
// we deliver between two readings is no sign that records moved.
func printWithout(history tracker.Reading, sent []Departure, keeps Precision) string {
	named := map[int64][]Departure{} // by every number that a record may name
	for _, d := range sent {
		named[d.Media.IDs.TMDB] = append(named[d.Media.IDs.TMDB], d)
		if d.Media.Show != nil {
			named[d.Media.Show.IDs.TMDB] = append(named[d.Media.Show.IDs.TMDB], d)
		}
	}
	ours := func(h tracker.HistoryItem) bool {
		for _, n := range []int64{h.ID, h.TMDBID, h.ShowID} {
			for _, d := range named[n] {
				if n != 0 && h.Of(d.Media) == tracker.Alike && keeps.Same(h.WatchedAt, d.Watched) {
					return true
				}
			}
		}
		return false
	}
	var rest []tracker.HistoryItem
	for _, h := range history.Items {
		if !ours(h) {
			rest = append(rest, h)
		}
	}
	if len(rest) == len(history.Items) {
		return history.Print
	}
	return tracker.Fingerprint(rest)
}
