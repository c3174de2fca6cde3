package tmdb

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue/resolve"
)

// stub is a TMDB by its OpenAPI document, with the answers of a row of the corpus. Missing
// answers are 404; answers in words are errors.
type stub struct {
	t        *testing.T
	world    map[string]map[string]any
	requests []string
	fails    http.HandlerFunc // responds instead, if set
}

const token = "eyJ.a-token"

// start serves the stub and returns a client without a rate limit.
func (s *stub) start() *Client {
	s.t.Helper()
	server := httptest.NewServer(s)
	s.t.Cleanup(server.Close)
	c, err := New(server.URL+"/3", token)
	if err != nil {
		s.t.Fatal(err)
	}
	c.http = resolve.NewHTTP("TMDB", 1e6, 1000)
	return c
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests = append(s.requests, strings.TrimPrefix(r.URL.Path, "/3"))
	if r.Header.Get("Authorization") != "Bearer "+token || strings.Contains(r.URL.RawQuery, token) {
		s.t.Errorf("token shown as %q in %s", r.Header.Get("Authorization"), r.URL)
	}
	if s.fails != nil {
		s.fails(w, r)
		return
	}
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/3/"), "/")
	var body any
	switch q := r.URL.Query(); parts[0] {
	case "find":
		body = s.find(strings.TrimSuffix(q.Get("external_source"), "_id") + ":" + parts[1])
	case "search":
		body = s.search(parts[1], q.Get("query"))
	case "movie":
		body = s.work("movie", parts[1])
	case "tv":
		body = s.series(parts[1], q.Get("append_to_response"))
	}
	switch {
	case body == 404:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"success":false,"status_code":34,"status_message":"The resource you requested could not be found."}`)
	case body == nil:
		w.WriteHeader(http.StatusServiceUnavailable)
	default:
		if err := json.NewEncoder(w).Encode(body); err != nil {
			s.t.Error(err)
		}
	}
}

func (s *stub) find(key string) any {
	hits, _ := s.world["find"][key].(map[string]any)
	out := map[string]any{"movie_results": []any{}, "tv_results": []any{}, "tv_episode_results": []any{}, "person_results": []any{}, "tv_season_results": []any{}}
	for kind, name := range map[string]string{"movie": "movie_results", "tv": "tv_results"} {
		for _, id := range list(hits[kind]) {
			out[name] = append(out[name].([]any), map[string]any{"id": id, "media_type": kind})
		}
	}
	for _, e := range list(hits["episode"]) {
		e := e.(map[string]any)
		id, ok := e["id"]
		if !ok {
			id = 99
		}
		out["tv_episode_results"] = append(out["tv_episode_results"].([]any),
			map[string]any{"id": id, "show_id": e["show"], "season_number": e["season"], "episode_number": e["episode"]})
	}
	return out
}

func list(v any) []any {
	all, _ := v.([]any)
	return all
}

func (s *stub) search(kind, query string) any {
	results := []any{}
	for _, h := range list(s.world["search_"+kind][query]) {
		results = append(results, dated(kind, h.(map[string]any)))
	}
	return map[string]any{"page": 1, "results": results, "total_pages": 1, "total_results": len(results)}
}

// dated returns a work of the corpus with the date field of TMDB.
func dated(kind string, of map[string]any) map[string]any {
	out := maps.Clone(of)
	name := map[string]string{"movie": "release_date", "tv": "first_air_date"}[kind]
	out[name] = ""
	if year, ok := of["year"]; ok {
		out[name] = fmt.Sprintf("%v-06-01", year)
	}
	return out
}

func (s *stub) work(kind, id string) any {
	switch value := s.world[kind][id].(type) {
	case map[string]any:
		out := dated(kind, value)
		out["id"], _ = strconv.Atoi(id)
		return out
	default:
		return 404
	}
}

// series returns a series with the requested seasons. The corpus often has only the
// seasons.
func (s *stub) series(id, parts string) any {
	number, _ := strconv.Atoi(id)
	out, known := s.work("tv", id).(map[string]any)
	if !known {
		out = map[string]any{"id": number}
	}
	for part := range strings.SplitSeq(parts, ",") {
		season, is := strings.CutPrefix(part, "season/")
		if !is {
			continue
		}
		switch value := s.world["season"][id+"/"+season].(type) {
		case []any:
			out[part] = map[string]any{"episodes": listed(value)}
			known = true
		case string:
			if known = true; !strings.HasPrefix(value, "has no") {
				return nil
			}
		}
	}
	if !known {
		return 404
	}
	return out
}

func listed(episodes []any) (out []any) {
	for _, e := range episodes {
		switch e := e.(type) {
		case float64:
			out = append(out, map[string]any{"id": 1000 + e, "episode_number": e, "name": fmt.Sprintf("Episode %v", e)})
		case map[string]any:
			id, _ := e["episode"].(float64)
			out = append(out, map[string]any{"id": 1000 + id, "episode_number": e["episode"], "name": e["name"], "air_date": e["air_date"], "runtime": e["runtime"]})
		}
	}
	return out
}
