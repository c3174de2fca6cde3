package connector

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/time/rate"

	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Limits on clients.
const (
	maxSockets       = 256       // open at once, those included that are being closed
	maxOfOne         = 16        // of one client
	maxUnpaired      = 32        // of clients that have not said who they are; the oldest makes room for the next
	maxPosts         = 4         // of one program at once
	maxBody          = 256 << 10 // bytes of a post
	maxHook          = 10 << 20  // bytes of a hook's call, which may hold a picture
	maxPosted        = 100       // messages of a post
	messagesPerBurst = 1000      // of one client, or one unpaired socket
	messagesPerSec   = 500
)

// Timeouts of clients.
const (
	helloTime   = 5 * time.Second        // from the upgrade to a complete hello
	messageTime = 10 * time.Second       // from a message's first frame to its last byte
	bodyTime    = 10 * time.Second       // from the header to the end of a post
	writeTime   = 10 * time.Second       // for one write to a client
	idleTime    = 90 * time.Second       // of silence, pongs included
	pingTime    = 30 * time.Second       // between pings
	pushTime    = 500 * time.Millisecond // between two pushes of the status
	drainTime   = 5 * time.Second        // for commits in progress when the daemon stops
	lingerTime  = time.Second            // for a client to hang up after our close frame
)

// Sink stores events.
type Sink interface {
	// Commit stores the whole batch or nothing, and returns when it is durable, with one
	// outcome for each event in the batch's order. It gives up when ctx ends.
	Commit(ctx context.Context, batch viewing.Batch) ([]viewing.Outcome, error)
}

// Options are what a [Server] is built from. All are required.
type Options struct {
	// Allow reports whether a request may open a socket, and read the health answer from a
	// browser. It must refuse every Origin but an extension's.
	Allow func(*http.Request) bool
	// Program reports whether a request may post. It must refuse whatever a browser sends.
	Program func(*http.Request) bool
	Sink    Sink
	Pairing *pairing.Registry
	// Calls keeps the last call of each client's hook, also for the server after this one.
	Calls *sync.Map
	// Playing is called with what a client plays. When a socket breaks, a message follows
	// without a session, in the state "ended". An idle client closes its socket with 1000:
	// that ends nothing.
	Playing func(source string, m protocol.Playing)
	// Status returns the daemon's status in the language of the client.
	Status  func(ctx context.Context, language string) protocol.Status
	Version string // of the program
	Logger  *slog.Logger
}

// Server serves the connector's routes. Sockets are served from the
// moment the handler is; [Server.Run] pushes the status and ends them.
type Server struct {
	options  Options
	log      *slog.Logger
	upgrader websocket.Upgrader
	refusing rate.Sometimes // bounds the log lines about refused clients
	failing  rate.Sometimes // bounds the log lines about failed writes

	statusChanged chan struct{} // holds one signal

	// running is canceled when the server stops, commits drainTime later, so that what was
	// read can still be committed and answered.
	running context.Context
	stop    context.CancelCauseFunc
	commits context.Context
	giveUp  context.CancelFunc

	handlers sync.WaitGroup // requests between begin and end

	mu       sync.Mutex
	sockets  int              // open, including those being upgraded or closed
	sessions []*session       // the oldest first
	loads    map[string]*load // by client id
	refused  map[string]int64 // by code
}

// load is the current load of one client.
type load struct {
	rate  *rate.Limiter // of messages, on all its sockets and posts
	posts int           // in progress; guarded by the server's mu
}

// New builds a server.
func New(o Options) *Server {
	s := &Server{
		options: o, log: o.Logger, statusChanged: make(chan struct{}, 1),
		refusing: rate.Sometimes{First: 10, Interval: time.Minute},
		failing:  rate.Sometimes{Interval: time.Minute},
		loads:    map[string]*load{}, refused: map[string]int64{},
	}
	s.running, s.stop = context.WithCancelCause(context.Background())
	s.commits, s.giveUp = context.WithCancel(context.Background())
	s.upgrader = websocket.Upgrader{
		HandshakeTimeout: writeTime,
		Subprotocols:     []string{protocol.Subprotocol},
		CheckOrigin:      o.Allow, // the library's own check lets rebound names in and extensions not
	}
	return s
}

// Handler serves GET /v1/health, /v1/connector, and POST /v1/viewings and /v1/hook.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/health", s.health)
	mux.HandleFunc("GET /v1/connector", s.connect)
	mux.HandleFunc("POST /v1/viewings", s.post)
	mux.HandleFunc("POST /v1/hook/{sender}", s.hook)
	mux.HandleFunc("POST /v1/hook/{sender}/{token}", s.hook)
	return mux
}

// Nudge says that the status may have changed. It never blocks; calls in quick succession
// cause one push.
func (s *Server) Nudge() { signal(s.statusChanged) }

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // one is pending already
	}
}

// Run pushes the status to paired clients after a [Server.Nudge], at most every pushTime, until
// ctx ends. Then it closes all sockets with 1001, gives commits in progress five seconds, and
// returns nil when every goroutine of this server is done.
func (s *Server) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-s.statusChanged:
			s.push()
			select {
			case <-ctx.Done():
			case <-time.After(pushTime):
			}
		}
	}
	s.mu.Lock()
	s.stop(closing{code: protocol.CloseGoingAway, reason: "the daemon stops"})
	s.mu.Unlock()
	drained := time.AfterFunc(drainTime, s.giveUp)
	defer drained.Stop()
	s.handlers.Wait()
	s.giveUp()
	return nil
}

func (s *Server) push() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, session := range s.sessions {
		if session.paired {
			signal(session.statusChanged)
		}
	}
}

// health answers with the program and its versions. An extension without permission
// for this address may read it only with the CORS header; a page may not.
func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Add("Vary", "Origin")
	if s.options.Allow(r) {
		header.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	}
	answer(w, http.StatusOK, map[string]any{"service": "filmspool", "version": s.options.Version, "protocol": []int{protocol.Version}})
}

// connect upgrades a request to a session and serves it to its end. Scripts cannot see why an
// upgrade was refused, so other errors are sent on the open socket.
func (s *Server) connect(w http.ResponseWriter, r *http.Request) {
	if !s.options.Allow(r) {
		s.log.Debug("socket refused", "reason", "origin")
		s.refuse(w, http.StatusForbidden, "ORIGIN_NOT_ALLOWED")
		return
	}
	if !s.begin() {
		s.refuse(w, http.StatusServiceUnavailable, "GOING_AWAY")
		return
	}
	var one *session
	defer func() { s.leave(one) }()
	conn, err := s.upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the client has been answered
	}
	one = newSession(s, conn, r.Header.Get("Origin"))
	s.join(one)
	one.run()
}

// begin counts a new socket. It returns false if the server stops or too many are open.
func (s *Server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running.Err() != nil || s.sockets >= maxSockets {
		return false
	}
	s.sockets++
	s.handlers.Add(1)
	return true
}

// join adds a session. If there are too many unpaired ones, it closes the oldest of them.
func (s *Server) join(one *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	unpaired := slices.DeleteFunc(slices.Clone(s.sessions), func(other *session) bool { return other.owner != "" })
	if len(unpaired) >= maxUnpaired {
		_ = unpaired[0].conn.Close() // at once: it may not read
		s.remove(unpaired[0])
	}
	s.sessions = append(s.sessions, one)
}

// admit assigns a session to a client. It returns false if the client has too many. With paired
// false the client has only claimed its id.
func (s *Server) admit(one *session, client string, paired bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	same := 0
	for _, other := range s.sessions {
		if other != one && other.owner == client {
			same++
		}
	}
	if same >= maxOfOne {
		return false
	}
	one.owner, one.paired = client, paired
	return true
}

// remove removes a session; mu is held.
func (s *Server) remove(one *session) {
	s.sessions = slices.DeleteFunc(s.sessions, func(other *session) bool { return other == one })
}

// leave undoes begin and, if one is not nil, join.
func (s *Server) leave(one *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.handlers.Done()
	s.sockets--
	s.remove(one)
}

// loadOf returns the load of a client; mu is held.
func (s *Server) loadOf(client string) *load {
	l, ok := s.loads[client]
	if !ok {
		l = &load{rate: newRate()}
		s.loads[client] = l
	}
	return l
}

func newRate() *rate.Limiter { return rate.NewLimiter(messagesPerSec, messagesPerBurst) }

// commit passes events to the sink and returns the answer to each.
func (s *Server) commit(source string, events []protocol.Event) (answers []protocol.Message) {
	batch := viewing.Batch{Source: source}
	for _, e := range events {
		batch.Events = append(batch.Events, e.Event)
	}
	outcomes, err := s.options.Sink.Commit(s.commits, batch)
	if err != nil {
		s.warn(&s.failing, "commit failed", "source", source, "events", len(events), "error", err)
	}
	for i, e := range events {
		switch {
		case err != nil: // the error may name files: only the log has it
			answers = append(answers, protocol.Refusal(e.ID, protocol.Storage, ""))
		case len(outcomes) != len(events) || outcomes[i].EventID != e.EventID: // never acknowledge another event
			answers = append(answers, protocol.Refusal(e.ID, protocol.Internal, ""))
		case outcomes[i].Status == viewing.StatusConflict:
			answers = append(answers, protocol.Refusal(e.ID, protocol.Conflict, ""))
		default:
			answers = append(answers, protocol.Ack{ID: e.ID, Status: outcomes[i].Status, Reason: outcomes[i].Reason})
		}
	}
	return answers
}

// warn logs a problem that clients can repeat, at a bounded rate.
func (s *Server) warn(sometimes *rate.Sometimes, problem string, about ...any) {
	sometimes.Do(func() { s.log.Warn(problem, about...) }) //nolint:sloglint // callers give constants
}

// seen records the time of the client's last contact.
func (s *Server) seen(client string) {
	if err := s.options.Pairing.Seen(s.commits, client); err != nil && !errors.Is(err, pairing.ErrNotFound) {
		s.warn(&s.failing, "time of last contact not saved", "client", client, "error", err)
	}
}

// count counts a refusal for the metrics.
func (s *Server) count(code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused[code]++
}

// Refused returns how many messages and posts were refused since [New], by code.
func (s *Server) Refused() map[string]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.refused)
}

// Sockets returns how many websockets are open.
func (s *Server) Sockets() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sockets
}

// refuse answers a request with an error and closes the connection, because the body may be unread.
func (s *Server) refuse(w http.ResponseWriter, status int, code string) {
	s.count(code)
	w.Header().Set("Connection", "close")
	answer(w, status, map[string]string{"error": code})
}

func answer(w http.ResponseWriter, status int, body any) {
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime)) // fails only where nothing can be slow
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // fails if the client has gone
}
