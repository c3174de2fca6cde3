package wikidata

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

func film(id int64, title string, year int, names ...string) resolve.Work {
	return resolve.Work{Candidate: resolve.Candidate{Type: viewing.Movie, TMDB: id, Title: title, Year: year}, Names: names, By: "Wikidata"}
}

func series(id int64) resolve.Work {
	return resolve.Work{Candidate: resolve.Candidate{Type: viewing.TV, TMDB: id}, By: "Wikidata"}
}

// Each uncertain answer of the package comment is partial.
func TestUncertainAnswersArePartial(t *testing.T) {
	with := func(pairs ...string) []row { return about("Q1", append([]string{"number", "tt0000001"}, pairs...)...) }
	type answer = resolve.Answer
	for name, c := range map[string]struct {
		rows []row
		want resolve.Answer
	}{
		"nothing":                     {nil, answer{}},
		"no number of TMDB":           {with("name", "en:Alpha"), answer{}},
		"a film":                      {with("film", "603"), answer{Works: []resolve.Work{film(603, "", 0)}}},
		"a series":                    {with("series", "7"), answer{Works: []resolve.Work{series(7)}}},
		"names and years":             {with("film", "603", "name", "de:Alfa", "year", "2001-01-01T00:00:00Z", "name", "en:Alpha", "year", "1999-03-30T00:00:00Z", "name", "fr:Alpha"), answer{Works: []resolve.Work{film(603, "Alpha", 1999, "Alfa")}}},
		"an invalid year":             {with("film", "603", "year", "-044-03-15T00:00:00Z", "year", "?", "year", "19"), answer{Works: []resolve.Work{film(603, "", 0)}}},
		"twice the same":              {with("film", "603", "film", "603"), answer{Works: []resolve.Work{film(603, "", 0)}}},
		"deprecated":                  {with("film", "-603"), answer{}},
		"deprecated beside another":   {with("film", "-603", "film", "604"), answer{Works: []resolve.Work{film(604, "", 0)}}},
		"unknown":                     {with("film", "?"), answer{}},
		"no number at all":            {with("film", "six", "film", "-1", "film", "0", "series", "99999999999999999999"), answer{}},
		"two films":                   {with("film", "604", "film", "603"), answer{Works: []resolve.Work{film(603, "", 0), film(604, "", 0)}, Partial: true}},
		"a film and a series":         {with("film", "603", "series", "7"), answer{Works: []resolve.Work{film(603, "", 0), series(7)}, Partial: true}},
		"a collection's":              {with("film", "603", "collection", "yes"), answer{Works: []resolve.Work{film(603, "", 0)}, Partial: true}},
		"two numbers":                 {with("film", "603", "number", "tt0000002"), answer{Works: []resolve.Work{film(603, "", 0)}, Partial: true}},
		"a second number, deprecated": {with("film", "603", "number", "-tt0000002"), answer{Works: []resolve.Work{film(603, "", 0)}}},
		"two items, one film": {
			append(with("film", "603"), about("Q2", "number", "tt0000001", "film", "603")...),
			answer{Works: []resolve.Work{film(603, "", 0), film(603, "", 0)}, Partial: true},
		},
		"two items, one without": {
			append(with("film", "603"), about("Q2", "number", "tt0000001")...), answer{Works: []resolve.Work{film(603, "", 0)}, Partial: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &stub{t: t, rows: map[string][]row{"P345=tt0000001": c.rows}}
			q := resolve.Question{Topic: resolve.ByIMDB, Text: "tt0000001"}
			found, err := s.start().Fetch(t.Context(), []resolve.Question{q})
			if err != nil || found[q] == nil {
				t.Fatal(found, err)
			}
			if got, want := fmt.Sprintf("%+v", *found[q]), fmt.Sprintf("%+v", c.want); got != want {
				t.Errorf("%s\nwant %s", got, want)
			}
		})
	}
}

// Only numbers are sent, in batches. Questions that Wikidata cannot answer are not sent.
func TestRequestsAreBatchesOfNumbers(t *testing.T) {
	s := &stub{t: t, rows: map[string][]row{"P4835=81189": about("Q1", "number", "81189", "series", "1396"), "P345=tt0000077": about("Q2", "number", "tt0000077", "film", "77")}}
	var wanted []resolve.Question
	for n := range 120 {
		wanted = append(wanted, resolve.Question{Topic: resolve.ByIMDB, Text: fmt.Sprintf("tt%07d", n)})
	}
	tvdb := resolve.Question{Topic: resolve.ByTVDB, Number: 81189}
	never := []resolve.Question{
		{Topic: resolve.ByIMDB, Text: "tt7777777", Kind: viewing.Episode},
		{Topic: resolve.ByTVDB, Number: 7777777, Kind: viewing.Episode},
		{Topic: resolve.Details, Kind: viewing.Movie, Number: 7777777},
		{Topic: resolve.Season, Number: 7777777, Season: 1},
		{Topic: resolve.ByTitle, Kind: viewing.Movie, Text: "SecretTitle"},
		{Topic: resolve.ByIMDB, Text: `tt7777777" } DROP ALL`},
		{Topic: resolve.BySite, Kind: viewing.Movie, Text: `netflix 7777777"}DROP`},
		{Topic: resolve.BySite, Kind: viewing.Movie, Text: "netflix"},
	}
	found, err := s.start().Fetch(t.Context(), slices.Concat(wanted, never, []resolve.Question{tvdb}))
	if err != nil || len(found) != len(wanted)+len(never)+1 {
		t.Fatal(len(found), err)
	}
	sizes := 0
	for _, numbers := range s.requests {
		if sizes += len(numbers); len(numbers) > maxBatch {
			t.Errorf("%d at once", len(numbers))
		}
	}
	if asked := strings.Join(s.queries, "\n"); len(s.requests) != 13 || sizes != 121 || strings.Contains(asked, "7777777") || strings.Contains(asked, "SecretTitle") {
		t.Errorf("%d numbers in %d requests: %v", sizes, len(s.requests), s.requests)
	}
	for _, q := range never {
		if found[q] != nil {
			t.Errorf("%+v: %+v", q, found[q])
		}
	}
	if a := found[tvdb]; len(a.Works) != 1 || a.Works[0].TMDB != 1396 {
		t.Errorf("%+v", a)
	}
	if a, none := found[wanted[77]], found[wanted[78]]; len(a.Works) != 1 || a.Works[0].TMDB != 77 || none == nil || len(none.Works) > 0 {
		t.Errorf("%+v, %+v", a, none)
	}
}

// Each row of the table of sites has its property. Missing kinds are not requested.
func TestPropertiesOfSites(t *testing.T) {
	for site, want := range map[string][2]string{
		"appletv":       {"P9586=umc.cmc.1", "P9751=umc.cmc.1"},
		"bbc-iplayer":   {"P827=umc.cmc.1", "P827=umc.cmc.1"},
		"crunchyroll":   {"", "P11330=umc.cmc.1"},
		"hbomax":        {"P8298=movie/umc.cmc.1", "P8298=show/umc.cmc.1"},
		"hulu":          {"P6466=umc.cmc.1", "P6467=umc.cmc.1"},
		"jiohotstar":    {"P11049=umc.cmc.1", "P11049=umc.cmc.1"},
		"mubi":          {"P7299=umc.cmc.1", ""},
		"netflix":       {"P1874=umc.cmc.1", "P1874=umc.cmc.1"},
		"paramountplus": {"P13147=umc.cmc.1", ""},
		"primevideo":    {"P14462=umc.cmc.1", ""},
		"tubi":          {"P7760=umc.cmc.1", "P7760=umc.cmc.1"},
		"youtube":       {"", ""},
		"":              {"", ""},
	} {
		for i, kind := range []viewing.MediaType{viewing.Movie, viewing.TV} {
			_, number, _ := strings.Cut(want[i], "=")
			s := &stub{t: t, rows: map[string][]row{want[i]: about("Q1", "number", number, "film", "603")}}
			q := resolve.Question{Topic: resolve.BySite, Kind: kind, Text: site + " umc.cmc.1"}
			found, err := s.start().Fetch(t.Context(), []resolve.Question{q})
			if a := found[q]; err != nil || (a != nil) != (want[i] != "") || a != nil && len(a.Works) != 1 || len(s.requests) != min(len(want[i]), 1) {
				t.Errorf("%q, %s: %+v, %v; asked %v", site, kind, a, err, s.requests)
			}
		}
	}
}

// An invalid response is an error, never an empty answer. No error contains the question.
func TestInvalidResponsesAreErrors(t *testing.T) {
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		status  int
		body    string
		headers []string
		want    string
		wait    time.Duration
	}{
		"too often":           {429, "", []string{"Retry-After", "17"}, "asked.answered status=429", 17 * time.Second},
		"too often, for ever": {429, "", []string{"Retry-After", "9999999999"}, "asked.answered status=429", day},
		"banned":              {403, "<html>", nil, "asked.answered status=403", day},
		"redirect":            {302, "", []string{"Location", "http://127.0.0.1:1/"}, "asked.answered status=302", 0},
		"an error as HTML":    {500, "<html>java.util.concurrent.TimeoutException</html>", nil, "asked.answered status=500", 0},
		"overloaded":          {503, "", []string{"Retry-After", "120"}, "asked.answered status=503", 2 * time.Minute},
		"a time-out as 200":   {200, `{"head":{"vars":["id"]},"results":{"bindings":[{"id":` + "SPARQL-QUERY: java.util.concurrent.TimeoutException", nil, "asked.misshapen", 0},
		"a portal's page":     {200, "<html>welcome</html>", nil, "asked.misshapen", 0},
		"another object":      {200, `{"head":{}}`, nil, "asked.misshapen", 0},
		"wrong types":         {200, `{"results":{"bindings":[{"id":5}]}}`, nil, "asked.misshapen", 0},
		"no list":             {200, `{"results":{"bindings":{}}}`, nil, "asked.misshapen", 0},
		"broken off":          {200, `{"results"`, []string{"Content-Length", "100"}, "asked.brokeOff", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := &stub{t: t, fails: respondWith(c.status, c.body, c.headers...)}
			found, err := s.start().Fetch(t.Context(), []resolve.Question{{Topic: resolve.ByIMDB, Text: "tt0133093"}})
			later, ok := errors.AsType[*resolve.UnavailableError](err)
			if !ok || len(found) > 0 || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "0133093") || later.Wait != c.wait {
				t.Errorf("%v, %v", found, err)
			}
		})
	}
}

// A question that Wikidata refuses, or that has too large a response, stays without an
// answer and does not stop the others.
func TestUnanswerableQuestionBlocksNoOther(t *testing.T) {
	for name, refuse := range map[string]http.HandlerFunc{
		"bad query": respondWith(400, "MalformedQueryException"), "too long": respondWith(414, ""), "large": respondWith(200, strings.Repeat("x", 1<<20+1)), "unprocessable": respondWith(422, "{}"),
	} {
		s := &stub{t: t, rows: map[string][]row{"P345=tt0000077": about("Q2", "number", "tt0000077", "film", "77")}}
		refused := 0
		s.fails = func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.PostFormValue("query"), "tt0000066") {
				refused++
				refuse(w, r)
				return
			}
			s.answer(w, s.requests[len(s.requests)-1], "P345")
		}
		bad, good := resolve.Question{Topic: resolve.ByIMDB, Text: "tt0000066"}, resolve.Question{Topic: resolve.ByIMDB, Text: "tt0000077"}
		found, err := s.start().Fetch(t.Context(), []resolve.Question{bad, good})
		a, asked := found[bad]
		if err != nil || a != nil || !asked || refused != 2 || found[good] == nil || len(found[good].Works) != 1 {
			t.Errorf("%s: %v, %v; refused %d times", name, found, err, refused)
		}
	}
}
