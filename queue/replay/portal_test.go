package replay

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	v1 "github.com/filmspool/filmspool/queue/tracker/v1"
	"github.com/filmspool/filmspool/queue/viewing"
)

// These tests put something between the loop and the service that answers in
// its place, as the network of a hotel or an office does.

const page = `<!doctype html><title>Welcome</title><form action="/login"><input name=room></form>`

// portal answers every request in one way.
type portal struct {
	name   string
	status int
	header map[string]string
	body   string
	// doubt: from a proven address this answer leaves open whether the entry arrived.
	doubt bool
}

func portals() []portal {
	html := map[string]string{"Content-Type": "text/html"}
	return []portal{
		{name: "page", status: 200, header: html, body: page, doubt: true},
		{name: "page that says it is JSON", status: 200, header: map[string]string{"Content-Type": "application/json", "Set-Cookie": "seen=1"}, body: page, doubt: true},
		{name: "nothing", status: 200, doubt: true},
		{name: "no content", status: 204, doubt: true},
		{name: "found", status: 302, header: map[string]string{"Location": "/login"}},
		{name: "temporary redirect", status: 307, header: map[string]string{"Location": "/login"}},
		{name: "network login", status: 511, header: html, body: page},
		{name: "proxy login", status: 407, header: map[string]string{"Proxy-Authenticate": "Basic"}, body: page},
		{name: "login page", status: 401, header: map[string]string{"WWW-Authenticate": "Basic"}, body: page},
		{name: "forbidden page", status: 403, header: html, body: page},
		{name: "not found page", status: 404, header: html, body: page},
		{name: "blocked page", status: 451, header: html, body: page},
		{name: "gateway page", status: 502, header: html, body: page, doubt: true},
	}
}

func (p portal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	for name, value := range p.header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(p.status)
	_, _ = io.WriteString(w, p.body)
}

// hotel is a way to the sandbox that a portal may bar.
type hotel struct {
	box    *sandbox.Service
	server *httptest.Server
	barred atomic.Pointer[portal]
	asked  atomic.Int64 // requests that the portal answered
	strays atomic.Int64 // those that followed it elsewhere
}

func openHotel(t *testing.T) *hotel {
	t.Helper()
	box, err := sandbox.Open(t.Context(), sandbox.Options{Path: filepath.Join(t.TempDir(), "sandbox.db")})
	if err != nil {
		t.Fatal(err)
	}
	h := &hotel{box: box}
	h.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/login" {
			h.strays.Add(1)
		}
		if p := h.barred.Load(); p != nil {
			h.asked.Add(1)
			_, _ = io.Copy(io.Discard, r.Body) // who answers before that proves that nothing has left
			p.ServeHTTP(w, r)
			return
		}
		box.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(func() { h.server.Close(); box.Close() })
	return h
}

// recorded is how often each film is in the service's history.
func (h *hotel) recorded(t *testing.T) map[int64]int {
	t.Helper()
	records, err := h.box.Records(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	films := map[int64]int{}
	for _, r := range records.History {
		films[r.ID]++
	}
	return films
}

// letGo settles what is in doubt as a user does who has looked.
func letGo(t *testing.T, s *queue.Store) {
	t.Helper()
	doubts, err := s.Entries(t.Context(), entry.Filter{State: viewing.StateInDoubt})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range doubts {
		if err := s.Settle(t.Context(), queue.Settlement{Entry: e.ID, State: viewing.StatePending, NextAt: e.NextAt}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPortalIsNeverADelivery(t *testing.T) {
	for _, p := range portals() {
		for name, proven := range map[string]bool{"unproven": false, "proven": true} {
			t.Run(p.name+"/"+name, func(t *testing.T) { throughPortal(t, p, proven) })
		}
	}
}

// throughPortal has six films meet the portal, and then the service.
func throughPortal(t *testing.T, p portal, proven bool) {
	h := openHotel(t)
	client, err := v1.New(v1.Options{BaseURL: h.server.URL + "/api/v1", Key: h.box.SecretKey()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	s, _ := openStore(t, storePath(t))
	l := newLoop(t, s, client)
	l.jitter = func(time.Duration) time.Duration { return 20 * ms } // the portal is asked again and again
	start(t, l)
	before := int64(0)
	if proven {
		before = 1
		watch(t, s, "before", 100)
		until(t, s, "the first delivery", func(c entry.Counts) bool { return c.Delivered == 1 })
	}
	h.barred.Store(&p)
	watch(t, s, "behind", 1, 2, 3, 4, 5, 6)
	stopped(t, l)
	until(t, s, "rest", func(c entry.Counts) bool { return c.Sending == 0 })
	barred, err := s.Counts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if barred.Delivered != before || barred.Rejected != 0 || barred.Pending+barred.Sending+barred.InDoubt != 6 {
		t.Errorf("behind the portal: %+v", barred)
	}
	if doubts := proven && p.doubt || p.status == 502; barred.InDoubt > 4 || barred.InDoubt > 0 != doubts {
		t.Errorf("%d in doubt, want some: %v", barred.InDoubt, doubts)
	}
	if a, err := s.Account(t.Context(), "default"); err != nil || a.Proven != proven {
		t.Errorf("account is %+v, %v", a, err)
	}
	if h.asked.Load() == 0 || h.strays.Load() != 0 {
		t.Errorf("the portal was asked %d times, and followed %d times", h.asked.Load(), h.strays.Load())
	}
	h.barred.Store(nil)
	letGo(t, s)
	l.Wake()
	until(t, s, "all deliveries", func(c entry.Counts) bool {
		if c.InDoubt > 0 { // what was on its way to the portal when it opened
			letGo(t, s)
		}
		return c.Delivered == before+6
	})
	for film, times := range h.recorded(t) {
		if times != 1 {
			t.Errorf("film %d was recorded %d times", film, times)
		}
	}
	if n := len(h.recorded(t)); int64(n) != before+6 {
		t.Errorf("%d films recorded, want %d", n, before+6)
	}
}

// stopped waits until the loop has given up for now, with nothing under way.
func stopped(t *testing.T, l *Loop) {
	t.Helper()
	changed, stop := l.Subscribe()
	defer stop()
	deadline := time.After(20 * time.Second)
	for h := l.Health(); h.State == account.OK || h.NextTry.IsZero(); h = l.Health() {
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("health is %+v", h)
		}
	}
}
