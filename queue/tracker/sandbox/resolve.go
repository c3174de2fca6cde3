package sandbox

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// The catalogue is small, and the same for everybody: enough to see what a
// service that knows more would answer.
//
//go:embed catalogue.json
var catalogueFile []byte

const maxResolveItems = 50

// title is one item of the catalogue.
type title struct {
	Type   string `json:"type"`
	TMDBID int64  `json:"tmdbId"`
	IMDBID string `json:"imdbId"`
	Title  string `json:"title"`
	Year   int64  `json:"year"`
}

// match is what an item is taken for.
type match struct {
	title
	Confidence string `json:"matchConfidence"`
}

func readCatalogue() (all []title, err error) {
	if err = json.Unmarshal(catalogueFile, &all); err != nil {
		err = fmt.Errorf("read catalogue: %w", err)
	}
	return all, err
}

// soughtItem is one item that is asked about.
type soughtItem struct {
	imdb, kind, title string
	year              int64 // 0: not told
}

func parseSought(f *fields) (s soughtItem) {
	if imdb := f.text("imdbId"); imdb != nil {
		s.imdb = *imdb
		return s
	}
	name := f.text("title")
	if name == nil || strings.TrimSpace(*name) == "" {
		f.fail("imdbId", "is required, or title and type")
		return s
	}
	return soughtItem{title: *name, kind: f.requiredOf("type", movie, tv), year: value(f.integer("year", 1))}
}

// find looks an item up: by its IMDb identifier or, by its title, the nearest
// year of those that are called so. It is sure of a title only with its year.
func (s *Service) find(item soughtItem) (found match, ok bool) {
	for _, t := range s.catalogue {
		if item.imdb != "" {
			if t.IMDBID == item.imdb {
				return match{t, "high"}, true
			}
			continue
		}
		if t.Type != item.kind {
			continue
		}
		m := match{t, "low"}
		switch equal := strings.EqualFold(t.Title, strings.TrimSpace(item.title)); {
		case equal && t.Year == item.year:
			return match{t, "high"}, true
		case equal:
			m.Confidence = "medium"
		case !strings.Contains(strings.ToLower(t.Title), strings.ToLower(item.title)):
			continue
		}
		if !ok || m.Confidence == "medium" && (found.Confidence == "low" || distance(t.Year, item.year) < distance(found.Year, item.year)) {
			found, ok = m, true
		}
	}
	return found, ok
}

func distance(a, b int64) int64 { return max(a-b, b-a) }

func (s *Service) resolveOne(_ context.Context, q question) (answer, error) {
	f := &fields{object: q.object}
	item := parseSought(f)
	if f.fault != nil {
		return answer{}, f.fault
	}
	found, ok := s.find(item)
	if !ok {
		return answer{}, &refusal{status: http.StatusNotFound, code: codeNotFound, message: "nothing is known of it"}
	}
	return jsonAnswer(http.StatusOK, wrapped{Success: true, Data: found})
}

func (s *Service) resolveMany(_ context.Context, q question) (answer, error) {
	list, err := parseItems(q.object, maxResolveItems)
	if err != nil {
		return answer{}, err
	}
	all := map[string]match{}
	for i, raw := range list {
		name := fmt.Sprintf("items[%d]", i)
		o, err := decodeObject(raw)
		if err != nil {
			return answer{}, invalid(name, "must be an object")
		}
		f := &fields{object: o, within: name + "."}
		item := parseSought(f)
		if f.fault != nil {
			return answer{}, f.fault
		}
		key := item.imdb
		if key == "" {
			key = strconv.Itoa(i)
		}
		if found, ok := s.find(item); ok {
			all[key] = found
		}
	}
	return jsonAnswer(http.StatusOK, wrapped{Success: true, Data: all})
}
