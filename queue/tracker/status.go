package tracker

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// ItemStatus is what the service knows of one item at a glance.
type ItemStatus struct {
	Watched     *bool     // nil when it does not tell
	WatchedAt   time.Time // the last viewing; zero when not told
	InWatchlist *bool
}

// MaxStatusItems is how many items one question about their status may name.
const MaxStatusItems = 50

// MediaStatus asks about identified items (POST /media/status); the answer has those that the service knows, by
// [viewing.Media.Key].
func (c *Client) MediaStatus(ctx context.Context, items []viewing.Media) (map[string]ItemStatus, error) {
	if len(items) > MaxStatusItems {
		return nil, fmt.Errorf("ask for status: %d items, at most %d may be asked about at once", len(items), MaxStatusItems)
	}
	type item struct {
		Type    viewing.MediaType `json:"type"`
		ID      int64             `json:"id,omitempty"`
		TMDBID  int64             `json:"tmdbId,omitempty"`
		Season  *int              `json:"seasonNumber,omitempty"`
		Episode *int              `json:"episodeNumber,omitempty"`
	}
	asked := make([]item, len(items))
	for i, m := range items {
		asked[i] = item{Type: m.Type, ID: m.IDs.TMDB, TMDBID: m.IDs.TMDB}
		if m.Placed() {
			asked[i] = item{Type: m.Type, TMDBID: m.Show.IDs.TMDB, Season: m.Season, Episode: m.Episode}
		} else if m.Type == viewing.Episode {
			asked[i].TMDBID = 0 // that would be the series'
		}
	}
	body, err := json.Marshal(map[string]any{"items": asked})
	if err != nil {
		return nil, fmt.Errorf("ask for status: %w", err)
	}
	found, err := c.read(ctx, call{op: "media/status", body: body})
	if err != nil {
		return nil, err
	}
	all := unwrap(found)
	statuses := map[string]ItemStatus{}
	for _, m := range items {
		if f, ok := all.object(m.Key()); ok {
			statuses[m.Key()] = ItemStatus{Watched: f.boolean("watched"), WatchedAt: f.instant("watchedAt"), InWatchlist: f.boolean("inWatchlist")}
		}
	}
	return statuses, nil
}
