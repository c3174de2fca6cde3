package tracker

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// reply is one response of a scripted service.
type reply struct {
	status int
	body   string
}

// scripted is a service with GET /me and POST /history. empty is the response to {} with the
// right key, other with another key. Any other request fails the test.
type scripted struct {
	t            *testing.T
	me           reply
	empty, other reply

	mu       sync.Mutex
	requests []string
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	right := r.Header.Get("X-Api-Key") == testKey
	name, answer := r.Method+" "+r.URL.Path+" "+string(body), s.other
	switch {
	case name == "GET /api/v1/me ":
		answer = s.me
	case name != "POST /api/v1/history {}":
		s.t.Errorf("unexpected request %s", name)
	case right:
		answer = s.empty
	}
	if !right {
		name += " made up"
		if !strings.HasPrefix(r.Header.Get("X-Api-Key"), "sk_") {
			s.t.Errorf("made-up key %q", r.Header.Get("X-Api-Key"))
		}
	}
	s.mu.Lock()
	s.requests = append(s.requests, name)
	s.mu.Unlock()
	w.WriteHeader(answer.status)
	io.WriteString(w, answer.body)
}

func (s *scripted) client(proven bool) *Client {
	h := httptest.NewServer(s)
	s.t.Cleanup(h.Close)
	return newTestClient(s.t, Options{BaseURL: h.URL + "/api/v1", Proven: proven}, nil)
}

var missingEndpoint = []reply{ // possible responses without the optional endpoint
	{404, ""},
	{405, ""},
	{501, html},
	{404, otherError},
	{403, forbidden},
	{401, html},
	{403, ""},
	{200, html},
	{200, ""},
	{200, `[]`},
	{500, ""},
	{400, invalid},
	{302, ""},
	{200, `{"hello":"world"}`},
	{401, `{"error":"SESSION_NEEDED","message":"?"}`},
}

func TestProbe(t *testing.T) {
	tests := map[string]struct {
		me, empty reply
		proven    bool
		want      Outcome
		posts     int
	}{
		"a user":                    {me: reply{200, `{"user":{"id":7,"name":"Ada"}}`}, want: Delivered},
		"wrapped":                   {me: reply{200, `{"success":true,"data":{"username":"ada"}}`}, want: Delivered},
		"key refuted":               {me: reply{401, noAuth}, want: Refused},
		"wait":                      {me: reply{429, ""}, want: Later},
		"none: refused as invalid":  {me: reply{404, ""}, empty: reply{400, invalid}, want: Delivered, posts: 1},
		"none: key refuted":         {me: reply{404, ""}, empty: reply{401, noAuth}, want: Refused, posts: 1},
		"none: may not write":       {me: reply{404, ""}, empty: reply{403, forbidden}, want: Refused, posts: 1},
		"none: no such path":        {me: reply{404, otherError}, empty: reply{404, otherError}, want: Unproven, posts: 1},
		"none: page":                {me: reply{200, html}, empty: reply{200, html}, want: Unproven, posts: 1},
		"none: takes an empty body": {me: reply{404, ""}, empty: reply{200, okBody}, want: Unproven, posts: 1},
		"trouble":                   {me: reply{500, ""}, empty: reply{500, ""}, want: Offline, posts: 1},
		"trouble with /me only":     {me: reply{500, ""}, empty: reply{400, invalid}, want: Delivered, posts: 1},
		"cut":                       {me: reply{200, `{"us`}, empty: reply{200, `{"succ`}, want: Offline, posts: 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := &scripted{t: t, me: tt.me, empty: tt.empty}
			v := s.client(tt.proven).Probe(context.Background())
			if v.Outcome != tt.want || (v.Problem.Code == "") != (v.Outcome == Delivered) {
				t.Errorf("%+v, want %s", v, tt.want)
			}
			if len(s.requests) != 1+tt.posts {
				t.Errorf("requests: %q", s.requests)
			}
		})
	}
	for _, none := range missingEndpoint {
		s := &scripted{t: t, me: none, empty: reply{400, invalid}}
		if v := s.client(false).Probe(context.Background()); v.Outcome != Delivered {
			t.Errorf("/me says %d %s: %+v", none.status, none.body, v)
		}
	}
}

func TestCheckKey(t *testing.T) {
	good, bad := reply{400, invalid}, reply{401, noAuth}
	tests := map[string]struct {
		me, empty, other reply
		proven           bool
		outcome          Outcome
		note             bool
		name, id         string
		requests         int
	}{
		"a user":                   {me: reply{200, `{"user":{"id":"u7","name":"Ada","username":"ada"}}`}, proven: true, outcome: Delivered, name: "Ada", id: "u7", requests: 1},
		"a user, flat":             {me: reply{200, `{"id":7,"username":"ada"}`}, proven: true, outcome: Delivered, name: "ada", id: "7", requests: 1},
		"refused by /me":           {me: bad, outcome: Refused, requests: 1},
		"none: proven":             {me: reply{404, ""}, other: bad, empty: good, proven: true, outcome: Delivered, requests: 3},
		"none: body checked first": {me: reply{404, ""}, other: good, empty: good, outcome: Delivered, note: true, requests: 3},
		"none: 401 to a body":      {me: reply{404, ""}, other: reply{401, invalid}, empty: good, outcome: Delivered, note: true, requests: 3},
		"none: refused":            {me: reply{404, ""}, other: bad, empty: bad, outcome: Refused, requests: 3},
		"none: may not write":      {me: reply{403, forbidden}, other: bad, empty: reply{403, forbidden}, outcome: Refused, requests: 3},
		"none: wrong address":      {me: reply{404, html}, other: reply{404, html}, empty: reply{404, html}, outcome: Unproven, requests: 3},
		"none: accepts all":        {me: reply{404, ""}, other: bad, empty: reply{200, okBody}, outcome: Unproven, requests: 3},
		"none: wait":               {me: reply{404, ""}, other: reply{429, ""}, outcome: Later, requests: 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := &scripted{t: t, me: tt.me, empty: tt.empty, other: tt.other}
			k := s.client(false).CheckKey(context.Background())
			if k.Proven != tt.proven || k.Verdict.Outcome != tt.outcome || (k.Note.Code != "") != tt.note || k.UserName != tt.name || k.UserID != tt.id {
				t.Errorf("%+v", k)
			}
			if len(s.requests) != tt.requests {
				t.Errorf("requests: %q", s.requests)
			}
		})
	}
}
