package page

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
)

// fakeAPI answers what the first page asks.
func fakeAPI() control.API {
	return control.API{
		Status: func(context.Context) (control.Status, error) {
			return control.Status{Sources: []control.Source{{Name: "kodi:/userdata", State: "ok"}}}, nil
		},
		Explain: func(context.Context, int64) (control.Explanation, error) { return control.Explanation{}, nil },
		List:    func(context.Context, entry.Filter) ([]entry.Entry, error) { return nil, nil },
	}
}

// site is a site with a server of its own, and a browser that keeps cookies.
func newSite(t *testing.T, api control.API) (*Site, *httptest.Server) {
	t.Helper()
	news := make(chan struct{}, 1)
	s, err := New(Options{
		API: api, Secret: []byte("0123456789abcdef0123456789abcdef"), Log: slog.New(slog.DiscardHandler),
		Changed: func() (<-chan struct{}, func()) { return news, func() {} },
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	t.Cleanup(s.Close)
	return s, server
}

// do sends one request and returns the answer with its body.
func do(t *testing.T, method, address, body string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

// signIn signs a browser in and returns its cookie.
func signIn(t *testing.T, s *Site, server *httptest.Server) string {
	t.Helper()
	answer, _ := do(t, "POST", server.URL+"/in", url.Values{"ticket": {s.Ticket()}}.Encode())
	if answer.StatusCode != http.StatusOK || len(answer.Cookies()) != 1 {
		t.Fatalf("%s, %d cookies", answer.Status, len(answer.Cookies()))
	}
	cookie := answer.Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode {
		t.Errorf("the cookie is %+v", cookie)
	}
	return cookieName + "=" + cookie.Value
}

// TestOnlyATicketSignsIn: the address alone, a wrong or used ticket, a browser that
// fetches ahead, and a cookie that was changed get nothing.
func TestOnlyATicketSignsIn(t *testing.T) {
	s, server := newSite(t, fakeAPI())
	ticket := s.Ticket()
	link := server.URL + "/in?ticket=" + ticket
	for _, c := range []struct {
		name, method, address string
		header                []string
		want                  int
	}{
		{"the address alone", "GET", server.URL + "/", nil, 401},
		{"no ticket", "GET", server.URL + "/in", nil, 403},
		{"a wrong ticket", "GET", server.URL + "/in?ticket=x", nil, 403},
		{"a look ahead", "GET", link, []string{"Sec-Purpose", "prefetch;prerender"}, 403},
		{"a look at its header", "HEAD", link, nil, 403},
		{"the ticket", "GET", link, nil, 200},
		{"the ticket again", "GET", link, nil, 403},
		{"the stream", "GET", server.URL + "/live", nil, 401},
		{"a template", "GET", server.URL + "/static/%2e%2e/rooms/now.html", nil, 404},
		{"a template, by a slash", "GET", server.URL + "/static/..%2frooms/now.html", nil, 404},
		{"a made-up cookie", "GET", server.URL + "/", []string{"Cookie", cookieName + "=9999999999.a.b"}, 401},
	} {
		if answer, body := do(t, c.method, c.address, "", c.header...); answer.StatusCode != c.want || strings.Contains(body, "delivered") {
			t.Errorf("%s: %s", c.name, answer.Status)
		}
	}
	cookie := signIn(t, s, server)
	if answer, body := do(t, "GET", server.URL+"/", "", "Cookie", cookie, "Accept-Language", "de"); answer.StatusCode != 200 || !strings.Contains(body, "Bereit") {
		t.Errorf("signed in: %s\n%s", answer.Status, body)
	}
	if answer, _ := do(t, "GET", server.URL+"/", "", "Cookie", strings.Replace(cookie, ".", "9.", 1)); answer.StatusCode != 401 {
		t.Errorf("a cookie whose end was moved: %s", answer.Status)
	}
}

// TestSignOutEverywhere: no browser and no ticket of before gets in, and the host name
// stays. Where that cannot be kept, all stays as it was.
func TestSignOutEverywhere(t *testing.T) {
	api := fakeAPI()
	api.Settings = func(context.Context) (control.Settings, error) { return control.Settings{}, nil }
	s, server := newSite(t, api)
	host, ticket := s.Host("1"), s.Ticket()
	one, other := signIn(t, s, server), signIn(t, s, server)
	status := func(cookie string) int {
		answer, _ := do(t, "GET", server.URL+"/", "", "Cookie", cookie)
		return answer.StatusCode
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/live", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Cookie", other)
	live, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Body.Close()
	var kept []byte
	fails := errors.New("the disk is full")
	s.door.keep = func(secret []byte) error { kept = secret; return fails }
	if do(t, "POST", server.URL+"/settings/out", "", "Cookie", one); status(one) != 200 || status(other) != 200 {
		t.Error("what could not be kept has signed browsers out")
	}
	before := s.door.secret
	fails = nil
	if answer, _ := do(t, "POST", server.URL+"/settings/out", "", "Cookie", one); answer.StatusCode != http.StatusSeeOther {
		t.Errorf("the button: %s", answer.Status)
	}
	if status(one) != 401 || status(other) != 401 {
		t.Error("a browser is signed in still")
	}
	if _, err := io.Copy(io.Discard, live.Body); err != nil { // it ends, or the test never does
		t.Error(err)
	}
	if answer, _ := do(t, "GET", server.URL+"/in?ticket="+ticket, ""); answer.StatusCode != 403 {
		t.Errorf("a ticket of before: %s", answer.Status)
	}
	if s.Host("1") != host || len(kept) != 2*SecretSize || string(kept[:SecretSize]) != string(before) {
		t.Errorf("the host is %s and was %s; %d bytes are kept", s.Host("1"), host, len(kept))
	}
	if again := signIn(t, s, server); status(again) != 200 || status(one) != 401 {
		t.Error("a browser that signs in anew does not get in, or brings another along")
	}
}

// TestAFileIsKeptAsLongAsItIsTheSame: a page of a new version never meets an old script.
func TestAFileIsKeptAsLongAsItIsTheSame(t *testing.T) {
	s, server := newSite(t, fakeAPI())
	answer, body := do(t, "GET", server.URL+"/static/page.js", "")
	if answer.StatusCode != 200 || body == "" || answer.Header.Get("Cache-Control") != "private, no-cache" {
		t.Fatalf("%s %v", answer.Status, answer.Header)
	}
	if again, _ := do(t, "GET", server.URL+"/static/page.js", "", "If-None-Match", answer.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
		t.Errorf("the same: %s", again.Status)
	}
	if other, _ := do(t, "GET", server.URL+"/static/page.js", "", "If-None-Match", `"another"`); other.StatusCode != http.StatusOK {
		t.Errorf("another: %s", other.Status)
	}
	if list, _ := do(t, "GET", server.URL+"/static/", ""); list.StatusCode != http.StatusNotFound {
		t.Errorf("the folder: %s", list.Status)
	}
	none, text := do(t, "GET", server.URL+"/none", "", "Cookie", signIn(t, s, server))
	if none.StatusCode != http.StatusNotFound || !strings.Contains(text, "There is no page at this address.") {
		t.Errorf("an address without a page: %s\n%s", none.Status, text)
	}
}

// TestEveryAnswerIsSafe: whoever could frame a page, or have it load something,
// could act for the person.
func TestEveryAnswerIsSafe(t *testing.T) {
	s, server := newSite(t, fakeAPI())
	cookie := signIn(t, s, server)
	for _, path := range []string{"/", "/none", "/static/page.js", "/static/page.css", "/in"} {
		answer, _ := do(t, "GET", server.URL+path, "", "Cookie", cookie)
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'", "X-Frame-Options": "DENY",
			"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := answer.Header.Get(name); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
	}
	for _, from := range []string{"http://evil.example", "null", "http://localhost:1"} {
		answer, _ := do(t, "POST", server.URL+"/none", "", "Cookie", cookie, "Origin", from, "Sec-Fetch-Site", "cross-site")
		if answer.StatusCode != 403 {
			t.Errorf("a form of %s: %s", from, answer.Status)
		}
	}
}

// TestTitlesTurnNoText: what a page shows of strangers cannot change the direction of writing.
func TestTitlesTurnNoText(t *testing.T) {
	api := fakeAPI()
	api.Status = func(context.Context) (control.Status, error) {
		return control.Status{Sources: []control.Source{{Name: "browser:1", Kind: "browser", Label: "\u202eturned\u2066 around"}}}, nil
	}
	s, server := newSite(t, api)
	if _, body := do(t, "GET", server.URL+"/", "", "Cookie", signIn(t, s, server)); !strings.Contains(body, "turned around") {
		t.Errorf("the page says %q", body)
	}
}

// TestAwaitTellsWhoWasFaster: a browser may sign in before anybody waits for it.
func TestAwaitTellsWhoWasFaster(t *testing.T) {
	s, server := newSite(t, fakeAPI())
	used, unused := s.Ticket(), s.Ticket()
	do(t, "GET", server.URL+"/in?ticket="+used, "")
	s.door.now = func() time.Time { return time.Now().Add(ticketLife) }
	for range 20 { // the end has come as well
		if !s.Await(t.Context(), used) {
			t.Fatal("nobody has come with a ticket that is used")
		}
	}
	if s.Await(t.Context(), unused) || s.Await(t.Context(), "none") {
		t.Error("somebody has come with a ticket that is not used")
	}
}
