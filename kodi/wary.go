package kodi

import (
	"context"
	"fmt"

	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/queue/viewing"
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
	keys := rule.Unheard(b.Events)
	if len(keys) == 0 {
		return w.Sink.Commit(ctx, b)
	}
	heard, err := w.Recorded(ctx, b.Source, keys)
	if err != nil {
		return nil, fmt.Errorf("ask what other sources saw: %w", err)
	}
	b.Events = rule.HoldHeard(b.Events, heard)
	return w.Sink.Commit(ctx, b)
}
