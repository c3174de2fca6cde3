package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/gorilla/websocket"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
)

// mendedEntries are about entries that wait for a person.
func mendedEntries() []mended {
	return []mended{
		{code: "entries-wave", show: func(s *sick) {
			s.well()
			for n := range 6 {
				s.do("", "add", "movie", fmt.Sprint(611+n), "--watched-at", fmt.Sprintf("2026-03-02T20:00:%02dZ", 5*n))
			}
		}, mend: func(s *sick, p control.Problem) { s.obeys(p); s.delivered(6) }},
		{code: "entries-in-doubt", show: func(s *sick) {
			s.box = s.service(true)
			s.works()
			s.well()
			s.fails("drop-after")
			s.film()
		}, mend: func(s *sick, p control.Problem) {
			s.obeys(p)
			s.do("", "queue", "settle", "1", "--as", "delivered")
		}},
		{code: "entries-rejected", show: refused("status:422"), mend: func(s *sick, p control.Problem) {
			s.obeys(p)
			s.do("", "queue", "retry", "1")
			s.delivered(1)
		}},
		{code: "entries-held", show: func(s *sick) {
			s.config("hold = \"all\"\n")
			s.well()
			s.program(`{"type":"viewing","id":"5f0c6b1e-7d0a-4a57-9a64-0c0f5b3f9d11","media":{"type":"movie","ids":{"tmdb":603}},"watchedAt":"2026-03-01T20:15:00+01:00"}`)
		}, mend: func(s *sick, p control.Problem) {
			s.obeys(p)
			s.do("", "queue", "release", "1")
			s.delivered(1)
		}},
		{code: "entries-unresolved", show: func(s *sick) {
			s.well()
			s.program(`{"type":"viewing","id":"5f0c6b1e-7d0a-4a57-9a64-0c0f5b3f9d12","media":{"type":"movie","title":"Nobody Knows It","year":1950},"watchedAt":"2026-03-01T20:15:00+01:00"}`)
		}, mend: func(s *sick, p control.Problem) {
			s.obeys(p)
			s.do("", "fix", "1", "603", "--yes")
			s.delivered(1)
		}},
	}
}

// program posts a viewing as another program does.
func (s *sick) program(body string) {
	s.t.Helper()
	var added struct{ Token, URL string }
	if err := json.Unmarshal([]byte(s.do("", "clients", "add", "Player", "--json")), &added); err != nil {
		s.t.Fatal(err)
	}
	if status, said := s.postViewing(added.URL, added.Token, body); status != 200 {
		s.t.Fatalf("%d %s", status, said)
	}
}

// socket is a browser that has paired.
func (s *sick) socket() (browser *websocket.Conn, id string) {
	s.t.Helper()
	before := s.browsers()
	browser = s.bare(s.daemon)
	for id := range s.browsers() {
		if !before[id] {
			return browser, id
		}
	}
	s.t.Fatal("the browser is not paired")
	return nil, ""
}

// browsers are the ids of all that have paired.
func (s *sick) browsers() map[string]bool {
	s.t.Helper()
	var clients []struct{ ID string }
	if err := json.Unmarshal([]byte(s.do("", "clients", "list", "--json")), &clients); err != nil {
		s.t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, c := range clients {
		ids[c.ID] = true
	}
	return ids
}

// says has a browser say something, and waits until the daemon has read it.
func (s *sick) says(browser *websocket.Conn, frame string) {
	s.t.Helper()
	if err := browser.WriteMessage(websocket.TextMessage, []byte(frame)); err != nil {
		s.t.Fatal(err)
	}
	if err := exchange(browser, []byte(`{"type":"ping"}`), `{"type":"pong"`); err != nil {
		s.t.Fatal(err)
	}
}

// mendedBrowsers are about browsers, and about who tells of viewings at all.
func mendedBrowsers() []mended {
	asks := func(n int) func(*sick) {
		return func(s *sick) {
			s.well()
			for range n {
				browser, _ := s.socket()
				s.says(browser, `{"type":"waiting","viewings":2}`)
				s.tabs = append(s.tabs, browser)
			}
		}
	}
	answered := func(s *sick, _ control.Problem) {
		for _, browser := range s.tabs {
			s.says(browser, `{"type":"waiting","viewings":0}`)
		}
	}
	return []mended{
		{code: health.BrowserAsks, show: asks(1), mend: answered},
		{code: health.BrowsersAsk, show: asks(2), mend: answered},
		{code: "site-unread", show: func(s *sick) {
			s.well()
			browser, _ := s.socket()
			s.says(browser, `{"type":"waiting","viewings":0,"unread":["Nordlicht"]}`)
			s.tabs = append(s.tabs, browser)
		}, mend: answered},
		{code: "browser-silent", show: func(s *sick) {
			s.well()
			s.socket()
			s.stops()
			s.ages(0, fmt.Sprintf(`UPDATE source_state SET value = CAST(json_set(CAST(value AS TEXT), '$.lastSeen', '%s') AS BLOB)
				WHERE source = 'clients' AND ? = 0`, time.Now().AddDate(0, 0, -31).UTC().Format(time.RFC3339)))
			s.runs()
		}, mend: func(s *sick, p control.Problem) {
			s.obeys(p)
			for id := range s.browsers() {
				s.do("", "clients", "revoke", id)
			}
		}},
		{code: "nothing-connected", show: func(s *sick) { s.well() }, mend: func(s *sick, _ control.Problem) { s.socket() }},
	}
}
