package connector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
)

// Server serves the connector's three routes. Sockets are served from the
// moment the handler is; [Server.Run] pushes the status and ends them.
type Server struct {
	options  Options
	limits   Limits
	log      *slog.Logger
	upgrader websocket.Upgrader
	nudged   chan struct{}
	unpaired *rate.Limiter
	refused  *tally
	refusals refusals
	unkept   failing // commits
	unseen   failing // sightings of clients

	// commits is the context of all work for the sink. It outlives Run's own
	// by Limits.Drain, so that what was read can still be kept and answered.
	commits context.Context
	giveUp  context.CancelFunc

	handlers sync.WaitGroup // requests between begin and end, and posts
	ending   chan struct{}  // closed when stopped is set

	mu       sync.Mutex
	stopped  bool
	opening  int                      // requests between begin and end
	sessions map[*session]struct{}    // those within the limits
	beyond   []*session               // those that hear that there is no place, the oldest first
	rates    map[string]*rate.Limiter // by client id, as many as there are clients
	posts    map[string]int           // under way, by client id
	hellos   map[string]*rate.Limiter // of clients we do not know, by Origin
	last     int                      // number of the last session
}

// New builds a server. It refuses options without Allow, Program, Sink,
// Pairing or Status, and negative limits.
func New(o Options) (*Server, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	limits, err := o.Limits.filled()
	if err != nil {
		return nil, err
	}
	s := &Server{
		options: o, limits: limits, log: o.Logger,
		nudged:   make(chan struct{}, 1),
		ending:   make(chan struct{}),
		unpaired: perMinute(limits.UnpairedHellos * helloOrigins), hellos: map[string]*rate.Limiter{},
		refusals: refusals{byCode: map[string]int64{}},
		sessions: map[*session]struct{}{}, rates: map[string]*rate.Limiter{}, posts: map[string]int{},
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.refused = &tally{log: s.log, seen: map[fault]*count{}}
	s.commits, s.giveUp = context.WithCancel(context.Background())
	s.upgrader = websocket.Upgrader{
		HandshakeTimeout: limits.Write,
		Subprotocols:     []string{protocol.Subprotocol},
		CheckOrigin:      o.Allow, // the library's own check lets rebound names in and extensions not
		Error: func(w http.ResponseWriter, _ *http.Request, status int, reason error) {
			refuse(w, status, "NOT_A_WEBSOCKET", reason.Error())
		},
	}
	return s, nil
}

// Handler serves GET /v1/health, /v1/connector and POST /v1/viewings.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/health", s.health)
	mux.HandleFunc("/v1/connector", s.connect)
	mux.HandleFunc("/v1/viewings", s.post)
	return mux
}

// Nudge says that the status may have changed. It never blocks; nudges that
// come together are one.
func (s *Server) Nudge() {
	select {
	case s.nudged <- struct{}{}:
	default: // one is waiting already
	}
}

// Run pushes the status to paired clients when it has changed, until ctx
// ends. Then it closes all sockets with 1001, gives commits under way
// [Limits.Drain], and returns nil when every goroutine of this server is done.
func (s *Server) Run(ctx context.Context) error {
	s.push(ctx)
	s.stop()
	drained := time.AfterFunc(s.limits.Drain, s.giveUp)
	s.handlers.Wait()
	drained.Stop()
	s.giveUp()
	return nil
}

// push tells all sessions the status after each nudge, if it has changed
// since the last time, but not more often than the limit says.
func (s *Server) push(ctx context.Context) {
	var told Status
	first := true
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.nudged:
		}
		if now := s.options.Status(ctx); first || now != told {
			first, told = false, now
			s.tell(now)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(s.limits.Push):
		}
	}
}

func (s *Server) tell(now Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for session := range s.sessions {
		session.push(now)
	}
}

// stop refuses new sockets and posts and asks the open sockets to leave.
func (s *Server) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	close(s.ending)
	for session := range s.sessions {
		session.leave(protocol.CloseGoingAway, "the daemon stops")
	}
}

// health says who we are and nothing else. An extension without permission
// for this address may read it only with the CORS header; a page may not.
func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Add("Vary", "Origin")
	if s.options.Allow(r) {
		header.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	}
	answer(w, http.StatusOK, struct {
		Service  string `json:"service"`
		Version  string `json:"version"`
		Protocol []int  `json:"protocol"`
	}{"filmspool", s.options.Version, []int{protocol.Version}})
}

// connect turns a request into a session and serves it to its end.
func (s *Server) connect(w http.ResponseWriter, r *http.Request) {
	if !s.options.Allow(r) {
		s.log.Debug("socket refused", "reason", "origin")
		refuse(w, http.StatusForbidden, "ORIGIN_NOT_ALLOWED", "only a browser extension may connect here")
		return
	}
	if !s.begin() {
		refuse(w, http.StatusServiceUnavailable, "GOING_AWAY", "the daemon takes no more sockets now")
		return
	}
	defer s.end()
	conn, err := s.upgrader.Upgrade(w, r, nil)
	if err != nil {
		s.log.Debug("upgrade failed", "error", err) // the client has been answered
		return
	}
	session := newSession(s, conn, r)
	farewell := s.join(session)
	defer s.part(session)
	session.run(farewell)
}

// begin counts a request in, unless the server stops or twice the allowed
// number of sockets is open: those beyond the limit are told so, but not
// without end.
func (s *Server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped || s.opening >= 2*s.limits.Sockets {
		return false
	}
	s.opening++
	s.handlers.Add(1)
	return true
}

func (s *Server) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opening--
	s.handlers.Done()
}

// farewell is what a session says before it closes without having begun.
type farewell struct {
	refusal *protocol.Error // nil says nothing
	code    int
}

// helloOrigins is of how many Origins the hellos of unknown clients are counted
// apart, and how many times one Origin's share they may have together.
const helloOrigins = 8

func perMinute(n int) *rate.Limiter { return rate.NewLimiter(rate.Limit(n)/60, n) }

// strange counts a hello of a client that we do not know: 0, or how long it has
// to wait. One Origin cannot use up what others need to be paired.
func (s *Server) strange(origin string) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	limiter, ok := s.hellos[origin]
	if !ok && len(s.hellos) >= helloOrigins {
		maps.DeleteFunc(s.hellos, func(_ string, l *rate.Limiter) bool { return l.Tokens() >= float64(l.Burst()) })
	}
	if !ok && len(s.hellos) < helloOrigins {
		limiter = perMinute(s.limits.UnpairedHellos)
		s.hellos[origin] = limiter
	}
	if limiter != nil {
		if wait := take(limiter); wait > 0 {
			return wait
		}
	}
	return take(s.unpaired)
}

// stranger is the session without a paired client that has been here longest,
// of one Origin or, with "", of any; nil when there is none. mu is held.
func (s *Server) stranger(origin string) (oldest *session) {
	for other := range s.sessions {
		if !other.known.Load() && (origin == "" || other.origin == origin) && (oldest == nil || other.number < oldest.number) {
			oldest = other
		}
	}
	return oldest
}

// makeRoom has the oldest stranger leave where there is no place for one more
// session of this Origin. It reports whether there is one now. mu is held.
func (s *Server) makeRoom(origin string) bool {
	same := 0
	for other := range s.sessions {
		if other.origin == origin {
			same++
		}
	}
	var out *session
	switch {
	case same >= s.limits.OriginSockets:
		out = s.stranger(origin)
	case len(s.sessions) >= s.limits.Sockets:
		out = s.stranger("")
	default:
		return true
	}
	if out == nil {
		return false
	}
	delete(s.sessions, out)
	out.makeRoom()
	return true
}

// join enters a session, or returns why it must leave at once. One of another
// subprotocol takes a place for as long as it lingers: the next may need it.
func (s *Server) join(session *session) *farewell {
	s.mu.Lock()
	defer s.mu.Unlock()
	room := !s.stopped && s.makeRoom(session.origin)
	switch {
	case room:
		s.last++
		session.number = s.last
		s.sessions[session] = struct{}{}
	case !s.stopped:
		s.turnAway(session)
	}
	switch {
	case s.stopped:
		return &farewell{nil, protocol.CloseGoingAway}
	case session.conn.Subprotocol() != protocol.Subprotocol:
		return &farewell{protocol.Refusal("", protocol.UnsupportedVersion,
			"ask for the subprotocol "+protocol.Subprotocol), protocol.CloseVersion}
	case !room:
		return &farewell{limited("", "too many sockets are open", time.Minute), protocol.CloseRate}
	}
	return nil
}

// turnAway lets a session without a place hear why. The oldest of these goes
// when they are many: they would fill [Server.begin]. mu is held.
func (s *Server) turnAway(session *session) {
	if len(s.beyond) >= s.limits.OriginSockets {
		s.beyond[0].makeRoom()
		s.beyond = s.beyond[1:]
	}
	s.beyond = append(s.beyond, session)
}

// part removes a session. The rate of a revoked client is forgotten with it.
func (s *Server) part(gone *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, gone)
	s.beyond = slices.DeleteFunc(s.beyond, func(other *session) bool { return other == gone })
	if gone.closing.code == protocol.CloseRevoked {
		delete(s.rates, gone.client)
	}
}

// rateOf is the limiter that all sockets of a client share.
func (s *Server) rateOf(client string) *rate.Limiter {
	s.mu.Lock()
	defer s.mu.Unlock()
	limiter, ok := s.rates[client]
	if !ok {
		limiter = rate.NewLimiter(rate.Limit(s.limits.Rate), s.limits.Burst)
		s.rates[client] = limiter
	}
	return limiter
}

// seen notes that a client is alive.
func (s *Server) seen(client string) {
	err := s.options.Pairing.Seen(s.commits, client)
	if errors.Is(err, pairing.ErrNotFound) { // just revoked
		return
	}
	if s.unseen.news(err) && err != nil {
		s.log.Warn("last sighting not kept", "client", client, "error", err)
	}
}

// limited is a RATE_LIMITED to the message id.
func limited(id, problem string, wait time.Duration) *protocol.Error {
	refusal := protocol.Refusal(id, protocol.RateLimited, problem)
	refusal.RetryAfterMs = int64((wait + time.Millisecond - 1) / time.Millisecond)
	return refusal
}

// refuse answers a request that does not become a socket.
func refuse(w http.ResponseWriter, status int, code, message string) {
	answer(w, status, struct {
		Error   string `json:"error"`
		Message string `json:"message"`
	}{code, message})
}

func answer(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil { // a struct of strings and ints: cannot happen
		text, status = fmt.Appendf(nil, `{"error":"INTERNAL","message":%q}`, err), http.StatusInternalServerError
	}
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// The client may be gone by now; there is nobody left to tell.
	_, _ = w.Write(text)
}
