package rule

import (
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Two sources that tell of ends of one item so near to each other tell of one
// playback. The running time is not at hand there.
const (
	nearFilm    = 3 * time.Hour
	nearEpisode = time.Hour
)

// Unheard are the items, by key, of the viewings that would be sent: about them
// [HoldHeard] has to know what others have told.
func Unheard(viewings []viewing.Viewing) (keys []string) {
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
func HoldHeard(viewings []viewing.Viewing, heard map[string][]viewing.Instant) []viewing.Viewing {
	viewings = slices.Clone(viewings)
	for i := range viewings {
		hold(&viewings[i], heard)
	}
	return viewings
}

// hold holds a viewing of which others have told.
func hold(v *viewing.Viewing, heard map[string][]viewing.Instant) {
	if !(ruling{class: v.Class}).played() || v.SameAs != "" {
		return
	}
	for _, m := range v.Media {
		for _, at := range heard[m.Key()] {
			if tooNear(m, v.WatchedAt, at) {
				v.Class, v.Unsure = viewing.ClassReview, true
				v.Origin.Note += fmt.Sprintf(" But a viewing of it at %s is known already: it may be the same playback.", at.Time().Local().Format(clockLayout))
				return
			}
		}
	}
}

// tooNear reports whether two ends of one item may be one playback.
func tooNear(m viewing.Media, a, b viewing.Instant) bool {
	within := nearFilm
	if m.Type == viewing.Episode {
		within = nearEpisode
	}
	if a.Precision == viewing.Day || b.Precision == viewing.Day {
		within = halfDay
	}
	return apart(a.Millis, b.Millis) < within
}
