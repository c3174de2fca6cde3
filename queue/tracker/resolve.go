package tracker

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/filmspool/filmspool/queue/viewing"
)

// MaxResolveItems is how many items one question about what they are may name.
const MaxResolveItems = 50

// Wanted asks what an item is: by an IMDb identifier alone, or by a title with a type and, where it is known, a
// year.
type Wanted struct {
	IMDB  string            `json:"imdbId,omitempty"`
	Title string            `json:"title,omitempty"`
	Type  viewing.MediaType `json:"type,omitempty"`
	Year  int               `json:"year,omitempty"`
}

// Match is what the service takes an item for. Zero values were not told.
type Match struct {
	TMDB       int64
	Type       string
	Title      string // one line, bounded
	Year       int
	Confidence string // high, medium or low
}

// ResolveBatch asks what items are (POST /media/resolve/batch). The answer has those that the service knows, by
// their place in items. An endpoint that is not there, or a question that is refused, is an error that wraps
// [ErrNoEndpoint]; every error but one about too many items is a [ReadError].
func (c *Client) ResolveBatch(ctx context.Context, items []Wanted) (map[int]Match, error) {
	if len(items) > MaxResolveItems {
		return nil, fmt.Errorf("resolve media: %d items, at most %d may be asked about at once", len(items), MaxResolveItems)
	}
	body, err := json.Marshal(map[string]any{"items": items})
	if err != nil {
		return nil, fmt.Errorf("resolve media: %w", err)
	}
	found, err := c.read(ctx, call{op: "media/resolve/batch", body: body})
	if err != nil {
		return nil, err
	}
	all := unwrap(found)
	matches := map[int]Match{}
	for i, w := range items {
		key := w.IMDB
		if key == "" {
			key = strconv.Itoa(i)
		}
		f, _ := all.object(key)
		if m, ok := c.readMatch(f, w); ok {
			matches[i] = m
		}
	}
	return matches, nil
}

// Resolve asks what one item is (POST /media/resolve). Whether a 404 means that the service does not know the
// item or has no such endpoint is for the caller to find out: both wrap [ErrNoEndpoint]. The zero Match is one
// that it does not know.
func (c *Client) Resolve(ctx context.Context, w Wanted) (Match, error) {
	body, err := json.Marshal(w)
	if err != nil {
		return Match{}, fmt.Errorf("resolve media: %w", err)
	}
	found, err := c.read(ctx, call{op: "media/resolve", body: body})
	if err != nil {
		return Match{}, err
	}
	m, _ := c.readMatch(unwrap(found), w)
	return m, nil
}

// unwrap reads an object, flat or wrapped.
func unwrap(body []byte) fields {
	f, _ := readObject(body)
	if data, ok := f.object("data"); ok {
		return data
	}
	return f
}

// readMatch reads one match; false when it names nothing, or answers another question.
func (c *Client) readMatch(f fields, w Wanted) (Match, bool) {
	const largest = 1<<53 - 1 // the largest number that all JSON readers keep exact
	id, echoed := f.positive("tmdbId"), f.text("imdbId")
	if id == 0 || id > largest || echoed != "" && w.IMDB != "" && echoed != w.IMDB {
		return Match{}, false
	}
	m := Match{
		TMDB: id, Type: tidy(f.text("type"), c.key), Title: tidy(f.text("title"), c.key),
		Confidence: tidy(f.text("matchConfidence"), c.key),
	}
	if year := f.positive("year"); year <= 9999 {
		m.Year = int(year)
	}
	return m, true
}
