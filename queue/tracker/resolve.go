package tracker

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"

	"github.com/filmspool/filmspool/queue/viewing"
)

// MaxResolveItems is how many items one question about what they are may name.
const MaxResolveItems = 50

// Wanted asks what an item is: by an IMDb identifier alone, or by a title with a type and, where it is known, a
// year.
type ResolveItem struct {
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

// ResolveBatch asks what items are (POST /media/resolve/batch), and answers each; the zero Match is one that the
// service does not know. An endpoint that is not there, or a question that is refused, is an error that wraps
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

// Resolve asks what one item is (POST /media/resolve). Whether a 404 means that the service does not know the
// item or has no such endpoint is for the caller to find out: both wrap [ErrNoEndpoint]. The zero Match is one
// that it does not know.
func (c *Client) Resolve(ctx context.Context, w ResolveItem) (Match, error) {
	found, err := c.postQuestion(ctx, "media/resolve", w)
	return c.readMatch(found, w), err
}

// ask puts a question, and reads an answer that is an object, flat or wrapped.
func (c *Client) postQuestion(ctx context.Context, op Operation, question any) (fields, error) {
	body, _ := json.Marshal(question) // texts and numbers always encode
	found, err := c.readOptional(ctx, call{op: op, body: body})
	f, _ := readObject(found)
	if data, ok := f.object("data"); ok {
		return data, err
	}
	return f, err
}

// readMatch reads one match; the zero value when it names nothing, or answers another question.
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
