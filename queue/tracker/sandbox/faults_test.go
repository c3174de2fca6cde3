package sandbox

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestAnsweringFaults(t *testing.T) {
	p := newProbe(t, options(t))
	for _, c := range []struct {
		fault       string
		status      int
		code        string // "" for no error object
		contentType string
		body        string // a part of it
	}{
		{"status:503", 503, codeUnavailable, contentType, "armed fault"},
		{"status:500", 500, codeInternal, contentType, ""},
		{"status:401", 401, codeUnauthorized, contentType, ""},
		{"status:422", 422, codeValidation, contentType, ""},
		{"status:418", 418, codeFault, contentType, ""},
		{"status:307", 307, codeFault, contentType, ""},
		{"status:204", 204, "", "", ""},
		{"bare:503", 503, "", "", ""},
		{"retry-after:2", 429, codeRateLimited, contentType, ""},
		{"html", 200, "", "text/html; charset=utf-8", "<html"},
		{"empty", 200, "", "", ""},
	} {
		p.arm(t, "POST /history", c.fault, 1)
		r := p.send(t, history(valid("history")))
		if r.status != c.status || r.header.Get("Content-Type") != c.contentType {
			t.Errorf("%s: answered %d %q", c.fault, r.status, r.header.Get("Content-Type"))
		}
		switch {
		case c.code != "":
			checkError(t, r, c.code, "")
		case c.fault == "html":
			if !strings.HasPrefix(string(r.body), "<!doctype html>") {
				t.Errorf("html: %s", r.body)
			}
		case len(r.body) > 0:
			t.Errorf("%s: %s", c.fault, r.body)
		}
		if got := r.header.Get("Retry-After"); (c.fault == "retry-after:2") != (got == "2") {
			t.Errorf("%s: Retry-After is %q", c.fault, got)
		}
	}
	p.mustBe(t, history(valid("history")), 200)
	if n := p.total(t); n != 1 {
		t.Errorf("%d records, want that of the last request", n)
	}
}

func TestBreakingFaults(t *testing.T) {
	p := newProbe(t, options(t))
	for _, c := range []struct {
		fault    string
		is       error
		recorded int
	}{
		{"drop-before", io.EOF, 0},
		{"drop-after", io.EOF, 1},
		{"cut", io.ErrUnexpectedEOF, 1},
		{"reset", syscall.ECONNRESET, 0},
		{"late:1h", io.EOF, 0},
	} {
		before := p.total(t)
		p.arm(t, "POST /watchlist", c.fault, 1)
		body := `{"type":"movie","id":` + string(rune('1'+before)) + `}`
		err := p.broken(t, to("watchlist", body))
		if windows := syscall.Errno(10054); !errors.Is(err, c.is) && !(c.fault == "reset" && errors.Is(err, windows)) {
			t.Errorf("%s: %v, want %v", c.fault, err, c.is)
		}
		if n := p.total(t) - before; n != c.recorded {
			t.Errorf("%s: %d recorded, want %d", c.fault, n, c.recorded)
		}
	}
}

func TestStatusAfterRecords(t *testing.T) {
	p := newProbe(t, options(t))
	p.arm(t, "POST /history", "status-after:500", 1)
	r, err := p.try(t, history(valid("history")))
	if err != nil || r.status != 500 || len(r.body) != 0 || p.total(t) != 1 {
		t.Errorf("%v, answered %d %q, %d recorded", err, r.status, r.body, p.total(t))
	}
}

func TestCutSendsHalf(t *testing.T) {
	p := newProbe(t, options(t))
	p.arm(t, "POST /history", "cut", 1)
	r, err := p.try(t, history(valid("history")))
	if err == nil || r.status != 200 || string(r.body) != `{"succes` || r.header.Get("Content-Length") != "16" {
		t.Errorf("%v, answered %d %s", err, r.status, r.body)
	}
	p.arm(t, "GET /history", "cut", 1)
	if r, err := p.try(t, get("/api/v1/history")); err == nil || !strings.HasPrefix(string(r.body), `{"success":true,"data":[`) {
		t.Errorf("a cut read: %v, %s", err, r.body)
	}
}

func TestDroppedKeyedRequestIsAnsweredAfterwards(t *testing.T) {
	p := newProbe(t, options(t))
	for _, fault := range []string{"drop-after", "cut"} {
		p.arm(t, "POST /lists", fault, 1)
		p.broken(t, keyed("lists", valid("lists"), fault))
		p.mustBe(t, keyed("lists", valid("lists"), fault), 201)
	}
	if n := p.total(t); n != 2 {
		t.Errorf("%d lists, want one for each key", n)
	}
}

// TestRecordingFaultsSpareRefusals holds that a probe, which is refused as
// invalid, uses up no fault that is meant for a real request.
func TestRecordingFaultsSpareRefusals(t *testing.T) {
	p := newProbe(t, options(t))
	for _, fault := range []string{"drop-after", "cut", "late:1h", "delay:1h"} {
		p.arm(t, "POST /history", fault, 1)
	}
	p.mustBe(t, history(`{}`), 400)
	p.mustBe(t, history(valid("history")).with("x-api-key"), 401)
	p.mustBe(t, to("watchlist", valid("watchlist")), 200)
	if left := p.faults.list(); len(left) != 4 {
		t.Errorf("left are %v", left)
	}
}

func TestFaultsStrikeInOrderAndRunOut(t *testing.T) {
	p := newProbe(t, options(t))
	p.arm(t, "POST /history", "status:503", 2)
	p.arm(t, "POST /history", "drop-after", 1)
	p.arm(t, "POST /lists", "status:500", 1)
	p.mustBe(t, history(`{}`), 503) // whatever the body
	p.mustBe(t, history(valid("history")).with("x-api-key"), 503)
	p.broken(t, history(valid("history")))
	p.mustBe(t, history(valid("history")), 200)
	p.mustBe(t, to("lists", valid("lists")), 500)
	p.mustBe(t, to("lists", valid("lists")), 201)
	if n := p.total(t); n != 3 {
		t.Errorf("%d records, want 3", n)
	}
}

func TestDelayAnswersAfterIt(t *testing.T) {
	p := newProbe(t, options(t))
	p.arm(t, "POST /history", "delay:60ms", 1)
	start := time.Now()
	p.mustBe(t, history(valid("history")), 200)
	if took := time.Since(start); took < 60*time.Millisecond {
		t.Errorf("answered after %v", took)
	}
	p.arm(t, "GET /me", "delay:60ms", 1)
	start = time.Now()
	p.mustBe(t, get("/api/v1/me"), 200)
	if took := time.Since(start); took < 60*time.Millisecond {
		t.Errorf("a read answered after %v", took)
	}
}

// TestLateIsRecordedOnTime runs on a clock of its own, without a server: the
// recorder's connection cannot be taken, so the handler aborts.
func TestLateIsRecordedOnTime(t *testing.T) {
	path := options(t).Path
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(t.Context(), Options{Path: path, SecretKey: testSecret, PublicKey: testPublic})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := s.Arm(Fault{Match: "POST /history", Fault: "late:3s", Times: 1}); err != nil {
			t.Fatal(err)
		}
		arrived := time.Now().Truncate(time.Millisecond)
		r := httptest.NewRequest("POST", "/api/v1/history", strings.NewReader(`{"type":"movie","id":603}`))
		r.Header = history("").header
		func() {
			defer func() {
				if got := recover(); got != http.ErrAbortHandler {
					t.Errorf("the handler ended with %v", got)
				}
			}()
			s.Handler().ServeHTTP(httptest.NewRecorder(), r)
		}()
		count := func(want int) []HistoryRecord {
			synctest.Wait()
			records, err := s.Records(t.Context())
			if err != nil || len(records.History) != want {
				t.Errorf("%d records, %v, want %d", len(records.History), err, want)
			}
			return records.History
		}
		<-time.After(2999 * time.Millisecond)
		count(0)
		<-time.After(time.Millisecond)
		for _, v := range count(1) {
			if !v.WatchedAt.Equal(arrived) || !v.ReceivedAt.Equal(arrived) {
				t.Errorf("recorded %+v, want the time of arrival %v", v, arrived)
			}
		}
	})
}

func TestControlFaults(t *testing.T) {
	p := newProbe(t, options(t))
	arm := func(body string) *sent { return &sent{method: "POST", path: "/_sandbox/faults", body: body} }
	r := p.mustBe(t, arm(`{"match":"POST /history","fault":"status:503","times":2}`), 200)
	if string(r.body) != `{"faults":[{"match":"POST /history","fault":"status:503","times":2}]}` {
		t.Errorf("armed: %s", r.body)
	}
	p.mustBe(t, history(valid("history")), 503)
	p.mustBe(t, arm(`{"match":"GET /me","fault":"delay:1ms"}`), 200)
	r = p.mustBe(t, get("/_sandbox/faults"), 200)
	if string(r.body) != `{"faults":[{"match":"POST /history","fault":"status:503","times":1},{"match":"GET /me","fault":"delay:1ms","times":1}]}` {
		t.Errorf("left: %s", r.body)
	}
	p.mustBe(t, get("").as("DELETE", "/_sandbox/faults"), 200)
	p.mustBe(t, history(valid("history")), 200)
	for body, says := range map[string]string{
		``: "empty", `x`: "JSON", `[]`: "JSON object", `{}`: "match: is required",
		`{"match":"POST /history"}`:                                       "fault: is required",
		`{"match":"/history","fault":"html"}`:                             "match: must be an operation",
		`{"match":"POST /api/v1/history","fault":"html"}`:                 "match: must be an operation",
		`{"match":"post /history","fault":"html"}`:                        "match: must be an operation",
		`{"match":5,"fault":"html"}`:                                      "match: must be a string",
		`{"match":"POST /history","fault":"status-after:200"}`:            "fault: needs a whole number from 400",
		`{"match":"POST /history","fault":"explode"}`:                     "fault: must be one of",
		`{"match":"POST /history","fault":"status:99"}`:                   "fault: needs a whole number",
		`{"match":"POST /history","fault":"status"}`:                      "fault: needs a whole number",
		`{"match":"POST /history","fault":"retry-after:-1"}`:              "fault: needs a whole number",
		`{"match":"POST /history","fault":"delay:5"}`:                     "fault: needs a duration",
		`{"match":"POST /history","fault":"late:0s"}`:                     "fault: needs a duration",
		`{"match":"POST /history","fault":"late:100h"}`:                   "fault: needs a duration",
		`{"match":"GET /history","fault":"late:3s"}`:                      "fault: late needs",
		`{"match":"POST /history","fault":"html:5"}`:                      "fault: html takes no value",
		`{"match":"POST /history","fault":"html","times":0}`:              "times: must be at least 1",
		`{"match":"POST /history","fault":"html","times":"2"}`:            "times: must be a whole number",
		`{"match":"POST /history","fault":"html","time":2}`:               "no other",
		`{"match":"POST /history","fault":"` + strings.Repeat("x", 1<<17): "larger than",
	} {
		r := p.send(t, arm(body))
		if r.status != 400 && !strings.Contains(says, "larger") || !strings.Contains(string(r.body), says) {
			t.Errorf("%.60s: answered %d %s, want %q", body, r.status, r.body, says)
		}
		checkError(t, r, codeValidation, "")
	}
	if left := p.faults.list(); len(left) != 0 {
		t.Errorf("armed by bad requests: %v", left)
	}
	if err := p.Arm(Fault{Match: "POST /history", Fault: "html"}); err == nil || !strings.Contains(err.Error(), "times") {
		t.Errorf("armed for no request: %v", err)
	}
}

func TestControlIsForThisMachine(t *testing.T) {
	p := newProbe(t, options(t))
	p.mustBe(t, history(valid("history")), 200)
	page := get("/_sandbox/records").with("Origin", "http://127.0.0.1:1")
	checkError(t, p.mustBe(t, page, 403), codeForbidden, "")
	checkError(t, p.mustBe(t, get("/_sandbox/records").with("Origin", "null"), 403), codeForbidden, "")
	checkError(t, p.mustBe(t, get("").as("POST", "/_sandbox/records"), 405), codeMethod, "")
	checkError(t, p.mustBe(t, get("").as("PUT", "/_sandbox/faults"), 405), codeMethod, "")
	checkError(t, p.mustBe(t, get("/_sandbox/other"), 404), codeNotFound, "")
	checkError(t, p.mustBe(t, get("/_sandbox/records/"), 404), codeNotFound, "")
	for _, c := range []struct {
		peer, host string
		status     int
	}{
		{"127.0.0.1:9", "127.0.0.1:8080", 200},
		{"127.0.0.1:9", "localhost:8080", 200},
		{"[::1]:9", "[::1]:8080", 200},
		{"127.0.0.1:9", "LOCALHOST", 200},
		{"[::ffff:127.0.0.1]:9", "127.0.0.2", 200},
		{"192.0.2.1:9", "127.0.0.1:8080", 403},
		{"[2001:db8::1]:9", "localhost", 403},
		{"", "localhost", 403},
		{"127.0.0.1:9", "tracker.example", 403},
		{"127.0.0.1:9", "localhost.example:8080", 403},
		{"127.0.0.1:9", "192.0.2.1", 403},
		{"127.0.0.1:9", "", 403},
	} {
		r := httptest.NewRequest("GET", "/_sandbox/records", nil)
		r.RemoteAddr, r.Host = c.peer, c.host
		w := httptest.NewRecorder()
		p.Handler().ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("from %q to %q: answered %d, want %d", c.peer, c.host, w.Code, c.status)
		}
	}
}

func TestControlRecords(t *testing.T) {
	p := newProbe(t, options(t))
	if r := p.mustBe(t, get("/_sandbox/records"), 200); string(r.body) != `{"history":[],"watchlist":[],"lists":[]}` {
		t.Errorf("nothing recorded: %s", r.body)
	}
	p.mustBe(t, keyed("history", `{"type":"episode","tvShowId":1396,"seasonNumber":0,"episodeNumber":2,"watchedAt":"2026-03-01T20:00:00.25+01:00"}`, "k1"), 200)
	p.mustBe(t, to("watchlist", `{"type":"tv","id":1396,"priority":0}`), 200)
	p.mustBe(t, to("lists", `{"name":"Noir"}`), 201)
	var got struct{ History, Watchlist, Lists []map[string]any }
	if err := json.Unmarshal(p.mustBe(t, get("/_sandbox/records").with("x-api-key"), 200).body, &got); err != nil {
		t.Fatal(err)
	}
	for _, r := range []map[string]any{got.History[0], got.Watchlist[0], got.Lists[0]} {
		if _, err := time.Parse(time.RFC3339, r["receivedAt"].(string)); err != nil {
			t.Error(err)
		}
		delete(r, "receivedAt")
		delete(r, "updatedAt")
	}
	for name, c := range map[string]struct {
		got  any
		want string
	}{
		"history": {got.History, `[{"episodeNumber":2,"idempotencyKey":"k1","record":1,"seasonNumber":0,"tvShowId":1396,"type":"episode","watchedAt":"2026-03-01T19:00:00.250Z"}]`},
		"wishes":  {got.Watchlist, `[{"id":1396,"priority":0,"record":1,"type":"tv"}]`},
	} {
		if text := asJSON(t, c.got); text != c.want {
			t.Errorf("%s: %s, want %s", name, text, c.want)
		}
	}
	if l := got.Lists[0]; l["name"] != "Noir" || l["visibility"] != "PRIVATE" || l["id"] == "" || l["itemCount"] != 0.0 {
		t.Errorf("lists: %v", l)
	}
}
