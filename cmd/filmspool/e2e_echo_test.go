package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
)

// echoes returns answers of a service that contain the key.
func echoes() []func(w http.ResponseWriter, key string) {
	object := func(status int, code, message string) func(http.ResponseWriter, string) {
		return func(w http.ResponseWriter, key string) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			text, _ := json.Marshal(map[string]string{"error": strings.ReplaceAll(code, "KEY", key), "message": strings.ReplaceAll(message, "KEY", key)})
			w.Write(text)
		}
	}
	raw := func(text string) func(http.ResponseWriter, string) {
		return func(w http.ResponseWriter, key string) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			fmt.Fprint(conn, strings.ReplaceAll(text, "KEY", key))
			conn.Close()
		}
	}
	all := []func(http.ResponseWriter, string){
		object(422, "VALIDATION_ERROR", "with x-api-key: KEY this is refused"),
		object(400, "KEY", "KEY"),
		object(409, "CONFLICT_KEY", "Authorization: Bearer KEY"),
		object(500, "INTERNAL_ERROR", "cannot log in as KEY"),
		object(503, "UNAVAILABLE", "KEY must wait"),
		raw("HTTP/1.1 500 KEY is broken\r\nContent-Type: text/html\r\nContent-Length: 41\r\n\r\n<p>KEY</p><!-- and some more of this -->"),
		raw("KEY is no answer at all\r\n\r\n"),
		raw("HTTP/1.1 200 OK\r\nKEY\r\n\r\n"),
		raw("HTTP/1.1 KEY\r\n\r\n"),
		raw("HTTP/1.1 200 OK\r\nContent-Length: KEY\r\n\r\n{}"),
		raw("HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nRetry-After: KEY\r\nContent-Length: 2\r\n\r\n{}"),
		raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: KEY\r\n\r\n{}"),
		raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{\"error\":\"E\",\"message\":\"KEY"),
		raw("HTTP/1.1 422 X\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" +
			`{"error":"E","message":"\u0073k\u005fhouseholdsecret1"}`),
		raw("HTTP/1.1 422 X\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" +
			`{"success":false,"message":"KEY","data":{"id":"KEY"},"details":["KEY"]}`),
	}
	// Shortening the text before hiding the key would show half of it.
	for length := 240; length < 320; length += 6 {
		all = append(all, object(422, "VALIDATION_ERROR", strings.Repeat("x", length)+"KEY"))
	}
	return all
}

// pausing returns echoes that pause the account; each is followed by a login.
func pausing() []func(w http.ResponseWriter, key string) {
	return []func(http.ResponseWriter, string){
		func(w http.ResponseWriter, key string) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":"UNAUTHORIZED","message":"unknown key %s"}`, key)
		},
		func(w http.ResponseWriter, key string) {
			w.Header().Set("WWW-Authenticate", "Bearer realm="+key)
			http.Error(w, key+" is forbidden here", http.StatusForbidden)
		},
	}
}

// If the service returns the key in its answers, it must not appear in a log, an error, the
// database or an export.
func TestEchoedKeyIsHidden(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.env = []string{"FILMSPOOL_LOG_LEVEL=debug"}
	f := newFlaky(t, h.dir, false)
	all := append(echoes(), pausing()...)
	var requests, answered atomic.Int64
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("X-Api-Key")
		if r.Method == http.MethodPost && r.URL.Path == "/api/v1/history" && r.ContentLength > int64(len("{}")) {
			// Every second answer is good, so the daemon does not slow down.
			if n := requests.Add(1); n%2 == 0 && int(n/2) <= len(all) {
				all[n/2-1](w, key)
				answered.Store(n / 2)
				return
			}
		}
		f.server.Config.Handler.ServeHTTP(w, r)
	}))
	defer echo.Close()
	h.login(echo.URL + "/api/v1")
	daemon := h.start("run")
	for n := range 2 * len(all) { // a day apart: so many at once would be held
		must(t, h.film(int64(n+1), time.Date(2026, 1, 1+n, 20, 0, 0, 0, time.UTC)))
	}
	h.until("every echo", func(control.Status) bool {
		if int(answered.Load()) > len(echoes()) {
			h.login(echo.URL + "/api/v1") // resumes the paused account
		}
		return int(answered.Load()) >= len(all)
	})
	must(t, h.film(9999, time.Date(2026, 6, 1, 20, 0, 0, 0, time.UTC)))
	for _, args := range []string{"diary --json", "diary", "status", "status --json", "config show", "export", "show 2", "show 2 --json", "status --report"} {
		h.try(strings.Fields(args)...)
	}
	must(t, h.ask(func(ctl control.API) error {
		for n := range all {
			x, err := ctl.Explain(t.Context(), int64(n+1))
			if err != nil {
				return err
			}
			text, err := json.Marshal(x)
			if err != nil {
				return err
			}
			h.said.add(text)
		}
		return nil
	}))
	daemon.kill()
	daemon = h.start("run")
	h.try("status")
	daemon.end(os.Interrupt)
	// The fixture is searched at the end of the test; the key file contains the key.
	if kept, err := os.ReadFile(filepath.Join(h.dir, "state", "keys", "default.json")); err != nil || !strings.Contains(string(kept), secretKey) {
		t.Errorf("the key's own file: %q, %v", kept, err)
	}
	if said := h.said.String(); !strings.Contains(said, "[key]") {
		t.Error("nothing was taken out of any answer: this test proves too little")
	}
}
