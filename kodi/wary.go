package kodi

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// How near to each other two ends of one item are one playback, when two
// sources tell of them and the running time is not at hand.
const (
	nearFilm    = 3 * time.Hour
	nearEpisode = time.Hour
)

// wary is a sink for a source that repeats what others saw: a media server
// writes NFO files for the same playback of which Kodi's library, or a browser,
// has told already. What was told of is held for a person.
type wary struct {
	Sink
	Ledger
}

// beWary makes a sink wary, if it can tell what it has heard of.
func beWary(s Sink) Sink {
	if ledger, ok := s.(Ledger); ok {
		return wary{s, ledger}
	}
	return s
}

// Commit implements [Sink].
func (w wary) Commit(ctx context.Context, b viewing.Batch) ([]viewing.Outcome, error) {
	var keys []string
	for _, v := range b.Viewings {
		if (ruling{class: v.Class}).played() {
			for _, m := range v.Media {
				keys = append(keys, m.Key())
			}
		}
	}
	keys = slices.DeleteFunc(keys, func(key string) bool { return key == "" })
	if len(keys) == 0 {
		return w.Sink.Commit(ctx, b)
	}
	heard, err := w.Recorded(ctx, b.Source, keys)
	if err != nil {
		return nil, fmt.Errorf("ask what other sources saw: %w", err)
	}
	b.Viewings = slices.Clone(b.Viewings)
	for i := range b.Viewings {
		hold(&b.Viewings[i], heard)
	}
	return w.Sink.Commit(ctx, b)
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
