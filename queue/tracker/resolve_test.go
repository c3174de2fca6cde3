package tracker

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/viewing"
)

// newResolvingClient returns a client of a service with a fixed response, and the last request.
func newResolvingClient(t *testing.T, status int, body string) (*Client, *string) {
	t.Helper()
	var request string
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		request = r.Method + " " + strings.TrimPrefix(r.URL.Path, "/api/v1") + " " + string(text)
		w.WriteHeader(status)
		w.Write([]byte(body))
	}))
	t.Cleanup(h.Close)
	return newTestClient(t, Options{BaseURL: h.URL + "/api/v1", Proven: true}, nil), &request
}

func three() []ResolveItem {
	return []ResolveItem{{IMDB: "tt0133093"}, {Title: "Show Red", Type: viewing.TV, Year: 2008}, {Title: "Alpha", Type: viewing.Movie}}
}

func TestResolveBatchIsReadFlatAndWrapped(t *testing.T) {
	const flat = `{"tt0133093":{"tmdbId":603,"type":"movie","title":"The\nMatrix","matchConfidence":"high","x":[1]},
		"1":{"tmdbId":"1396","type":"tv","title":"Show Red","year":2008,"matchConfidence":"medium"},"2":null,"0":{"tmdbId":7},"tt9":{"tmdbId":8}}`
	want := []Match{
		{TMDB: 603, Type: "movie", Title: "The Matrix", Confidence: "high"},
		{TMDB: 1396, Type: "tv", Title: "Show Red", Year: 2008, Confidence: "medium"},
		{},
	}
	for _, body := range []string{flat, `{"success":true,"data":` + flat + `}`} {
		c, request := newResolvingClient(t, 200, body)
		got, err := c.ResolveBatch(t.Context(), three())
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got)\n%s", err, diff)
		}
		const question = `POST /media/resolve/batch {"items":[{"imdbId":"tt0133093"},{"title":"Show Red","type":"tv","year":2008},{"title":"Alpha","type":"movie"}]}`
		if *request != question {
			t.Errorf("request is %s", *request)
		}
	}
}

func TestResolve(t *testing.T) {
	for name, s := range map[string]struct {
		status  int
		body    string
		want    Match
		missing bool
		fails   bool
	}{
		"flat":             {200, `{"tmdbId":603,"type":"movie","title":"A","matchConfidence":"low"}`, Match{TMDB: 603, Type: "movie", Title: "A", Confidence: "low"}, false, false},
		"wrapped":          {200, `{"success":true,"data":{"tmdbId":603,"imdbId":"tt0133093"}}`, Match{TMDB: 603}, false, false},
		"another question": {200, `{"tmdbId":603,"imdbId":"tt0133094"}`, Match{}, false, false},
		"nothing":          {200, `{"success":true,"data":null}`, Match{}, false, false},
		"no number":        {200, `{"tmdbId":-603,"type":"movie"}`, Match{}, false, false},
		"not found":        {404, `{"error":"NOT_FOUND","message":"?"}`, Match{}, true, true},
		"refused":          {403, `{"error":"FORBIDDEN","message":"?"}`, Match{}, true, true},
		"a page":           {200, `<html>`, Match{}, false, true},
		"trouble":          {500, ``, Match{}, false, true},
	} {
		c, _ := newResolvingClient(t, s.status, s.body)
		got, err := c.Resolve(t.Context(), ResolveItem{IMDB: "tt0133093"})
		if got != s.want || (err != nil) != s.fails || errors.Is(err, ErrNoEndpoint) != s.missing {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if v, ok := VerdictOf(err); err != nil && (!ok || v.Status != s.status || v.Outcome == InDoubt) {
			t.Errorf("%s: verdict %+v", name, v)
		}
	}
}
