package tracker

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/viewing"
)

// pagesOf returns a client of a service with these pages; further pages are empty. Any other
// request fails the test.
func pagesOf(t *testing.T, path string, pages ...reply) *Client {
	t.Helper()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/api/v1/"+path || r.URL.Query().Get("pageSize") != "100" {
			t.Errorf("unexpected request %s %s", r.Method, r.URL)
		}
		n := 0
		fmt.Sscan(r.URL.Query().Get("page"), &n)
		answer := reply{200, `[]`}
		if n <= len(pages) {
			answer = pages[n-1]
		}
		w.WriteHeader(answer.status)
		w.Write([]byte(answer.body))
	}))
	t.Cleanup(h.Close)
	return newTestClient(t, Options{BaseURL: h.URL + "/api/v1", Proven: true}, nil)
}

const film603 = `{"type":"movie","id":603,"watchedAt":"2026-03-01T19:00:00Z","unknown":[1,{"x":null}]}`

func TestReadersAcceptAllForms(t *testing.T) {
	want := []HistoryItem{{Type: "movie", ID: 603, WatchedAt: time.Date(2026, 3, 1, 19, 0, 0, 0, time.UTC)}}
	for name, body := range map[string]string{
		"flat array":             `[` + film603 + `]`,
		"object":                 `{"items":[` + film603 + `],"total":1}`,
		"wrapped":                `{"success":true,"data":[` + film603 + `],"pagination":{"page":1,"pageSize":20,"total":1,"totalPages":1,"hasMore":false}}`,
		"wrapped object":         `{"success":true,"data":{"history":[` + film603 + `],"pagination":{"total":1,"hasMore":false}}}`,
		"no total, no more":      `{"results":[` + film603 + `],"hasMore":false}`,
		"numbers as text":        strings.ReplaceAll(`{"data":[`+film603+`],"total":"1"}`, "603", `"603"`),
		"white space and a mark": " \n[" + film603 + "] ",
	} {
		r, err := pagesOf(t, "history", reply{200, body}).AllHistory(t.Context(), viewing.Movie)
		if err != nil || !r.Complete || cmp.Diff(want, r.Items) != "" {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

func TestIncompleteReadings(t *testing.T) {
	other := strings.ReplaceAll(film603, "603", "604")
	page := func(total int, items ...string) reply {
		return reply{200, fmt.Sprintf(`{"success":true,"data":[%s],"pagination":{"total":%d}}`, strings.Join(items, ","), total)}
	}
	for name, c := range map[string]struct {
		pages    []reply
		complete bool
		items    int
	}{
		"two pages":                              {[]reply{page(2, film603), page(2, other)}, true, 2},
		"the total grew":                         {[]reply{page(2, film603), page(3, other)}, false, 2},
		"fewer than the total":                   {[]reply{page(3, film603), page(3, other), page(3)}, false, 2},
		"more than the total":                    {[]reply{page(1, film603, other)}, false, 2},
		"hasMore after the last item":            {[]reply{{200, `{"data":[` + film603 + `],"total":1,"hasMore":true}`}}, false, 1},
		"no totals: until an empty page":         {[]reply{{200, `[` + film603 + `]`}, {200, `[` + other + `]`}}, true, 2},
		"the second page is without a total":     {[]reply{page(2, film603), {200, `[` + other + `]`}}, false, 1},
		"nothing at all":                         {[]reply{page(0)}, true, 0},
		"an empty page with a total that is not": {[]reply{page(7)}, false, 0},
	} {
		r, err := pagesOf(t, "history", c.pages...).AllHistory(t.Context(), viewing.Movie)
		if err != nil || r.Complete != c.complete || r.Bound || len(r.Items) > 2 || c.complete && len(r.Items) != c.items {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

func TestMissingEndpointIsErrNoEndpoint(t *testing.T) {
	for _, answer := range missingEndpoint {
		if answer.status == 200 || answer.status == 302 || answer.status >= 500 && answer.status != 501 {
			continue
		}
		_, err := pagesOf(t, "history", answer).AllHistory(t.Context(), viewing.Movie)
		v, ok := VerdictOf(err)
		if !errors.Is(err, ErrNoEndpoint) || !ok || v.Outcome != Rejected {
			t.Errorf("%d %s: %v", answer.status, answer.body, err)
		}
	}
}

func TestTemporaryErrorIsNotErrNoEndpoint(t *testing.T) {
	for _, c := range []struct {
		answer  reply
		outcome Outcome
	}{
		{reply{500, ""}, Offline},
		{reply{503, ""}, Offline},
		{reply{429, ""}, Later},
		{reply{302, ""}, Offline},
		{reply{200, html}, Offline},
		{reply{200, ""}, Offline},
		{reply{200, `[` + film603}, Offline},
		{reply{200, `{"hello":"world"}`}, Offline},
		{reply{200, `[1,2]`}, Offline},
		{reply{200, `{"success":false}`}, Offline},
		{reply{511, ""}, Offline},
	} {
		_, err := pagesOf(t, "history", c.answer).AllHistory(t.Context(), viewing.Movie)
		v, ok := VerdictOf(err)
		if err == nil || errors.Is(err, ErrNoEndpoint) || !ok || v.Outcome != c.outcome || v.Problem.Code == "" {
			t.Errorf("%d %s: %v, %+v", c.answer.status, c.answer.body, err, v)
		}
	}
}

// A history with more than maxPages pages is marked as Bound, since a retry cannot help.
func TestHistoryBeyondMaxPagesIsBound(t *testing.T) {
	pages := 0
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		pages++
		io.WriteString(w, `{"data":[`+film603+`],"hasMore":true}`)
	}))
	defer h.Close()
	client := newTestClient(t, Options{BaseURL: h.URL + "/api/v1", Proven: true}, nil)
	if r, err := client.AllHistory(t.Context(), viewing.Movie); err != nil || r.Complete || !r.Bound || pages != maxPages {
		t.Errorf("complete %v, bound %v after %d pages: %v", r.Complete, r.Bound, pages, err)
	}
	long := pagesOf(t, "history", reply{200, `{"data":[` + film603 + strings.Repeat(" ", maxResponse) + `]}`})
	if r, err := long.AllHistory(t.Context(), viewing.Movie); err == nil || r.Complete {
		t.Errorf("an answer beyond its bound: %+v, %v", r, err)
	}
}
