package connector_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"github.com/filmspool/filmspool/connector"
	"github.com/filmspool/filmspool/connector/connectortest"
	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/queue/tracker/sandbox/pipetest"
	"github.com/filmspool/filmspool/queue/viewing"
)

const (
	chromium = "chrome-extension://emdhmgjgiheohhdbjhklpnhngnafihdg"
	firefox  = "moz-extension://11111111-2222-4333-8444-555555555555"
	hello    = `{"type":"hello","v":1,"client":{"name":"test","version":"1","browser":"chromium"}}`
	patience = 20 * time.Second // for what must happen; nothing waits for it to pass
)

// TestMain looks for goroutines left behind. After an answer before the end of
// a body net/http itself lingers for half a second.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

// sink is a Sink in memory. Like the queue, it stores an event id once.
type sink struct {
	mu      sync.Mutex
	batches []viewing.Batch
	ids     map[string]bool                                // of the events that are kept
	answer  func(viewing.Batch) ([]viewing.Outcome, error) // nil queues everything

	entered chan struct{} // gets one for each Commit that begins, if not nil
	gate    chan struct{} // a Commit waits until it is closed, if not nil
}

func (s *sink) Commit(ctx context.Context, batch viewing.Batch) ([]viewing.Outcome, error) {
	if s.entered != nil {
		s.entered <- struct{}{}
	}
	if s.gate != nil {
		select {
		case <-s.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answer != nil {
		if outcomes, err := s.answer(batch); outcomes != nil || err != nil {
			return outcomes, err
		}
	}
	list := outcomes(batch, viewing.StatusQueued)
	var fresh []viewing.Event
	for i, v := range batch.Events {
		if s.ids[v.EventID] {
			list[i].Status = viewing.StatusDuplicate
			continue
		}
		if s.ids == nil {
			s.ids = map[string]bool{}
		}
		s.ids[v.EventID] = true
		fresh = append(fresh, v)
	}
	s.batches = append(s.batches, viewing.Batch{Source: batch.Source, Events: fresh})
	return list, nil
}

func outcomes(batch viewing.Batch, status viewing.Status) []viewing.Outcome {
	var list []viewing.Outcome
	for _, v := range batch.Events {
		list = append(list, viewing.Outcome{EventID: v.EventID, Status: status})
	}
	return list
}

// kept returns the committed events, in order.
func (s *sink) kept() []viewing.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []viewing.Event
	for _, batch := range s.batches {
		all = append(all, batch.Events...)
	}
	return all
}

// store is a pairing.Store in memory.
type store struct {
	mu      sync.Mutex
	records map[string][]byte
	fail    error
}

func (s *store) Load(context.Context) (map[string][]byte, error) { return maps.Clone(s.records), nil }

func (s *store) Save(_ context.Context, id string, record []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return s.fail
	}
	if s.records == nil {
		s.records = map[string][]byte{}
	}
	s.records[id] = bytes.Clone(record)
	if record == nil {
		delete(s.records, id)
	}
	return nil
}

// allow is a strict rule like the daemon's: one of two Origins, and a Host
// that is an address.
func allow(r *http.Request) bool {
	origin := r.Header.Values("Origin")
	return len(origin) == 1 && (strings.HasPrefix(origin[0], "chrome-extension://") || origin[0] == firefox) &&
		strings.HasPrefix(r.Host, "127.0.0.1:")
}

// program is the daemon's rule for programs: nothing that a browser adds.
func program(r *http.Request) bool {
	for name := range r.Header {
		if name == "Origin" || name == "Referer" || strings.HasPrefix(name, "Sec-Fetch-") {
			return false
		}
	}
	return true
}

// rig is a server on a listener, with its dependencies.
type rig struct {
	t        testing.TB
	server   *connector.Server
	registry *pairing.Registry
	sink     *sink
	store    *store
	address  string
	dialer   func(ctx context.Context, network, address string) (net.Conn, error)
	stop     func() // ends Run and waits for it
}

// start serves on a free port of 127.0.0.1. change may set options.
func start(t testing.TB, change func(*connector.Options)) *rig {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, listener, change)
}

func serve(t testing.TB, listener net.Listener, change func(*connector.Options)) *rig {
	t.Helper()
	r := &rig{t: t, sink: &sink{}, store: &store{}, address: listener.Addr().String()}
	var err error
	if r.registry, err = pairing.New(t.Context(), r.store); err != nil {
		t.Fatal(err)
	}
	options := connector.Options{
		Calls: new(sync.Map),
		Allow: allow, Program: program, Sink: r.sink, Pairing: r.registry, Version: "1.2.3",
		Playing: func(string, protocol.Playing) {},
		Status: func(context.Context, string) protocol.Status {
			return protocol.Status{Online: true, Pending: 7, Attention: 2}
		},
		Logger: slog.New(slog.DiscardHandler),
	}
	if change != nil {
		change(&options)
	}
	if own, ok := options.Sink.(*sink); ok {
		r.sink = own
	}
	r.server = connector.New(options)
	web := &http.Server{Handler: r.server.Handler(), ReadHeaderTimeout: patience}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { _ = web.Serve(listener) })
	ended := make(chan struct{})
	all.Go(func() {
		defer close(ended)
		if err := r.server.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	r.stop = sync.OnceFunc(func() { cancel(); <-ended })
	t.Cleanup(func() {
		r.stop()
		_ = web.Close()
		all.Wait()
	})
	return r
}

// pair pairs a client of origin.
func (r *rig) pair(origin string) (id, token string) {
	r.t.Helper()
	id, token, err := r.registry.Pair(context.Background(), r.registry.NewCode().Text, "test", origin, "")
	if err != nil {
		r.t.Fatal(err)
	}
	return id, token
}

// client returns a Go client that is paired.
func (r *rig) client(origin string) *connectortest.Client {
	r.t.Helper()
	id, token := r.pair(origin)
	c, err := r.dialAs(origin, id, token)
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

func (r *rig) dialAs(origin, id, token string) (*connectortest.Client, error) {
	c, err := connectortest.Dial(context.Background(), connectortest.Options{
		URL: "ws://" + r.address + "/v1/connector", Origin: origin, ClientID: id, Token: token, Dial: r.dialer,
		Info: protocol.ClientInfo{Name: "test", Version: "1"},
	})
	if err == nil {
		r.t.Cleanup(func() { _ = c.Close() })
	}
	return c, err
}

// socket is a websocket on which tests send and receive frames.
type socket struct {
	t testing.TB
	*websocket.Conn
}

// open opens a socket with the subprotocol.
func (r *rig) open(origin string) *socket {
	r.t.Helper()
	s, answer, err := r.try(origin, "", []string{protocol.Subprotocol})
	if err != nil {
		r.t.Fatalf("open: %v (%v)", err, answer)
	}
	return s
}

func (r *rig) try(origin, host string, subprotocols []string) (*socket, *http.Response, error) {
	dialer := websocket.Dialer{Subprotocols: subprotocols, EnableCompression: true, NetDialContext: r.dialer}
	header := http.Header{}
	if origin != "" {
		header.Set("Origin", origin)
	}
	if host != "" {
		header.Set("Host", host)
	}
	conn, answer, err := dialer.Dial("ws://"+r.address+"/v1/connector", header)
	if err != nil {
		return nil, answer, err
	}
	r.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	return &socket{r.t, conn}, answer, nil
}

// connect opens a socket and sends a hello, with the token if it is not "".
func (r *rig) connect(origin, token string) *socket {
	r.t.Helper()
	s := r.open(origin)
	s.send(strings.TrimSuffix(hello, "}") + `,"token":"` + token + `"}`)
	if got := s.receive(); got["type"] != "welcome" || got["paired"] != (token != "") {
		r.t.Fatalf("welcome: %v", got)
	}
	return s
}

func (s *socket) send(frame string) {
	s.t.Helper()
	if err := s.WriteMessage(websocket.TextMessage, []byte(frame)); err != nil {
		s.t.Fatalf("send %.80s: %v", frame, err)
	}
}

// receive returns the next message.
func (s *socket) receive() map[string]any {
	s.t.Helper()
	kind, frame, err := s.ReadMessage()
	if err != nil {
		s.t.Fatalf("receive: %v", err)
	}
	var m map[string]any
	if err := json.Unmarshal(frame, &m); err != nil || kind != websocket.TextMessage {
		s.t.Fatalf("received %q of kind %d: %v", frame, kind, err)
	}
	return m
}

// wantError receives an error with a code and returns it.
func (s *socket) wantError(code protocol.Code) map[string]any {
	s.t.Helper()
	got := s.receive()
	if got["type"] != "error" || got["code"] != string(code) {
		s.t.Fatalf("received %v, want error %s", got, code)
	}
	return got
}

// wantClose reads the close frame; no message may come before it.
func (s *socket) wantClose(code int) {
	s.t.Helper()
	_, frame, err := s.ReadMessage()
	var end *websocket.CloseError
	if !errors.As(err, &end) || end.Code != code {
		s.t.Fatalf("received %q, %v; want close %d", frame, err, code)
	}
}

// ping checks that the socket still answers.
func (s *socket) ping() {
	s.t.Helper()
	s.send(`{"type":"ping"}`)
	if got := s.receive(); got["type"] != "pong" {
		s.t.Fatalf("received %v, want pong", got)
	}
}

// uuid returns the nth event id.
func uuid(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012x", n) }

// film returns the nth viewing.
func film(n int) protocol.Viewing {
	return protocol.Viewing{
		ID: uuid(n), WatchedAt: "2026-03-01T20:15:00Z",
		Media: viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: int64(n + 1)}},
	}
}

func frameOf(t testing.TB, m protocol.Message) string {
	t.Helper()
	frame, err := protocol.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(frame)
}

// startInBubble serves on pipes, for use inside synctest.Test.
func startInBubble(t testing.TB, change func(*connector.Options)) *rig {
	t.Helper()
	p := pipetest.Listen()
	r := serve(t, p, change)
	r.dialer = p.Dial
	return r
}

func bodyOf(t testing.TB, answer *http.Response) string {
	t.Helper()
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
