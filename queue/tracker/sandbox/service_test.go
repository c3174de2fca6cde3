package sandbox

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAnsweringFaults(t *testing.T) {
	s := openService(t, Options{})
	for _, c := range []struct {
		fault    string
		status   int
		says     string // a part of the answer; "" for an empty one
		recorded int
	}{
		{"status:503", 503, "FAULT", 0},
		{"status:401", 401, "UNAUTHORIZED", 0},
		{"status:422", 422, "VALIDATION_ERROR", 0},
		{"bare:503", 503, "", 0},
		{"retry-after:2", 429, "RATE_LIMITED", 0},
		{"html", 200, "<!doctype html>", 0},
		{"empty", 200, "", 0},
		{"status-after:500", 500, "", 1},
	} {
		arm(t, s, "POST /history", c.fault)
		before := total(records(t, s))
		w := serveRow(s, row{})
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) || (c.says == "") != (w.Body.Len() == 0) {
			t.Errorf("%s: answered %d %s", c.fault, w.Code, w.Body)
		}
		if n := total(records(t, s)) - before; n != c.recorded || (w.Header().Get("Retry-After") == "2") != (c.fault == "retry-after:2") {
			t.Errorf("%s: %d recorded, headers %v", c.fault, n, w.Header())
		}
	}
}

// Faults apply in order and a limited number of times. Those that record something do not
// apply to refused requests, so a probe does not use them up.
func TestFaultsApplyInOrder(t *testing.T) {
	s := openService(t, Options{})
	if err := s.Arm(Fault{Match: "POST /history", Fault: "status:503", Times: 2}); err != nil {
		t.Fatal(err)
	}
	arm(t, s, "POST /history", "drop-after")
	arm(t, s, "POST /lists", "status:500")
	for _, r := range []row{{body: `{}`, status: 503}, {head: noKey, status: 503}, {body: `{}`, status: 400}, {head: noKey, status: 401}} {
		if w := serveRow(s, r); w.Code != r.status {
			t.Errorf("%+v: answered %d", r, w.Code)
		}
	}
	expectAbort(t, s, row{})
	for _, r := range []row{{status: 200}, {op: "lists", status: 500}, {op: "lists", status: 201}} {
		if w := serveRow(s, r); w.Code != r.status {
			t.Errorf("%+v: answered %d", r, w.Code)
		}
	}
	for _, f := range []Fault{{Match: "POST /history", Fault: "html"}, {Match: "POST /nothing", Fault: "html", Times: 1}, {Match: "POST /history", Fault: "what", Times: 1}} {
		if s.Arm(f) == nil {
			t.Errorf("armed %+v", f)
		}
	}
}

// A late request is recorded after its wait, or when the service is closed.
func TestLateRequestIsRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sandbox.jsonl")
	synctest.Test(t, func(t *testing.T) {
		s := openService(t, Options{Path: path})
		arm(t, s, "POST /history", "late:3s")
		arrived := time.Now().Truncate(time.Millisecond)
		expectAbort(t, s, row{body: `{"type":"movie","id":603}`})
		time.Sleep(3*time.Second - time.Millisecond)
		synctest.Wait()
		if n := total(records(t, s)); n != 0 {
			t.Errorf("%d records too early", n)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if all := records(t, s).History; len(all) != 1 || !all[0].WatchedAt.Equal(arrived) {
			t.Errorf("recorded %+v, want the time of arrival %v", all, arrived)
		}
		arm(t, s, "POST /history", "late:1h")
		expectAbort(t, s, row{head: "idempotency-key: k"})
		arm(t, s, "POST /history", "delay:1m")
		began := time.Now()
		if w := serveRow(s, row{}); w.Code != 200 || time.Since(began) != time.Minute {
			t.Errorf("a delayed one was answered %d after %s", w.Code, time.Since(began))
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if w := serveRow(s, row{}); w.Code != 503 {
			t.Errorf("closed, it answered %d", w.Code)
		}
		again := openService(t, Options{Path: path})
		for _, when := range []string{"closed", "repeated"} {
			if n := total(records(t, again)); n != 3 {
				t.Errorf("%s: %d records, want 3", when, n)
			}
			serveRow(again, row{head: "idempotency-key: k"})
		}
	})
}

func TestGeneratedKeysAreStored(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sandbox.jsonl")
	keys := map[string]bool{}
	for range 2 {
		s, err := Open(t.Context(), Options{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		if keys[s.SecretKey()+" "+s.PublicKey()] = true; !strings.HasPrefix(s.SecretKey(), "sk_") || !strings.HasPrefix(s.PublicKey(), "pk_") || len(s.SecretKey()) < 20 {
			t.Error("the keys that were made are not a pair of good keys")
		}
		s.Close()
	}
	if len(keys) != 1 {
		t.Error("a restart made other keys")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("the file's mode is %v, %v", info.Mode(), err)
	}
}

// The control routes are for programs on this machine, not for web pages.
func TestControlRoutesNeedLoopback(t *testing.T) {
	s := openService(t, Options{FaultsByHTTP: true})
	serveRow(s, row{})
	for _, c := range []struct {
		host, origin string
		status       int
	}{
		{"127.0.0.1:8080", "", 200},
		{"localhost", "", 200},
		{"localhost", "http://127.0.0.1:1", 403},
		{"tracker.example", "", 403},
		{"localhost.example:8080", "", 403},
	} {
		r := httptest.NewRequest(http.MethodGet, "/_sandbox/records", nil)
		if r.Host = c.host; c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		if s.Handler().ServeHTTP(w, r); w.Code != c.status || (c.status == 200) != strings.Contains(w.Body.String(), `"id":603`) {
			t.Errorf("%+v: answered %d %s", c, w.Code, w.Body)
		}
	}
	for s, status := range map[*Service]int{s: 503, openService(t, Options{}): 200} {
		arming := httptest.NewRequest(http.MethodPost, "http://localhost/_sandbox/faults", strings.NewReader(`{"match":"POST /history","fault":"status:503"}`))
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, arming)
		if got := serveRow(s, row{}).Code; got != status || (w.Code == 200) != (status == 503) {
			t.Errorf("armed: %d %s, then answered %d, want %d", w.Code, w.Body, got, status)
		}
	}
}

// TestReads checks the operations beyond the contract.
func TestReads(t *testing.T) {
	s := openService(t, Options{})
	for _, body := range []string{
		at("2026-03-03T00:00:00Z"), at("2026-03-01T00:00:00Z"), `{"type":"episode",` + placed + `,"watchedAt":"2026-03-05T00:00:00Z"}`,
	} {
		serveRow(s, row{body: body})
	}
	serveRow(s, row{op: "watchlist"})
	serveRow(s, row{op: "lists"})
	const (
		episode = `{"type":"episode","tvShowId":1396,"seasonNumber":1,"episodeNumber":2,"watchedAt":"2026-03-05T00:00:00Z"}`
		later   = `{"type":"movie","id":603,"watchedAt":"2026-03-03T00:00:00Z"}`
		matrix  = `{"type":"movie","tmdbId":603,"imdbId":"tt0133093","title":"The Matrix","year":1999,"matchConfidence":"high"}`
		earlier = `{"type":"movie","id":603,"watchedAt":"2026-03-01T00:00:00Z"}`
	)
	page := func(items string, number, size, total, pages int, more bool) string {
		return fmt.Sprintf(`{"data":[%s],"pagination":{"hasMore":%v,"page":%d,"pageSize":%d,"total":%d,"totalPages":%d},"success":true}`, items, more, number, size, total, pages)
	}
	for _, r := range []row{
		{op: "history", method: "GET", contains: page(episode+","+later+","+earlier, 1, 20, 3, 1, false)},
		{op: "history?sort=watchedAt:asc&pageSize=2", method: "GET", contains: page(earlier+","+later, 1, 2, 3, 2, true)},
		{op: "history?type=movie&pageSize=1&page=2", method: "GET", contains: page(earlier, 2, 1, 2, 2, false)},
		{op: "history?pageSize=101", method: "GET", status: 400, contains: bad("pageSize")},
		{op: "lists", method: "GET", contains: `"name":"Noir"`, status: 200},
		{op: "me", method: "GET", contains: `"name":"Sandbox"`},
		{op: "media/resolve/batch", body: `{}`, status: 400, contains: bad("items")},
		{op: "media/resolve", body: `{"imdbId":"tt0133093"}`, contains: `{"data":` + matrix + `,"success":true}`},
		{op: "media/resolve", body: `{"imdbId":"tt1"}`, status: 404, contains: "NOT_FOUND"},
		{op: "media/resolve", body: `{}`, status: 400, contains: bad("imdbId")},
		{op: "media/resolve/batch", body: `{"items":[{"title":"The Matrix","type":"movie","year":1999},{"imdbId":"tt1"}]}`, contains: `{"data":{"0":` + matrix + `},"success":true}`},
		{op: "history?type=movie&id=603", method: "DELETE", head: public, status: 403, contains: "FORBIDDEN"},
		{op: "history?type=movie&id=x", method: "DELETE", status: 400, contains: bad("id")},
		{op: "history?type=movie&id=603", method: "DELETE", contains: `{"success":true}`},
		{op: "history", method: "GET", contains: page(episode, 1, 20, 1, 1, false)},
	} {
		if r.status == 0 {
			r.status = 200
		}
		if w := serveRow(s, r); w.Code != r.status || !strings.Contains(w.Body.String(), r.contains) {
			t.Errorf("%s %s: answered %d %s, want %s", r.method, r.op, w.Code, w.Body, r.contains)
		}
	}
}

// Recorded requests stay if the last line of the file is incomplete.
func TestIncompleteLastLineIsRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sandbox.jsonl")
	s := openService(t, Options{Path: path})
	for range 2 {
		serveRow(s, row{})
	}
	s.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{len(whole), len(whole) - 1, bytes.LastIndexByte(whole, '\n') + 1, bytes.LastIndexByte(whole, '\n')} {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		want := 1
		if cut == len(whole) {
			want = 2
		}
		for range 2 { // later records can be read, too
			s := openService(t, Options{Path: path})
			if n := total(records(t, s)); n != want {
				t.Errorf("cut at %d of %d: %d records, want %d", cut, len(whole), n, want)
			}
			serveRow(s, row{op: "watchlist", body: fmt.Sprintf(`{"type":"tv","id":%d}`, want)}) // its line is shorter
			s.Close()
			want++
		}
	}
}
