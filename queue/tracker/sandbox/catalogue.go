package sandbox

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// catalogueFile holds a few titles that show how a service resolves items.
//
//go:embed catalogue.json
var catalogueFile []byte

// title is one item of the catalogue, or a question about one.
type title struct {
	Type       string `json:"type"`
	TMDB       int64  `json:"tmdbId"`
	IMDB       string `json:"imdbId"`
	Title      string `json:"title"`
	Year       int    `json:"year"`
	Confidence string `json:"matchConfidence"`
}

// findTitle searches an item by its IMDb identifier, or by its title and type. Its confidence is high for an
// identifier and for an equal year, else medium.
func findTitle(asked title) (found title, ok bool) {
	var all []title
	_ = json.Unmarshal(catalogueFile, &all) // valid: the tests parse it
	for _, t := range all {
		named := asked.IMDB == "" && t.Type == asked.Type && strings.EqualFold(t.Title, asked.Title)
		switch {
		case asked.IMDB != "" && asked.IMDB == t.IMDB, named && t.Year == asked.Year:
			t.Confidence = "high"
			return t, true
		case named && !ok:
			found, ok = t, true
			found.Confidence = "medium"
		}
	}
	return found, ok
}

func (s *Service) resolveOne(q *request) reply {
	var asked title
	if json.Unmarshal(q.body, &asked) != nil || asked.IMDB+asked.Title == "" {
		q.fail("imdbId", "is required, or title and type")
		return reply{}
	}
	found, ok := findTitle(asked)
	if !ok {
		q.fault = errNotFound
	}
	return reply{http.StatusOK, map[string]any{"success": true, "data": found}, nil}
}

func (s *Service) resolveMany(q *request) reply {
	var items []title
	if !q.read("items", &items, "must be an array of questions") {
		q.fail("items", "is required")
	}
	data := map[string]title{}
	for i, asked := range items {
		if found, ok := findTitle(asked); ok {
			data[cmp.Or(asked.IMDB, strconv.Itoa(i))] = found
		}
	}
	return reply{http.StatusOK, map[string]any{"success": true, "data": data}, nil}
}
