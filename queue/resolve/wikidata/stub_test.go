package wikidata

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue/resolve"
)

// stub is a query service by the documentation of SPARQL 1.1 and of Wikidata; it was not
// compared with the real service. It does not parse the query: it finds the property and
// the numbers in it, and returns all of its rows for them.
type stub struct {
	t        *testing.T
	rows     map[string][]row // by "P345=tt0133093"
	requests [][]string       // the numbers of each request
	queries  []string
	fails    http.HandlerFunc // responds instead, if set
}

// start serves the stub and returns a client without a rate limit.
func (s *stub) start() *Client {
	s.t.Helper()
	server := httptest.NewServer(s)
	s.t.Cleanup(server.Close)
	c, err := New(server.URL+"/sparql", "1.2")
	if err != nil {
		s.t.Fatal(err)
	}
	c.http = resolve.NewHTTP("Wikidata", 1e6, 1000)
	return c
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if agent := r.UserAgent(); agent != "Filmspool/1.2 (https://github.com/filmspool/filmspool)" || r.URL.RawQuery != "" ||
		r.Method != http.MethodPost || r.Header.Get("Accept") != "application/sparql-results+json" {
		s.t.Errorf("%s %s by %q", r.Method, r.URL, agent)
	}
	query := r.PostFormValue("query")
	values := regexp.MustCompile(`VALUES \?id \{([^}]*)\}`).FindStringSubmatch(query)
	property := regexp.MustCompile(`\?item p:(P\d+) \?statement`).FindStringSubmatch(query)
	if values == nil || property == nil {
		s.t.Fatalf("requests:\n%s", query)
	}
	numbers := strings.Fields(strings.ReplaceAll(values[1], `"`, ""))
	s.requests, s.queries = append(s.requests, numbers), append(s.queries, query)
	if s.fails != nil {
		s.fails(w, r)
		return
	}
	s.answer(w, numbers, property[1])
}

func (s *stub) answer(w http.ResponseWriter, numbers []string, property string) {
	all := []map[string]any{}
	for _, number := range numbers {
		for _, row := range s.rows[property+"="+number] {
			all = append(all, bound(number, row))
		}
	}
	w.Header().Set("Content-Type", "application/sparql-results+json;charset=utf-8")
	err := json.NewEncoder(w).Encode(map[string]any{
		"head":    map[string]any{"vars": []string{"id", "item", "what", "value", "rank"}},
		"results": map[string]any{"bindings": all},
	})
	if err != nil {
		s.t.Error(err)
	}
}

// bound returns a row in SPARQL JSON, without unbound variables.
func bound(number string, r row) map[string]any {
	r.ID, r.What.Type = term{Type: "literal", Value: number}, "literal"
	out := map[string]any{}
	for name, t := range map[string]term{"id": r.ID, "item": r.Item, "what": r.What, "value": r.Value, "rank": r.Rank} {
		if t.Value != "" {
			out[name] = t
		}
	}
	return out
}

// about returns rows about an item, given in pairs: "film" "603". A "-" before a value
// means a deprecated rank, a "?" an unknown value, and a "de:" a name in German.
func about(name string, pairs ...string) (all []row) {
	for i := 0; i < len(pairs); i += 2 {
		r := row{Item: term{Type: "uri", Value: "http://www.wikidata.org/entity/" + name}, What: term{Value: pairs[i]}}
		r.Value, r.Rank = term{Type: "literal", Value: pairs[i+1]}, term{Type: "uri", Value: "http://wikiba.se/ontology#NormalRank"}
		switch value := pairs[i+1]; {
		case strings.HasPrefix(value, "-"):
			r.Value.Value, r.Rank.Value = value[1:], "http://wikiba.se/ontology#DeprecatedRank"
		case value == "?":
			r.Value = term{Type: "uri", Value: "http://www.wikidata.org/.well-known/genid/0123"}
		case pairs[i] == "name":
			language, text, _ := strings.Cut(value, ":")
			r.Value, r.Rank = term{Type: "literal", Value: text, Language: language}, term{}
		case pairs[i] == "collection":
			r.Value, r.Rank = term{}, term{}
		}
		all = append(all, r)
	}
	return all
}

// respondWith responds with a status, a body and headers.
func respondWith(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}
