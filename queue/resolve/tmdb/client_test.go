package tmdb

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestCheckToken(t *testing.T) {
	for given, want := range map[string]string{
		"eyJhbGciOi.eyJhdWQiOi.abc-_9":      "",
		"":                                  "asked.tokenless",
		"0123456789abcdef0123456789ABCDEF":  "asked.apiKey",
		"two words":                         "asked.tokenForm",
		"tökén":                             "asked.tokenForm",
		"line\nbreak":                       "asked.tokenForm",
		"x" + strings.Repeat("y", 5000):     "asked.tokenForm",
		"0123456789abcdef0123456789ABCDEF0": "",
		"0123456789abcdef0123456789abcdeg":  "",
		"eyJ" + strings.Repeat("a", 4000) + ".b.c": "",
	} {
		if err := CheckToken(given); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", given, err, want)
		}
	}
}

// An invalid response is an error, never an empty answer. No error contains the question or
// the token.
func TestInvalidResponsesAreErrors(t *testing.T) {
	film := resolve.Question{Topic: resolve.Details, Kind: viewing.Movie, Number: 603}
	imdb := resolve.Question{Topic: resolve.ByIMDB, Text: "tt0133093"}
	search := resolve.Question{Topic: resolve.ByTitle, Kind: viewing.Movie, Text: "SecretTitle"}
	season := resolve.Question{Topic: resolve.Season, Number: 1396, Season: 1}
	says := func(status int, body string, headers ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i < len(headers); i += 2 {
				w.Header().Set(headers[i], headers[i+1])
			}
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	for name, c := range map[string]struct {
		q    resolve.Question
		says http.HandlerFunc
		want string
		wait time.Duration
	}{
		"refused":              {film, says(401, `{"status_code":7,"success":false}`), "refuses the token", 0},
		"suspended":            {film, says(401, `{"status_code":10}`), "refuses the token", 0},
		"a portal's 401":       {film, says(401, `<html>log in</html>`), "asked.answered status=401", 0},
		"a portal's page":      {search, says(200, `<html>welcome</html>`), "asked.misshapen", 0},
		"a portal's 404":       {film, says(404, `<html>gone</html>`), "asked.answered status=404", 0},
		"another 404":          {film, says(404, `{"status_code":1}`), "asked.answered status=404", 0},
		"an empty answer":      {imdb, says(200, ``), "asked.misshapen", 0},
		"an empty object":      {imdb, says(200, `{}`), "asked.misshapen", 0},
		"an empty search":      {search, says(200, `{}`), "asked.misshapen", 0},
		"another film":         {film, says(200, `{"id":604,"title":"x"}`), "asked.misshapen", 0},
		"another series":       {season, says(200, `{"id":1,"season/1":{"episodes":[]}}`), "asked.misshapen", 0},
		"wrong types":          {film, says(200, `{"id":"603"}`), "asked.misshapen", 0},
		"too often":            {film, says(429, `{"status_code":25}`, "Retry-After", "17"), "asked.answered status=429", 17 * time.Second},
		"too often, for ever":  {film, says(429, ``, "Retry-After", "999999999"), "asked.answered status=429", 24 * time.Hour},
		"too often, till when": {film, says(429, ``, "Retry-After", "-5"), "asked.answered status=429", 0},
		"maintenance":          {film, says(503, `{"status_code":46}`), "asked.answered status=503", 0},
		"redirect":             {film, says(302, ``, "Location", "http://127.0.0.1:1/"), "asked.answered status=302", 0},
		"broken off":           {film, says(200, `{"id":603`, "Content-Length", "100"), "asked.brokeOff", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := &stub{t: t, fails: c.says}
			found, err := s.start().Fetch(t.Context(), []resolve.Question{c.q})
			if err == nil || len(found) > 0 || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v, %v; want %q", found, err, c.want)
			}
			for _, secret := range []string{token, "SecretTitle", "603", "tt0133093", "/3/"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%v names %s", err, secret)
				}
			}
			var later *resolve.UnavailableError
			if errors.As(err, &later) && later.Wait != c.wait {
				t.Errorf("waits %s", later.Wait)
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	c, err := New("http://127.0.0.1:1/3", token) // a closed port
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Fetch(t.Context(), []resolve.Question{{Topic: resolve.ByTitle, Kind: viewing.TV, Text: "SecretTitle"}})
	if err == nil || !strings.Contains(err.Error(), "asked.unreached") || strings.Contains(err.Error(), "SecretTitle") {
		t.Error(err)
	}
	for _, text := range []string{fmt.Sprint(c), fmt.Sprintf("%#v", c), c.LogValue().String()} {
		if strings.Contains(text, token) {
			t.Errorf("%s shows the token", text)
		}
	}
}

// All pages of a search are read, up to maxPages.
func TestSearchReadsAllPages(t *testing.T) {
	for pages, want := range map[int]resolve.Answer{1: {}, 3: {}, 5: {}, 6: {Partial: true}, 500: {Partial: true}} {
		var asked atomic.Int64
		s := &stub{t: t, fails: func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"total_pages":%d,"results":[{"id":%d,"title":"T","release_date":""},{"id":1},{"id":0}]}`, pages, asked.Add(1))
			if r.URL.Query().Get("page") != fmt.Sprint(asked.Load()) {
				t.Errorf("asked for %s", r.URL.RawQuery)
			}
		}}
		q := resolve.Question{Topic: resolve.ByTitle, Kind: viewing.Movie, Text: "T"}
		found, err := s.start().Fetch(t.Context(), []resolve.Question{q})
		if got := found[q]; err != nil || got == nil || got.Partial != want.Partial || len(got.Works) != min(pages, maxPages) || int(asked.Load()) != min(pages, maxPages) {
			t.Errorf("%d pages: %+v, %v, %d asked", pages, got, err, asked.Load())
		}
	}
}

// An incomplete search is a partial answer.
func TestIncompleteSearchIsPartial(t *testing.T) {
	const hit = `"results":[{"id":1,"title":"T","release_date":"2001-01-01"}]`
	for body, partial := range map[string]bool{
		`{"page":1,"total_pages":1,"total_results":1,` + hit + `}`: false, `{"total_pages":1,` + hit + `}`: false,
		`{"page":1,"total_pages":0,"total_results":0,"results":[]}`: false,
		`{` + hit + `}`: true, `{"page":1,"total_pages":1,"total_results":2,` + hit + `}`: true, `{"page":2,"total_pages":1,` + hit + `}`: true,
	} {
		s := &stub{t: t, fails: func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }}
		q := resolve.Question{Topic: resolve.ByTitle, Kind: viewing.Movie, Text: "T"}
		if found, err := s.start().Fetch(t.Context(), []resolve.Question{q}); err != nil || found[q].Partial != partial {
			t.Errorf("%s: %+v, %v", body, found[q], err)
		}
	}
}

// A question that TMDB refuses, or that has too large a response, does not stop the others.
func TestUnanswerableQuestionBlocksNoOther(t *testing.T) {
	for name, refuse := range map[string]http.HandlerFunc{
		"refused":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(400); fmt.Fprint(w, `{"status_code":47}`) },
		"no such id": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500); fmt.Fprint(w, `{"status_code":44}`) },
		"address":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(414) },
		"parameters": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(422); fmt.Fprint(w, `{"status_code":5}`) },
		"large": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"id":5,"title":"`+strings.Repeat("x", 1<<20)+`"}`)
		},
	} {
		s := &stub{t: t, world: map[string]map[string]any{"movie": {"603": map[string]any{"title": "Alpha"}}}}
		s.fails = func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/5") {
				refuse(w, r)
				return
			}
			fmt.Fprint(w, `{"id":603,"title":"Alpha","name":"Alpha"}`)
		}
		bad, good := resolve.Question{Topic: resolve.Details, Kind: viewing.Movie, Number: 5}, resolve.Question{Topic: resolve.Details, Kind: viewing.Movie, Number: 603}
		worse, better := resolve.Question{Topic: resolve.Details, Kind: viewing.TV, Number: 5}, resolve.Question{Topic: resolve.Details, Kind: viewing.TV, Number: 603}
		found, err := s.start().Fetch(t.Context(), []resolve.Question{bad, worse, good, better})
		if err != nil || found[bad] != nil || found[worse] != nil || len(found) != 4 || found[good] == nil || found[better] == nil {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
	}
}
