package tracker

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/filmspool/filmspool/queue/viewing"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testKey = "sk_test_0123456789"

// rawServer is a TCP server that records complete requests and leaves the response to a
// script.
type rawServer struct {
	listener net.Listener
	script   func(n int, w net.Conn, r *http.Request) // n is the number of the request, from 1

	mu       sync.Mutex
	requests []*http.Request
	accepted int
	running  sync.WaitGroup
}

func newRawServer(t *testing.T, script func(n int, w net.Conn, r *http.Request)) *rawServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &rawServer{listener: l, script: script}
	s.running.Go(s.accept)
	t.Cleanup(func() {
		l.Close()
		s.running.Wait()
	})
	return s
}

func (s *rawServer) url() string { return "http://" + s.listener.Addr().String() + "/api/v1" }

func (s *rawServer) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.accepted++
		s.mu.Unlock()
		s.running.Go(func() { s.serve(c) })
	}
}

// serve reads requests until the connection ends.
func (s *rawServer) serve(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(c)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if _, err := io.ReadAll(r.Body); err != nil {
			return
		}
		s.mu.Lock()
		s.requests = append(s.requests, r)
		n := len(s.requests)
		s.mu.Unlock()
		s.script(n, c, r)
	}
}

func (s *rawServer) counts() (requests, connections int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests), s.accepted
}

// receivedRequests returns all complete requests.
func (s *rawServer) receivedRequests() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

const anyOK = `{"success":true,"id":"list_1"}` // a success object for every operation

func respond(w net.Conn, status, header, body string) {
	if header != "" {
		header += "\r\n"
	}
	io.WriteString(w, "HTTP/1.1 "+status+"\r\nContent-Type: application/json\r\n"+header+"Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body)
}

// reset closes a connection with a TCP reset.
func reset(w net.Conn) {
	w.(*net.TCPConn).SetLinger(0)
	w.Close()
}

func newTestClient(t *testing.T, o Options, dial dialer) *Client {
	t.Helper()
	if o.Key == "" {
		o.Key = testKey
	}
	o.Dial = dial
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// requests returns a request for each operation.
func requests() map[Operation]Request {
	return map[Operation]Request{
		History:   {Kind: viewing.KindViewing, Media: viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}, WatchedAt: at("2026-03-01T19:00:00Z")},
		Watchlist: {Kind: viewing.KindWatchlist, Media: viewing.Media{Type: viewing.TV, IDs: viewing.IDs{TMDB: 1396}}},
		Lists:     {Kind: viewing.KindList, NewList: &viewing.List{Name: "Noir"}},
	}
}

func TestSendMakesOnePOST(t *testing.T) {
	forbidden := newRawServer(t, func(_ int, w net.Conn, _ *http.Request) { respond(w, "200 OK", "", anyOK) })
	endings := map[string]struct {
		end  func(net.Conn)
		want Outcome
	}{
		"FIN": {func(w net.Conn) { w.Close() }, InDoubt},
		"RST": {reset, InDoubt},
		"302": {func(w net.Conn) { respond(w, "302 Found", "Location: "+forbidden.url()+"/history", "") }, Unproven},
		"303": {func(w net.Conn) { respond(w, "303 See Other", "Location: "+forbidden.url()+"/history", "") }, Unproven},
		"307": {func(w net.Conn) { respond(w, "307 Temporary Redirect", "Location: "+forbidden.url()+"/history", "") }, Unproven},
		"308": {func(w net.Conn) { respond(w, "308 Permanent Redirect", "Location: /api/v1/other", "") }, Unproven},
	}
	for name, ending := range endings {
		for op, r := range requests() {
			for label, reused := range map[string]bool{"fresh": false, "reused": true} {
				r.IdempotencyKey = "an-idempotency-key" // with this header, Go's transport would repeat a POST
				t.Run(strings.Join([]string{name, string(op), label}, "/"), func(t *testing.T) { checkOnePOST(t, r, reused, ending.end, ending.want) })
			}
		}
	}
	if n, c := forbidden.counts(); n != 0 || c != 0 {
		t.Errorf("the other host got %d requests on %d connections", n, c)
	}
}

// checkOnePOST sends one request to a server that ends it with an error, on a new connection or, after
// a successful request, on a reused one.
func checkOnePOST(t *testing.T, r Request, reused bool, end func(net.Conn), want Outcome) {
	before := 0
	if reused {
		before = 1
		if want == Unproven {
			want = Offline // the first response has proven the address
		}
	}
	s := newRawServer(t, func(n int, w net.Conn, _ *http.Request) {
		if n <= before {
			respond(w, "200 OK", "", anyOK)
			return
		}
		end(w)
	})
	c := newTestClient(t, Options{BaseURL: s.url()}, nil)
	for range before {
		if v := c.Send(context.Background(), r); v.Outcome != Delivered {
			t.Fatalf("first request: %+v", v)
		}
	}
	v := c.Send(context.Background(), r)
	if v.Outcome != want {
		t.Errorf("got %s, want %s: %s", v.Outcome, want, v.Problem)
	}
	n, connections := s.counts()
	if n != before+1 || connections != 1 {
		t.Errorf("%d POSTs on %d connections for %d calls of Send", n, connections, before+1)
	}
	for _, got := range s.receivedRequests() {
		checkRequest(t, got, r)
	}
}

func checkRequest(t *testing.T, got *http.Request, r Request) {
	t.Helper()
	want := map[string]string{"X-Api-Key": testKey, "Content-Type": "application/json", "Idempotency-Key": r.IdempotencyKey, "Authorization": "", "Accept-Encoding": ""}
	for name, value := range want {
		if got.Header.Get(name) != value {
			t.Errorf("%s is %q, want %q", name, got.Header.Get(name), value)
		}
	}
	if got.Method != "POST" || got.RequestURI != "/api/v1/"+string(r.operation()) || got.ContentLength != int64(len(encode(r))) || got.Proto != "HTTP/1.1" {
		t.Errorf("got %s %s %s of %d bytes", got.Method, got.RequestURI, got.Proto, got.ContentLength)
	}
}

func TestClientUsesHTTP1(t *testing.T) {
	var mu sync.Mutex
	var protos []string
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		protos = append(protos, r.Method+" "+r.Proto)
		mu.Unlock()
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, anyOK)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	c := trusting(newTestClient(t, Options{BaseURL: s.URL + "/api/v1"}, nil), s)
	for _, r := range requests() {
		if v := c.Send(context.Background(), r); v.Outcome != Delivered {
			t.Errorf("%s: %+v", r.Kind, v)
		}
	}
	if got := strings.Join(protos, ","); got != "POST HTTP/1.1,POST HTTP/1.1,POST HTTP/1.1" {
		t.Errorf("server saw %s", got)
	}
}

// trusting makes c trust the certificate of s.
func trusting(c *Client, s *httptest.Server) *Client {
	c.transport.TLSClientConfig.RootCAs = s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	return c
}

func TestOldTLSIsRefused(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the request arrived") }))
	s.TLS = &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
	s.Config.ErrorLog = discardLog()
	s.StartTLS()
	defer s.Close()
	c := trusting(newTestClient(t, Options{BaseURL: s.URL + "/api/v1"}, nil), s)
	if v := c.Send(context.Background(), requests()[History]); v.Outcome != Offline {
		t.Errorf("%+v", v)
	}
}
