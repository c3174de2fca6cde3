package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	testSecret = "sk_test-secret-key"
	testPublic = "pk_test-public-key"
	placed     = `"tvShowId":1396,"seasonNumber":1,"episodeNumber":2`
)

// valid holds a valid body for each operation.
var valid = map[string]string{
	"history":   `{"type":"movie","id":603,"watchedAt":"2026-03-01T19:00:00Z"}`,
	"watchlist": `{"type":"movie","id":603,"priority":2}`,
	"lists":     `{"name":"Noir","description":"d","visibility":"PRIVATE"}`,
}

// row is one request and its response, with its number in the table of cases. The default is
// a POST to history with the secret key and a valid body.
type row struct {
	n        int
	op       string // history, watchlist, lists, or a path; "*" for each of the three
	method   string
	head     string // "name: value" lines; a name alone removes the header
	body     string
	status   int    // 200, and 201 for a list
	contains string // part of the response; for a refusal, the code and the field
	recorded string // the last record, formatted by [newest]
	only     string // "full" or "contract": the mode that it is for
}

const (
	noKey   = "x-api-key"
	public  = "x-api-key: " + testPublic
	unknown = "x-api-key: sk_other"
	big     = maxBody + 1
)

func bad(field string) string { return `{"error":"VALIDATION_ERROR","message":"` + field + ": " }

func cases() []row {
	const unauthorized, forbidden, invalid = `"UNAUTHORIZED"`, `"FORBIDDEN"`, `"VALIDATION_ERROR"`
	pad := func(size int) string { return valid["history"] + strings.Repeat(" ", size-len(valid["history"])) }
	rows := []row{
		// Key
		{n: 1, op: "*", head: noKey, status: 401, contains: unauthorized},
		{n: 2, op: "*", head: unknown, status: 401, contains: unauthorized},
		{n: 2, head: "x-api-key: ", status: 401, contains: unauthorized},
		{n: 2, head: "x-api-key: test-secret-key", status: 401, contains: unauthorized},
		{n: 3, op: "*", head: public, status: 403, contains: forbidden},
		{n: 4, op: "*", head: "x-api-key: pk_other", status: 401, contains: unauthorized},
		{n: 5, op: "*", head: noKey + "\nauthorization: Bearer " + testSecret},
		{n: 5, head: noKey + "\nauthorization: Bearer " + testPublic, status: 403, contains: forbidden},
		{n: 7, head: noKey + "\nauthorization: Basic " + testSecret, status: 401, contains: unauthorized},
		{n: 9, head: "authorization: Bearer " + testPublic, status: 401, contains: "two keys were sent"},
		{n: 11, op: "lists?api_key=" + testSecret, head: noKey, status: 401, contains: unauthorized},
		{n: 14, op: "me", method: "GET", head: public, only: "full"},
		{n: 14, op: "history", method: "GET", head: public, only: "full"},
		{n: 14, op: "media/resolve/batch", head: public, body: `{"items":[]}`, only: "full"},

		// Envelope
		{n: 15, op: "*", body: " ", status: 400, contains: invalid},
		{n: 16, op: "*", head: "content-type", status: 400, contains: invalid},
		{n: 16, head: "content-type: text/plain", status: 400, contains: invalid},
		{n: 18, op: "*", body: "[]", status: 400, contains: invalid},
		{n: 22, body: pad(maxBody)},
		{n: 22, body: pad(big), status: 413, contains: invalid},
		{n: 26, method: "PUT", status: 405, contains: `"METHOD_NOT_ALLOWED"`},
		{n: 26, op: "watchlist", method: "GET", head: noKey, status: 405, contains: `"METHOD_NOT_ALLOWED"`},
		{n: 26, op: "history", method: "GET", status: 405, contains: `"METHOD_NOT_ALLOWED"`, only: "contract"},
		{n: 27, op: "histories", head: noKey, status: 404, contains: `"NOT_FOUND"`},

		// Add to history
		{n: 29, body: `{"type":"movie","id":603}`, contains: `{"success":true}`, recorded: "movie 603"},
		{n: 30, body: `{"type":"episode","id":62085}`, recorded: "episode 62085"},
		{n: 31, body: `{"type":"episode",` + placed + `}`, recorded: "episode 1396 s1e2"},
		{n: 31, body: `{"type":"episode","tmdbId":1396,"seasonNumber":1,"episodeNumber":2}`, recorded: "episode 1396 s1e2"},
		{n: 33, body: `{"type":"episode"}`, status: 400, contains: bad("tvShowId")},
		{n: 33, body: `{"type":"episode","tvShowId":1396,"episodeNumber":2}`, status: 400, contains: bad("seasonNumber")},
		{n: 33, body: `{"type":"episode","tvShowId":1396,"seasonNumber":1}`, status: 400, contains: bad("episodeNumber")},
		{n: 35, body: `{"type":"movie","tmdbId":603}`, status: 400, contains: bad("id")},
		{n: 37, body: `{"type":"tv","id":1396}`, status: 400, contains: bad("type")},
		{n: 38, body: `{"id":603}`, status: 400, contains: bad("type")},
		{n: 39, body: `{"type":"episode","tvShowId":1396,"seasonNumber":0,"episodeNumber":1}`, recorded: "episode 1396 s0e1"},
		{n: 43, body: valid["history"], recorded: "movie 603"},
		{n: 44, body: `{"type":"movie","id":603,"count":3}`, recorded: "movie 603 ×3"},
		{n: 44, body: `{"type":"movie","id":603,"count":3}`, recorded: "movie 603 ×3"},
		{n: 46, body: at("2026-03-01T10:30:00-08:30"), recorded: "movie 603 2026-03-01T19:00:00Z"},
		{n: 47, body: at("2026-03-01T19:00:00"), status: 400, contains: bad("watchedAt")},
		{n: 48, body: at("2026-03-01"), status: 400, contains: bad("watchedAt")},
		{n: 50, body: valid["history"], recorded: "movie 603"},

		// Add to watchlist
		{n: 51, op: "watchlist", body: `{"type":"tv","id":1,"priority":2}`, contains: `{"success":true}`, recorded: "tv 1 2"},
		{n: 52, op: "watchlist", body: `{"type":"episode","id":1396}`, status: 400, contains: bad("type")},
		{n: 52, op: "watchlist", body: `{"type":"tv","id":-1}`, status: 400, contains: bad("id")},
		{n: 53, op: "watchlist", body: `{"type":"tv","id":2}`, recorded: "tv 2"},
		{n: 53, op: "watchlist", body: `{"type":"tv","id":3,"priority":-5}`, recorded: "tv 3 -5"},
		{n: 54, op: "watchlist", body: `{"type":"tv","id":3}`, recorded: "again tv 3 -5"},
		{n: 54, op: "watchlist", body: `{"type":"tv","id":3,"priority":7}`, recorded: "again tv 3 7"},

		// Create a list
		{n: 55, op: "lists", body: valid["lists"], contains: `"name":"Noir","description":"d","visibility":"PRIVATE","itemCount":0,`, recorded: `"Noir" "d" PRIVATE`},
		{n: 56, op: "lists", body: `{"name":"  \t"}`, status: 400, contains: bad("name")},
		{n: 57, op: "lists", body: `{"name":"a"}`, recorded: `"a" "" PRIVATE`},
		{n: 58, op: "lists", body: `{"name":"a","visibility":"PUBLIC"}`, recorded: `"a" "" PUBLIC`},
		{n: 58, op: "lists", body: `{"name":"a","visibility":"private"}`, status: 400, contains: bad("visibility")},

		// Idempotency-Key
		{n: 60, head: "idempotency-key: k", recorded: "movie 603"},
		{n: 60, head: "idempotency-key: k", contains: `{"success":true}`, recorded: "nothing", only: "full"},
		{n: 61, head: "idempotency-key: k", body: `{"type":"movie","id":604}`, status: 422, contains: bad("Idempotency-Key"), only: "full"},
		{n: 61, op: "watchlist", head: "idempotency-key: k", body: valid["history"], status: 422, contains: bad("Idempotency-Key"), only: "full"},
		{n: 64, head: "idempotency-key: k", recorded: "movie 603", only: "contract"},
		{n: 64, head: "idempotency-key: k", body: `{"type":"movie","id":604}`, recorded: "movie 604", only: "contract"},
	}
	var all []row
	for _, r := range rows {
		if r.op != "*" {
			all = append(all, r)
			continue
		}
		for _, r.op = range []string{"history", "watchlist", "lists"} {
			all = append(all, r)
		}
	}
	return all
}

func at(text string) string { return fmt.Sprintf(`{"type":"movie","id":603,"watchedAt":%q}`, text) }

// request returns the request of a row.
func (r row) request() *http.Request {
	op, method, body := r.op, r.method, r.body
	if op == "" {
		op = "history"
	}
	if method == "" {
		method = http.MethodPost
	}
	if body == "" {
		path, _, _ := strings.Cut(op, "?")
		body = valid[path]
	}
	q := httptest.NewRequest(method, "http://127.0.0.1/api/v1/"+op, strings.NewReader(body))
	q.Header = http.Header{"Content-Type": {"application/json"}, "X-Api-Key": {testSecret}}
	fresh := map[string]bool{}
	for line := range strings.Lines(r.head) {
		name, value, given := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if name = http.CanonicalHeaderKey(name); !fresh[name] {
			q.Header.Del(name)
		}
		if fresh[name] = true; given {
			q.Header.Add(name, value)
		}
	}
	return q
}

func openService(t *testing.T, o Options) *Service {
	t.Helper()
	if o.Path == "" {
		o.Path = filepath.Join(t.TempDir(), "sandbox.jsonl")
	}
	o.SecretKey, o.PublicKey = testSecret, testPublic
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// serveRow returns the response to a row.
func serveRow(s *Service, r row) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r.request())
	return w
}

func records(t *testing.T, s *Service) Records {
	t.Helper()
	r, err := s.Records(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func total(r Records) int { return len(r.History) + len(r.Watchlist) + len(r.Lists) }

// newest returns the last record of an operation, with its time if timed.
func newest(r Records, op string, added int, timed bool) string {
	switch {
	case op == "watchlist":
		w := r.Watchlist[len(r.Watchlist)-1]
		text := fmt.Sprint(w.Type, " ", w.ID)
		if w.Priority != nil {
			text = fmt.Sprint(text, " ", *w.Priority)
		}
		if added == 0 {
			text = "again " + text
		}
		return text
	case added == 0:
		return "nothing"
	case op == "lists":
		l := r.Lists[len(r.Lists)-1]
		return fmt.Sprintf("%q %q %s", l.Name, l.Description, l.Visibility)
	}
	h := r.History[len(r.History)-1]
	text := h.Type
	for _, id := range []int64{h.ID, h.TVShowID} {
		if id > 0 {
			text = fmt.Sprint(text, " ", id)
		}
	}
	if h.SeasonNumber != nil {
		text = fmt.Sprintf("%s s%de%d", text, *h.SeasonNumber, h.EpisodeNumber)
	}
	if added > 1 {
		text = fmt.Sprint(text, " ×", added)
	}
	if timed {
		text += " " + h.WatchedAt.Format(time.RFC3339Nano)
	}
	return text
}

// Each case has its response and its record.
func TestCases(t *testing.T) {
	for mode, only := range map[string]bool{"full": false, "contract": true} {
		t.Run(mode, func(t *testing.T) {
			s := openService(t, Options{ContractOnly: only})
			for _, r := range cases() {
				if r.only != "" && r.only != mode {
					continue
				}
				before := total(records(t, s))
				w := serveRow(s, r)
				after := records(t, s)
				name, want := fmt.Sprintf("%d %s %q %s", r.n, r.op, r.head, r.body), r.status
				switch {
				case want == 0 && r.op == "lists":
					want = 201
				case want == 0:
					want = 200
				}
				added, body := total(after)-before, w.Body.String()
				if w.Code != want || !strings.Contains(body, r.contains) {
					t.Errorf("%s: answered %d %s, want %d %s", name, w.Code, body, want, r.contains)
				}
				if want >= 300 && added != 0 {
					t.Errorf("%s: refused, yet recorded", name)
				}
				if r.recorded != "" {
					if got := newest(after, r.op, added, strings.Contains(r.recorded, "T")); got != r.recorded {
						t.Errorf("%s: recorded %s, want %s", name, got, r.recorded)
					}
				}
				envelope(t, name, w)
			}
		})
	}
}

// envelope checks what all responses have in common: JSON that is not cached, and for an
// error its code and a message.
func envelope(t *testing.T, name string, w *httptest.ResponseRecorder) {
	t.Helper()
	if w.Header().Get("Content-Type") != "application/json; charset=utf-8" || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("%s: headers %v", name, w.Header())
	}
	if w.Header().Get("Access-Control-Allow-Origin") != "" || (w.Code == 401) != (w.Header().Get("WWW-Authenticate") == "Bearer") {
		t.Errorf("%s: headers %v", name, w.Header())
	}
	var e struct{ Error, Message string }
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || (w.Code >= 300) != (e.Error != "" && e.Message != "") {
		t.Errorf("%s: answered %s, %v", name, w.Body, err)
	}
}

// Case 62: an Idempotency-Key in progress is refused, and the key of a dropped request can be
// repeated.
func TestIdempotencyKeyInProgress(t *testing.T) {
	s := openService(t, Options{})
	arm(t, s, "POST /history", "late:1h")
	first := row{head: "idempotency-key: late"}
	expectAbort(t, s, first)
	for _, r := range []row{first, {head: first.head, body: `{"type":"movie","id":604}`}, {op: "lists", head: first.head}} {
		if w := serveRow(s, r); w.Code != 409 || !strings.Contains(w.Body.String(), "Idempotency-Key") {
			t.Errorf("answered %d %s", w.Code, w.Body)
		}
	}
	arm(t, s, "POST /lists", "drop-after")
	list := row{op: "lists", head: "idempotency-key: l"}
	expectAbort(t, s, list)
	if w := serveRow(s, list); w.Code != 201 || len(records(t, s).Lists) != 1 {
		t.Errorf("answered %d, %+v", w.Code, records(t, s).Lists)
	}
}

func arm(t *testing.T, s *Service, match, fault string) {
	t.Helper()
	if err := s.Arm(Fault{Match: match, Fault: fault, Times: 1}); err != nil {
		t.Fatal(err)
	}
}

// expectAbort sends a row that must end the connection without a response.
func expectAbort(t *testing.T, s *Service, r row) {
	t.Helper()
	defer func() {
		if err, _ := recover().(error); !errors.Is(err, http.ErrAbortHandler) {
			t.Errorf("ended with %v", err)
		}
	}()
	serveRow(s, r)
}
