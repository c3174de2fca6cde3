package rule

import (
	"fmt"
	"slices"

	"github.com/filmspool/filmspool/queue/playback"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Unheard are the items, by key, of the viewings that would be sent: about them
// [HoldHeard] has to know what others have told.
func Unheard(viewings []viewing.Event) (keys []string) {
	for _, v := range viewings {
		for _, m := range v.Media {
			if key := m.Key(); key != "" && (ruling{class: v.Class}).played() {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// HoldHeard holds viewings of which others have told, for a source that repeats
// what others saw. It gives a copy.
func HoldHeard(viewings []viewing.Event, heard map[string][]viewing.Instant) []viewing.Event {
	viewings = slices.Clone(viewings)
	for i := range viewings {
		hold(&viewings[i], heard)
	}
	return viewings
}

// hold holds a viewing of which others have told.
func hold(v *viewing.Event, heard map[string][]viewing.Instant) {
	if !(ruling{class: v.Class}).played() || v.SameAs != "" {
		return
	}
	for _, m := range v.Media {
		for _, at := range heard[m.Key()] {
			if playback.Echo.Same(playback.End{At: v.WatchedAt, Type: m.Type}, playback.End{At: at}) {
				v.Class, v.Unsure = viewing.ClassReview, true
				v.Origin.Note += fmt.Sprintf(" But a viewing of it at %s is known already: it may be the same playback.", at.Time().Local().Format(clockLayout))
				return
			}
		}
	}
}
