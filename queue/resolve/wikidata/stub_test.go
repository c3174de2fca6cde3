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

// stub answers as the documents of SPARQL 1.1 and of Wikidata say. It was not
// compared with the real service. It does not understand the query: it finds the
// property and the numbers in it, and gives all rows that it has for them.
type stub struct {
	t       *testing.T
	rows    map[string][]row // by "P345=tt0133093"
	asked   [][]string       // the numbers of each request
	queries []string
	fails   http.HandlerFunc // answers instead, when it is set
}

// start serves the stub and gives a client of it, in no hurry to be polite.
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
	property := regexp.MustCompile(`\?item p:(P\d+) \?told`).FindStringSubmatch(query)
	if values == nil || property == nil {
		s.t.Fatalf("asked:\n%s", query)
	}
	numbers := strings.Fields(strings.ReplaceAll(values[1], `"`, ""))
	s.asked, s.queries = append(s.asked, numbers), append(s.queries, query)
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

// bound is a row as SPARQL's JSON has it: what is not bound is left out.
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

// about are rows about an item, told in pairs: "film" "603". A "-" before a value
// is a deprecated rank, a "?" one that is unknown, and a "de:" a name in German.
func about(name string, told ...string) (all []row) {
	for i := 0; i < len(told); i += 2 {
		r := row{Item: term{Type: "uri", Value: "http://www.wikidata.org/entity/" + name}, What: term{Value: told[i]}}
		r.Value, r.Rank = term{Type: "literal", Value: told[i+1]}, term{Type: "uri", Value: "http://wikiba.se/ontology#NormalRank"}
		switch value := told[i+1]; {
		case strings.HasPrefix(value, "-"):
			r.Value.Value, r.Rank.Value = value[1:], "http://wikiba.se/ontology#DeprecatedRank"
		case value == "?":
			r.Value = term{Type: "uri", Value: "http://www.wikidata.org/.well-known/genid/0123"}
		case told[i] == "name":
			language, text, _ := strings.Cut(value, ":")
			r.Value, r.Rank = term{Type: "literal", Value: text, Language: language}, term{}
		case told[i] == "collection":
			r.Value, r.Rank = term{}, term{}
		}
		all = append(all, r)
	}
	return all
}

// says answers with a status, a body and headers.
func respondWith(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}
