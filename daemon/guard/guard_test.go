package guard_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/daemon/guard"
)

const (
	chromium = "chrome-extension://emdhmgjgiheohhdbjhklpnhngnafihdg"
	firefox  = "moz-extension://11111111-2222-4333-8444-555555555555"
)

func yes(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }

// ask sends a request to h and returns the status and the error code.
func ask(t *testing.T, h http.Handler, r *http.Request) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code == http.StatusNoContent {
		return w.Code, ""
	}
	var body struct{ Error, Message string }
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || body.Message == "" {
		t.Errorf("body %q is not an error object (%v)", w.Body, err)
	}
	if got := w.Header().Get("Content-Type"); !strings.HasPrefix(got, "application/json") {
		t.Errorf("content type %q", got)
	}
	return w.Code, body.Error
}

func TestHost(t *testing.T) {
	h := guard.Host([]string{"127.0.0.1:43456", "localhost:43456"}, http.HandlerFunc(yes))
	tests := map[string]int{
		"127.0.0.1:43456":      204,
		"localhost:43456":      204,
		"127.0.0.1":            403,
		"LOCALHOST:43456":      403, // browsers use lower case
		"x@127.0.0.1:43456":    403,
		"0.0.0.0:43456":        403,
		"2130706433:43456":     403,
		"127.0.0.1:43457":      403,
		"127.0.0.1:43456.evil": 403,
		"[::1]:43456":          403,
		"rebind.example:43456": 403,
		"":                     403,
	}
	for host, want := range tests {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = host
		if got, code := ask(t, h, r); got != want || (want == 403 && code != guard.CodeHost) {
			t.Errorf("Host %q: got %d %s, want %d", host, got, code, want)
		}
	}
}

func TestExtension(t *testing.T) {
	tests := []struct {
		name    string
		origins []string
		want    bool
	}{
		{"Chromium", []string{chromium}, true},
		{"Firefox", []string{firefox}, true},
		{"missing", nil, false},
		{"empty", []string{""}, false},
		{"null", []string{"null"}, false},
		{"page", []string{"https://evil.example"}, false},
		{"local page", []string{"http://127.0.0.1:43456"}, false},
		{"two origins", []string{chromium, chromium}, false},
		{"trailing slash", []string{chromium + "/"}, false},
		{"letter beyond p", []string{"chrome-extension://emdhmgjgiheohhdbjhklpnhngnafihdq"}, false},
		{"too long", []string{chromium + "a"}, false},
		{"user info that looks right", []string{chromium + "@evil.example"}, false},
		{"uuid in upper case", []string{"moz-extension://AAAAAAAA-2222-4333-8444-555555555555"}, false},
		{"uuid with a port", []string{firefox + ":80"}, false},
		{"Chromium with Firefox's id", []string{"chrome-extension://11111111-2222-4333-8444-555555555555"}, false},
		{"line end", []string{chromium + "\n"}, false},
		{"uuid with a letter beyond f", []string{"moz-extension://g1111111-2222-4333-8444-555555555555"}, false},
		{"safari", []string{"safari-web-extension://11111111-2222-4333-8444-555555555555"}, false},
	}
	for _, tc := range tests {
		r := httptest.NewRequest("GET", "/", nil)
		if tc.origins != nil {
			r.Header["Origin"] = tc.origins
		}
		if got := guard.Extension(r); got != tc.want {
			t.Errorf("%s: Extension(%q) = %v, want %v", tc.name, tc.origins, got, tc.want)
		}
	}
}

func TestPrograms(t *testing.T) {
	h := guard.Programs(http.HandlerFunc(yes))
	for name, c := range map[string]struct {
		header http.Header
		status int
	}{
		"a program":             {http.Header{"User-Agent": {"curl"}, "Authorization": {"Bearer t"}}, 204},
		"origin":                {http.Header{"Origin": {"http://127.0.0.1:43456"}}, 403},
		"empty origin":          {http.Header{"Origin": {""}}, 403},
		"extension":             {http.Header{"Origin": {chromium}}, 403},
		"referer":               {http.Header{"Referer": {"http://127.0.0.1:43456/"}}, 403},
		"sec-fetch-site":        {http.Header{"Sec-Fetch-Site": {"none"}}, 403},
		"sec-fetch of tomorrow": {http.Header{"Sec-Fetch-Anything": {"1"}}, 403},
	} {
		r := httptest.NewRequest("GET", "/healthz", nil)
		r.Header = c.header
		if got, code := ask(t, h, r); got != c.status || got == 403 && code != guard.CodeBrowser {
			t.Errorf("%s: got %d %q, want %d", name, got, code, c.status)
		}
	}
}
