package sandbox

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net"
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
)

// probe is a service behind a real server, and the client that asks it.
type probe struct {
	*Service
	server *httptest.Server
	client *http.Client
}

func options(t *testing.T) Options {
	return Options{Path: filepath.Join(t.TempDir(), "sandbox.db"), SecretKey: testSecret, PublicKey: testPublic}
}

func newProbe(t *testing.T, o Options) *probe {
	t.Helper()
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	p := &probe{Service: s, server: httptest.NewServer(s.Handler())}
	// One connection for each request: Go's transport would repeat a POST by
	// itself on a reused one.
	p.client = &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		Timeout:       20 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t.Cleanup(p.shut)
	return p
}

func (p *probe) shut() {
	p.Close() // first, so that delayed requests end
	p.server.Close()
}

// sent is a request; it begins as a right one.
type sent struct {
	method, path string
	header       http.Header
	body         string
	chunked      bool
}

// to is a right request to a write, with this body.
func to(operation, body string) *sent {
	return &sent{
		method: http.MethodPost, path: apiPrefix + "/" + operation, body: body,
		header: http.Header{"Content-Type": {"application/json"}, "X-Api-Key": {testSecret}},
	}
}

// valid is a body that the write takes.
func valid(operation string) string {
	switch operation {
	case "watchlist":
		return `{"type":"movie","id":603,"priority":2}`
	case "lists":
		return `{"name":"Noir","description":"d","visibility":"PRIVATE"}`
	}
	return `{"type":"movie","id":603,"watchedAt":"2026-03-01T19:00:00Z"}`
}

func history(body string) *sent { return to("history", body) }

// get is a read with the public key.
func get(path string) *sent {
	return &sent{method: http.MethodGet, path: path, header: http.Header{"X-Api-Key": {testPublic}}}
}

// with replaces a header, or removes it when no value is given.
func (s *sent) with(name string, values ...string) *sent {
	s.header = maps.Clone(s.header)
	s.header[http.CanonicalHeaderKey(name)] = values
	return s
}

func (s *sent) as(method, path string) *sent {
	s.method, s.path = method, path
	return s
}

// reply is an answer that was read whole.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// try sends and gives the error of a connection that broke.
func (p *probe) try(t *testing.T, s *sent) (reply, error) {
	t.Helper()
	var body io.Reader = strings.NewReader(s.body)
	if s.chunked {
		body = io.MultiReader(body) // hides the length
	}
	req, err := http.NewRequestWithContext(t.Context(), s.method, p.server.URL+s.path, body)
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range s.header {
		if len(values) > 0 {
			req.Header[name] = values
		}
	}
	res, err := p.client.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return reply{res.StatusCode, res.Header, text}, err
}

func (p *probe) send(t *testing.T, s *sent) reply {
	t.Helper()
	r, err := p.try(t, s)
	if err != nil {
		t.Fatalf("%s %s: %v", s.method, s.path, err)
	}
	return r
}

// broken sends and expects the connection to break.
func (p *probe) broken(t *testing.T, s *sent) error {
	t.Helper()
	r, err := p.try(t, s)
	if err == nil {
		t.Fatalf("%s %s: answered %d %s, want a broken connection", s.method, s.path, r.status, r.body)
	}
	return err
}

func (p *probe) arm(t *testing.T, match, fault string, times int) {
	t.Helper()
	if err := p.Arm(Fault{Match: match, Fault: fault, Times: times}); err != nil {
		t.Fatal(err)
	}
}

func (p *probe) records(t *testing.T) Records {
	t.Helper()
	r, err := p.Records(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (p *probe) total(t *testing.T) int {
	t.Helper()
	r := p.records(t)
	return len(r.History) + len(r.Watchlist) + len(r.Lists)
}

// raw writes text on a socket and reads the first answer, 100 Continue included.
func (p *probe) raw(t *testing.T, text string) (*http.Response, net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", p.server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(conn)
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatalf("read answer to %.60q: %v", text, err)
	}
	return res, conn, r
}

// checkError fails unless the reply is a whole error object with this code,
// whose message begins with the field when one is given.
func checkError(t *testing.T, r reply, code, field string) {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal(r.body, &all); err != nil {
		t.Fatalf("error object: %v in %q", err, r.body)
	}
	message, _ := all["message"].(string)
	if len(all) != 2 || all["error"] != code || message == "" {
		t.Errorf("error object is %s, want the code %s and a message", r.body, code)
	}
	if field != "" && !strings.HasPrefix(message, field+": ") {
		t.Errorf("message is %q, want it to begin with the field %s", message, field)
	}
	if got := r.header.Get("WWW-Authenticate"); (r.status == http.StatusUnauthorized) != (got == "Bearer") {
		t.Errorf("WWW-Authenticate is %q at status %d", got, r.status)
	}
}

// checkEnvelope fails unless the reply has the headers of every answer, and
// gives nothing away.
func checkEnvelope(t *testing.T, r reply) {
	t.Helper()
	if got := r.header.Get("Content-Type"); got != contentType {
		t.Errorf("Content-Type is %q", got)
	}
	if got := r.header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control is %q", got)
	}
	for name := range r.header {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("a CORS header: %s", name)
		}
	}
	if bytes.Contains(r.body, []byte(testSecret)) || bytes.Contains(r.body, []byte(testPublic)) {
		t.Errorf("a key in the answer: %s", r.body)
	}
}
