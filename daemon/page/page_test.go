package page

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// fakeAPI answers what pages ask that show a status or entries. Any other question ends
// the test.
func fakeAPI() control.API {
	return control.API{
		Status: func(context.Context) (control.Status, error) {
			return control.Status{Sources: []control.Source{{Name: "kodi:/userdata", State: "ok"}}}, nil
		},
		Explain:   func(context.Context, int64) (control.Explanation, error) { return control.Explanation{}, nil },
		Days:      func(context.Context, int) ([]entry.Day, error) { return nil, nil },
		Year:      func(_ context.Context, year int) (entry.Year, error) { return entry.Year{Year: year}, nil },
		List:      func(context.Context, entry.Filter) ([]entry.Entry, error) { return nil, nil },
		Questions: func(context.Context) ([]entry.Question, error) { return nil, nil },
		Settings:  func(context.Context) (control.Settings, error) { return control.Settings{}, nil },
	}
}

// newSite makes a site with a server of its own.
func newSite(t *testing.T, api control.API) (*Site, *httptest.Server) {
	t.Helper()
	return siteAt(t, api, filepath.Join(t.TempDir(), "sessions.json"))
}

func siteAt(t *testing.T, api control.API, file string) (*Site, *httptest.Server) {
	t.Helper()
	s, err := New(Options{
		API: api, Sessions: file, Log: slog.New(slog.DiscardHandler),
		Changed: func() (<-chan struct{}, func()) { return make(chan struct{}), func() {} },
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
	return sessionCookie + "=" + cookie.Value
}

// TestOnlyATicketSignsIn: the address alone, a wrong or used ticket, a browser that
// fetches ahead, and a cookie that was changed get nothing.
func TestOnlyATicketSignsIn(t *testing.T) {
	s, server := newSite(t, fakeAPI())
	link := "/in?ticket=" + s.Ticket()
	for _, c := range []struct {
		method, path string
		header       []string
		want         int
	}{
		{"GET", "/", nil, 401},
		{"GET", "/", []string{"Cookie", sessionCookie + "=x"}, 401},
		{"GET", "/live", nil, 401},
		{"GET", "/in", nil, 403},
		{"GET", "/in?ticket=x", nil, 403},
		{"GET", link, []string{"Sec-Purpose", "prefetch;prerender"}, 403},
		{"HEAD", link, nil, 403},
		{"GET", link, nil, 200},
		{"GET", link, nil, 403},
		{"GET", "/", []string{"Cookie", signIn(t, s, server)}, 200},
	} {
		answer, body := do(t, c.method, server.URL+c.path, "", append(c.header, "Accept-Language", "de")...)
		if answer.StatusCode != c.want || strings.Contains(body, "Bereit") != (c.want == 200 && c.path == "/") {
			t.Errorf("%+v: %s\n%s", c, answer.Status, body)
		}
	}
}

// TestLinksFromElsewhere: a browser keeps its cookie back where a link elsewhere leads here, so
// it is made to ask again, once and here.
func TestLinksFromElsewhere(t *testing.T) {
	_, server := newSite(t, fakeAPI())
	for _, c := range []struct{ path, site, mode, on string }{
		{"/diary?state=held&q=%22", "cross-site", "navigate", `content="0; url=/diary?state=held&amp;q=%22"`},
		{"/review", "none", "navigate", `content="0; url=/review"`},
		{"/review", "same-origin", "navigate", ""},
		{"/live", "cross-site", "cors", ""},
	} {
		answer, body := do(t, "GET", server.URL+c.path, "", "Sec-Fetch-Site", c.site, "Sec-Fetch-Mode", c.mode)
		if answer.StatusCode != 401 || strings.Contains(body, "http-equiv") != (c.on != "") || !strings.Contains(body, c.on) {
			t.Errorf("%+v: %s\n%s", c, answer.Status, body)
		}
	}
}

// TestBrokenExportIsNoWholeFile: a browser sees that a download was cut.
func TestBrokenExportIsNoWholeFile(t *testing.T) {
	api := fakeAPI()
	api.Export = func(_ context.Context, _ control.Export, w io.Writer) (control.Exported, error) {
		_, _ = io.WriteString(w, strings.Repeat("viewing\n", 10_000))
		return control.Exported{}, errors.New("disk trouble")
	}
	s, server := newSite(t, api)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/export?form=csv", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Cookie", signIn(t, s, server))
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err == nil {
		t.Errorf("half an export of %d bytes looks whole: %s", len(text), answer.Status)
	}
}

// TestSessionsAreKept: a browser stays signed in over a restart, which keeps the host name,
// until somebody signs out everywhere: open pages learn that at once. Where it cannot be saved,
// nothing changes.
func TestSessionsAreKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sessions.json")
	before, server := siteAt(t, fakeAPI(), file)
	one, other := signIn(t, before, server), signIn(t, before, server)
	s, server := siteAt(t, fakeAPI(), file)
	if s.Host("1") != before.Host("1") || len(s.Host("1")) < len("filmspool-.localhost:1")+26 {
		t.Errorf("the host was %s and is %s", before.Host("1"), s.Host("1"))
	}
	is := func(want int, method, path string, cookies ...string) {
		t.Helper()
		for _, cookie := range cookies {
			if answer, _ := do(t, method, server.URL+path, "", "Cookie", cookie); answer.StatusCode != want {
				t.Errorf("%s: %s, want %d", path, answer.Status, want)
			}
		}
	}
	ticket, told := s.Ticket(), s.localChange()
	s.sessions.file = filepath.Join(file, "none")
	is(500, "POST", "/settings/out", one)
	is(200, "GET", "/", one, other)
	s.sessions.file = file
	is(303, "POST", "/settings/out", one)
	is(401, "GET", "/", one, other)
	is(403, "GET", "/in?ticket="+ticket, one)
	<-told
	s, server = siteAt(t, fakeAPI(), file)
	is(401, "GET", "/", one, other)
	is(200, "GET", "/", signIn(t, s, server))
}

// TestTimeEndsTicketsAndSessions: and who waits for a ticket learns whether it was used.
func TestTimeEndsTicketsAndSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := openSessions(filepath.Join(t.TempDir(), "sessions.json"), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		used, unused := s.newTicket(), s.newTicket()
		answers := make(chan bool)
		for _, ticket := range []string{used, unused} {
			go func() { answers <- s.await(t.Context(), ticket) }()
		}
		time.Sleep(ticketLife - time.Second)
		if !s.redeem(used) || s.redeem(used) || !<-answers {
			t.Error("a ticket is good once, within its time")
		}
		time.Sleep(2 * time.Second)
		if <-answers || s.redeem(unused) || s.await(t.Context(), unused) || len(s.tickets) != 0 {
			t.Error("a ticket is good after its end")
		}
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		s.begin(w)
		r.AddCookie(w.Result().Cookies()[0])
		is := s.has(r)
		time.Sleep(sessionLife + time.Second)
		s.begin(httptest.NewRecorder())
		if !is || s.has(r) || len(s.saved.Ends) != 1 {
			t.Errorf("signed in %v, then %v; %d sessions are kept", is, s.has(r), len(s.saved.Ends))
		}
	})
}

// TestAnOpenPageIsToldOfChanges: once for each, and at most once a second.
func TestAnOpenPageIsToldOfChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		changed := make(chan struct{}, 1)
		s, err := New(Options{
			Sessions: filepath.Join(t.TempDir(), "sessions.json"), Changed: func() (<-chan struct{}, func()) { return changed, func() {} },
		})
		if err != nil {
			t.Fatal(err)
		}
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/live", http.NoBody)
		s.sessions.begin(w)
		r.AddCookie(w.Result().Cookies()[0])
		go s.live(w, r)
		for i, c := range []struct {
			change func()
			after  time.Duration
			want   int
		}{
			{func() {}, time.Minute, 0},
			{func() { changed <- struct{}{} }, 0, 1},
			{func() { changed <- struct{}{} }, minEventGap / 2, 1},
			{func() {}, time.Minute, 2},
			{s.notify, time.Minute, 3},
		} {
			c.change()
			time.Sleep(c.after)
			synctest.Wait()
			if got := strings.Count(w.Body.String(), "event: change"); got != c.want || strings.Count(w.Body.String(), "event: here") != 1 {
				t.Errorf("%d: told %d times, want %d: %s", i, got, c.want, w.Body)
			}
		}
		s.Close() // ends the stream
	})
}

// TestEveryAnswerIsSecure: a site that frames a page, or has it load something, could act for
// the person. No other file of the program is served.
func TestEveryAnswerIsSecure(t *testing.T) {
	s, server := newSite(t, fakeAPI())
	cookie := signIn(t, s, server)
	for path, want := range map[string]int{
		"/": 200, "/none": 404, "/in": 403, "/static/page.js": 200, "/static/page.css": 200, "/static/icon.svg": 200, "/static/none": 404,
		"/static/%2e%2e/templates/home.html": 404, "/static/..%2ftemplates%2fhome.html": 400, "/extension/chromium.zip": 200, "/extension/safari.zip": 404,
	} {
		answer, body := do(t, "GET", server.URL+path, "", "Cookie", cookie)
		if answer.StatusCode != want || strings.Contains(body, "{{template") || strings.HasPrefix(body, "PK") != (path == "/extension/chromium.zip") {
			t.Errorf("%s: %s", path, answer.Status)
		}
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'", "X-Frame-Options": "DENY",
			"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := answer.Header.Get(name); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
	}
	if answer, _ := do(t, "POST", server.URL+"/status/resume", "", "Cookie", cookie, "Origin", "null", "Sec-Fetch-Site", "cross-site"); answer.StatusCode != 403 {
		t.Errorf("a form of another site: %s", answer.Status)
	}
}

// TestButtonsOfProblems: the page has a button for what it can do about a problem. What a
// problem says is text, not markup.
func TestButtonsOfProblems(t *testing.T) {
	api := fakeAPI()
	api.Status = func(context.Context) (s control.Status, err error) {
		command := "filmspool login <b>"
		for _, act := range []control.Act{{Verb: control.ActRetry}, {Verb: control.ActSeen, Target: "7"}, {Verb: "login", Command: &command, Page: "javascript:alert(1)"}} {
			s.Problems = append(s.Problems, control.Problem{Code: "<script>alert(1)</script>", Severity: control.NeedsYou, About: "default", Act: act})
		}
		s.Sources = []control.Source{{Name: "browser:1", Kind: "browser", Label: "\u202eturned\u2066 around"}}
		return s, nil
	}
	var forgotten []int64
	api.Acknowledge = func(_ context.Context, id int64) error { forgotten = append(forgotten, id); return nil }
	s, server := newSite(t, api)
	cookie := signIn(t, s, server)
	_, body := do(t, "GET", server.URL+"/status", "", "Cookie", cookie)
	for text, want := range map[string]int{
		`<section class="problem"`: 3, `action="/status/retry"`: 1, `action="/status/seen"`: 1, `action="/status/login"`: 0, `name="target" value="7"`: 1,
		"<script>a": 0, `"javascript:`: 0, "login &lt;b&gt;": 1, "turned around": 1, // nothing turns the direction of the text
	} {
		if got := strings.Count(body, text); got != want {
			t.Errorf("%d times %s, want %d:\n%s", got, text, want, body)
		}
	}
	for _, id := range []string{"7", "x"} {
		do(t, "POST", server.URL+"/status/seen", url.Values{"target": {id}}.Encode(), "Cookie", cookie)
	}
	if !slices.Equal(forgotten, []int64{7}) {
		t.Errorf("forgotten %v", forgotten)
	}
}

// TestToOpenAPageAsksNobody: the API answers no question here but those about the queue. What
// an entry may be, as found before, is one click. An error that is not the person's fault shows
// nothing of itself.
func TestToOpenAPageAsksNobody(t *testing.T) {
	api := fakeAPI()
	held := entry.Entry{ID: 7, State: viewing.StateHeld, Reason: viewing.ReasonUnresolved, Media: &viewing.Media{Type: viewing.Movie, Title: "Alpha"}}
	api.List = func(_ context.Context, f entry.Filter) (list []entry.Entry, err error) {
		if f.State == "" {
			list = append(list, held)
		}
		return list, nil
	}
	api.Questions = func(context.Context) ([]entry.Question, error) { return []entry.Question{{Entry: 7, N: 1}}, nil }
	api.Explain = func(_ context.Context, id int64) (x control.Explanation, err error) {
		if id != 7 {
			return x, errors.New("sql: secret")
		}
		x.Entry, x.Candidates = held, []resolve.Candidate{{TMDB: 5, Title: "The <Longest> Take", Year: 1999}, {TMDB: 8}}
		return x, nil
	}
	s, server := newSite(t, api)
	cookie := signIn(t, s, server)
	for _, page := range []string{"/diary", "/diary/7", "/review"} {
		if answer, body := do(t, "GET", server.URL+page, "", "Cookie", cookie); answer.StatusCode != 200 || !strings.Contains(body, "Alpha") {
			t.Errorf("%s: %s\n%s", page, answer.Status, body)
		}
	}
	_, body := do(t, "GET", server.URL+"/review", "", "Cookie", cookie)
	for _, want := range []string{`value="5 1999 The &lt;Longest&gt; Take" class="main">The &lt;Longest&gt; Take (1999)<`, `value="8 0 ">8<`} {
		if n := strings.Count(body, want); n != 1 {
			t.Errorf("%d times %s:\n%s", n, want, body)
		}
	}
	answer, body := do(t, "GET", server.URL+"/diary/8", "", "Cookie", cookie)
	if answer.StatusCode != 500 || !strings.Contains(body, "Details are in the log") || strings.Contains(body, "secret") {
		t.Errorf("%s\n%s", answer.Status, body)
	}
}

// TestReviewSaysWhatItLeavesOut: of many questions not all are read, and all are counted.
func TestReviewSaysWhatItLeavesOut(t *testing.T) {
	api := fakeAPI()
	api.Status = func(context.Context) (s control.Status, err error) {
		s.Counts.Held = 54_321
		return s, nil
	}
	for n, want := range map[int]bool{maxReviewed - 1: false, maxReviewed: true} {
		api.Questions = func(context.Context) ([]entry.Question, error) { return make([]entry.Question, n), nil }
		s, server := newSite(t, api)
		_, body := do(t, "GET", server.URL+"/review", "", "Cookie", signIn(t, s, server))
		if strings.Contains(body, "In all, 54,321 entries need your attention.") != want {
			t.Errorf("%d questions:\n%s", n, body)
		}
	}
}

// TestStatisticsDrawAYear: a column for each week from Monday, a cell for each day, the
// busiest darkest, and the same in a table.
func TestStatisticsDrawAYear(t *testing.T) {
	api := fakeAPI()
	api.Year = func(_ context.Context, year int) (y entry.Year, err error) {
		y.Year, y.First, y.Last = year, 2019, 2026
		for day, films := range map[int]int{1: 1, 2: 8} { // a Thursday and a Friday of 2026
			y.Days = append(y.Days, entry.Day{Date: time.Date(year, 1, day, 0, 0, 0, 0, time.Local), Watched: entry.Watched{Films: films}})
			y.Months[0].Films += films
		}
		y.Sum = y.Months[0]
		return y, nil
	}
	s, server := newSite(t, api)
	_, body := do(t, "GET", server.URL+"/statistics?year=2026", "", "Cookie", signIn(t, s, server))
	for text, want := range map[string]int{
		`<rect class="l`: 365, `<g transform="translate(0)"><rect class="l1" y="56"`: 1, `class="l4" y="70"`: 1, `class="l0" y="14"`: 52,
		`<th scope="row">January</th><td class="number">9</td>`: 1, "/statistics?year=2019": 1, "/statistics?year=2026": 0,
	} {
		if got := strings.Count(body, text); got != want {
			t.Errorf("%d times %s, want %d", got, text, want)
		}
	}
}
