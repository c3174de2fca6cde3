package tracker

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/filmspool/filmspool/queue/viewing"
)

// The optional endpoints that say what an item is.
const (
	resolveOne  Operation = "media/resolve"
	resolveMany Operation = "media/resolve/batch"
)

// ResolveBatch asks what items are (POST /media/resolve/batch). The answer has
// those that the service knows, by their place in items. An endpoint that is
// not there, or a question that is refused, is an error that wraps
// [ErrNoEndpoint]; every error but one about too many items is a [ReadError].
func (c *Client) ResolveBatch(ctx context.Context, items []Wanted) (map[int]Match, error) {
	if len(items) > MaxResolveItems {
		return nil, fmt.Errorf("resolve media: %d items, at most %d may be asked about at once", len(items), MaxResolveItems)
	}
	asked := make([]json.RawMessage, len(items))
	for i, w := range items {
		asked[i] = question(w)
	}
	body, err := json.Marshal(map[string]any{"items": asked})
	if err != nil {
		return nil, fmt.Errorf("resolve media: %w", err)
	}
	found, err := c.ask(ctx, call{op: resolveMany, body: body})
	if err != nil {
		return nil, err
	}
	return c.readMatches(found, items), nil
}

// Resolve asks what one item is (POST /media/resolve). Whether a 404 means
// that the service does not know the item or has no such endpoint is for the
// caller to find out: both wrap [ErrNoEndpoint]. The zero Match is one that it
// does not know.
func (c *Client) Resolve(ctx context.Context, w Wanted) (Match, error) {
	found, err := c.ask(ctx, call{op: resolveOne, body: question(w)})
	if err != nil {
		return Match{}, err
	}
	f, ok := readObject(found)
	if data, wrapped := f.object("data"); wrapped {
		f = data
	}
	if !ok {
		return Match{}, nil
	}
	m, _ := c.readMatch(f, w)
	return m, nil
}

// question is what is asked about one item, as JSON; what is not told is left
// out.
func question(w Wanted) json.RawMessage {
	type form struct {
		IMDB  string            `json:"imdbId,omitempty"`
		Title string            `json:"title,omitempty"`
		Type  viewing.MediaType `json:"type,omitempty"`
		Year  int               `json:"year,omitempty"`
	}
	body, err := json.Marshal(form(w))
	if err != nil {
		return json.RawMessage("{}") // texts and a number always are JSON
	}
	return body
}

// readMatches reads a map, flat or wrapped, by IMDb identifier, else by place.
func (c *Client) readMatches(body json.RawMessage, items []Wanted) map[int]Match {
	all, _ := readObject(body)
	if data, ok := all.object("data"); ok {
		all = data
	}
	matches := map[int]Match{}
	for i, w := range items {
		key := w.IMDB
		if key == "" {
			key = strconv.Itoa(i)
		}
		f, ok := all.object(key)
		if !ok {
			continue
		}
		if m, ok := c.readMatch(f, w); ok {
			matches[i] = m
		}
	}
	return matches
}

// readMatch reads one match; false when it names nothing, or answers another
// question.
func (c *Client) readMatch(f fields, w Wanted) (Match, bool) {
	const most = 1<<53 - 1 // the largest number that all JSON readers keep exact
	m := Match{TMDB: f.positive("tmdbId"), Type: f.text("type"), Confidence: f.text("matchConfidence")}
	if echoed := f.text("imdbId"); m.TMDB == 0 || m.TMDB > most || echoed != "" && w.IMDB != "" && echoed != w.IMDB {
		return Match{}, false
	}
	m.Type, m.Title, m.Confidence = c.tidy(m.Type, c.key), c.tidy(f.text("title"), c.key), c.tidy(m.Confidence, c.key)
	if year := f.positive("year"); year <= 9999 {
		m.Year = int(year)
	}
	return m, true
}
