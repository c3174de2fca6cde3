package tracker

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"

	"github.com/filmspool/filmspool/queue/viewing"
)

// MaxResolveItems is the largest number of items in one call of [Client.ResolveBatch].
const MaxResolveItems = 50

// ResolveItem identifies an item to resolve: by an IMDb identifier alone, or by a title with a type and, if known,
// a year.
type ResolveItem struct {
	IMDB  string            `json:"imdbId,omitempty"`
	Title string            `json:"title,omitempty"`
	Type  viewing.MediaType `json:"type,omitempty"`
	Year  int               `json:"year,omitempty"`
}

// Match is the service's result for an item. Missing values are zero.
type Match struct {
	TMDB       int64
	Type       string
	Title      string // one line, bounded
	Year       int
	Confidence string // high, medium or low
}

// ResolveBatch resolves items (POST /media/resolve/batch) and returns one match for each; the zero Match means that
// the service does not know the item. If the endpoint is missing or refuses the request, the error wraps
// [ErrNoEndpoint]; every error is a [Verdict].
func (c *Client) ResolveBatch(ctx context.Context, items []ResolveItem) ([]Match, error) {
	all, err := c.postQuestion(ctx, "media/resolve/batch", map[string]any{"items": items})
	if err != nil {
		return nil, err
	}
	matches := make([]Match, len(items))
	for i, w := range items {
		f, _ := all.object(cmp.Or(w.IMDB, strconv.Itoa(i)))
		matches[i] = c.readMatch(f, w)
	}
	return matches, nil
}

// Resolve resolves one item (POST /media/resolve). The zero Match means that the service does not know the item. A
// 404 may mean that, too, or that the endpoint is missing; in both cases the error wraps [ErrNoEndpoint].
func (c *Client) Resolve(ctx context.Context, w ResolveItem) (Match, error) {
	found, err := c.postQuestion(ctx, "media/resolve", w)
	return c.readMatch(found, w), err
}

// postQuestion posts a question and returns the response's object, flat or wrapped in "data".
func (c *Client) postQuestion(ctx context.Context, op Operation, question any) (fields, error) {
	body, _ := json.Marshal(question) // texts and numbers always encode
	found, err := c.readOptional(ctx, call{op: op, body: body})
	f, _ := readObject(found)
	if data, ok := f.object("data"); ok {
		return data, err
	}
	return f, err
}

// readMatch parses one match; the zero value if it has no identifier, or is for another IMDb identifier.
func (c *Client) readMatch(f fields, w ResolveItem) Match {
	const largest = 1<<53 - 1 // the largest number that all JSON readers keep exact
	id, echoed := f.positive("tmdbId"), f.text("imdbId")
	if id == 0 || id > largest || echoed != "" && w.IMDB != "" && echoed != w.IMDB {
		return Match{}
	}
	m := Match{
		TMDB: id, Type: sanitize(f.text("type"), c.options.Key), Title: sanitize(f.text("title"), c.options.Key),
		Confidence: sanitize(f.text("matchConfidence"), c.options.Key),
	}
	if year := f.positive("year"); year <= 9999 {
		m.Year = int(year)
	}
	return m
}
