package connector

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/time/rate"

	"github.com/filmspool/filmspool/connector/protocol"
)

// What ends a session from within its reader.
var (
	errLeft   = errors.New("session is leaving")
	errLarge  = errors.New("message is too large")
	errBinary = errors.New("message is binary")
	errSlow   = errors.New("message takes too long")
)

// session is one socket. Three goroutines share it: the reader, which is the
// request's own, the committer and the writer. The others hand frames to the
// writer through out; the reader hands events to the committer through work.
type session struct {
	server  *Server
	conn    *websocket.Conn
	request *http.Request // that became the socket
	origin  string
	number  int         // sessions are numbered as they come; set by the server
	known   atomic.Bool // the client is paired

	out    chan outgoing // closed when reader and committer are done
	work   chan item     // closed when the reader is done; as large as slots
	slots  chan struct{} // one taken for each event without an answer
	pushes chan Status   // the latest status not yet written

	leaving sync.Once
	left    chan struct{} // closed by leave
	closing closing       // set before left is closed

	// The reader's own; client is also read by the committer, for events that
	// were read after it was set.
	helloBy time.Time
	within  bool            // a message has begun to come
	hello   *protocol.Hello // nil before it was said
	client  string          // paired client, "" before
	rate    *rate.Limiter
	ignored int // RATE_LIMITED answers, less what was accepted since
	wrong   int // pairing codes that failed
	frame   bytes.Buffer
}

// outgoing is a frame for the writer. The one that tells a client it is
// paired brings the channel of its revocation, to be watched from then on.
type outgoing struct {
	frame   []byte
	revoked <-chan struct{}
}

// closing is how a session ends. Code 0 says nothing: the peer has gone.
type closing struct {
	code   int
	reason string
}

func newSession(server *Server, conn *websocket.Conn, r *http.Request) *session {
	limits := server.limits
	return &session{
		server: server, conn: conn, request: r, origin: r.Header.Get("Origin"),
		out: make(chan outgoing, limits.InFlight), work: make(chan item, limits.InFlight),
		slots:  make(chan struct{}, limits.InFlight),
		pushes: make(chan Status, 1), left: make(chan struct{}),
		helloBy: time.Now().Add(limits.Hello), rate: rate.NewLimiter(rate.Limit(limits.Rate), limits.Burst),
	}
}

// run serves the socket until it is closed and all three goroutines are done.
// With a farewell it only says that.
func (s *session) run(farewell *farewell) {
	var writer, others sync.WaitGroup
	writer.Go(s.write)
	others.Go(s.commit)
	if farewell == nil {
		s.read()
	} else {
		s.dismiss(farewell.refusal, farewell.code)
	}
	close(s.work)
	others.Wait()
	close(s.out)
	writer.Wait()
	s.hangUp()
}

// leave makes the session end with a close code. Only the first call counts.
func (s *session) leave(code int, reason string) {
	s.leaving.Do(func() {
		s.closing = closing{code, reason}
		close(s.left)
		_ = s.conn.SetReadDeadline(time.Unix(1, 0)) // wakes the reader; fails only on a closed socket
	})
}

// makeRoom ends the session of a stranger at once: nobody waits for one that
// does not read.
func (s *session) makeRoom() {
	s.leave(0, "")
	_ = s.conn.NetConn().Close() // whoever is slow to hear of it
}

// dismiss says why and leaves. The close frame repeats only the code: it has
// room for 123 bytes, and a message may quote the client.
func (s *session) dismiss(refusal *protocol.Error, code int) {
	reason := ""
	if refusal != nil {
		s.say(refusal)
		reason = string(refusal.Code)
	}
	s.leave(code, reason)
}

// hasLeft reports whether leave was called; closing may be read after that.
func (s *session) hasLeft() bool {
	select {
	case <-s.left:
		return true
	default:
		return false
	}
}

// say hands a message to the writer. It waits while the queue is full, at
// most until the writer gives up on a client that does not read.
func (s *session) say(m protocol.Message) { s.sayWith(m, nil) }

func (s *session) sayWith(m protocol.Message, revoked <-chan struct{}) {
	s.server.refusals.note(m)
	frame, err := protocol.Encode(m)
	if err != nil { // structs of strings and numbers: cannot happen
		s.server.log.Error("encode message", "type", m.Type(), "error", err)
		return
	}
	s.out <- outgoing{frame: frame, revoked: revoked}
}

// push leaves the status for the writer, in place of one it has not yet taken.
// Only one goroutine at a time may call it.
func (s *session) push(now Status) {
	select {
	case <-s.pushes:
	default:
	}
	s.pushes <- now
}

// read takes messages until the session ends.
func (s *session) read() {
	s.conn.SetPongHandler(func(string) error { return s.control(nil) })
	s.conn.SetPingHandler(func(data string) error { return s.control([]byte(data)) })
	for {
		frame, err := s.receive()
		if err != nil {
			s.lost(err)
			return
		}
		if !s.handle(frame) {
			return
		}
	}
}

// control takes a protocol pong, or a protocol ping with its data, which is
// never nil. They cost what a message costs: a flood of them is no cheaper.
func (s *session) control(ping []byte) error {
	if take(s.rate) > 0 {
		if s.ignored++; s.ignored >= s.server.limits.Ignored {
			s.leave(protocol.CloseRate, "too many pings")
			return errLeft
		}
		return nil
	}
	if ping != nil {
		deadline := time.Now().Add(s.server.limits.Write)
		if err := s.conn.WriteControl(websocket.PongMessage, ping, deadline); err != nil {
			return err
		}
	}
	if s.within { // signs of life do not make a message slower to come
		return nil
	}
	return s.await()
}

// await gives the client its time for the next message.
//
// The order matters: leave closes left first and sets its deadline last, so
// that one of the two is seen here.
func (s *session) await() error {
	deadline := s.helloBy
	if s.hello != nil {
		deadline = time.Now().Add(s.server.limits.Idle)
	}
	if err := s.conn.SetReadDeadline(deadline); err != nil {
		return err
	}
	if s.hasLeft() {
		return errLeft
	}
	return nil
}

// receive returns one text message; it is good until the next call. The limit
// is our own and not the library's, which would say 1009 without a message.
func (s *session) receive() ([]byte, error) {
	if err := s.await(); err != nil {
		return nil, err
	}
	kind, reader, err := s.conn.NextReader()
	if err != nil {
		return nil, err
	}
	if kind != websocket.TextMessage {
		return nil, errBinary
	}
	s.within = true
	defer func() { s.within = false }()
	limit := int64(s.server.limits.MessageBytes)
	s.frame.Reset()
	patient := &patience{reader, time.Now().Add(s.server.limits.Message)}
	n, err := s.frame.ReadFrom(io.LimitReader(patient, limit+1))
	if n > limit {
		return nil, errLarge
	}
	return s.frame.Bytes(), err
}

// patience reads until a message has taken too long. It looks at the clock
// with each piece that comes; for what stops coming there is the deadline that
// was set before, and most messages come in one piece.
type patience struct {
	io.Reader
	until time.Time
}

// Read implements [io.Reader].
func (p *patience) Read(into []byte) (int, error) {
	n, err := p.Reader.Read(into)
	if err == nil && time.Now().After(p.until) {
		err = errSlow
	}
	return n, err
}

// lost ends the session after receive has failed.
func (s *session) lost(err error) {
	var network net.Error
	switch {
	case s.hasLeft():
	case errors.Is(err, errLarge):
		s.dismiss(protocol.Refusal("", protocol.TooLarge, "the message is too large"), protocol.CloseTooBig)
	case errors.Is(err, errBinary):
		s.dismiss(protocol.Refusal("", protocol.BadMessage, "send text frames"), protocol.CloseProtocol)
	case errors.Is(err, errSlow):
		s.leave(protocol.CloseGoingAway, "the message took too long to come")
	case !errors.As(err, &network) || !network.Timeout():
		s.leave(0, "") // the client has gone, or broke the websocket protocol and was told so by the library
	case s.hello == nil:
		s.leave(protocol.CloseNoHello, "no hello in time")
	default:
		s.leave(protocol.CloseGoingAway, "silent for too long")
	}
}

// handle answers one message and reports whether to read on.
func (s *session) handle(frame []byte) bool {
	if wait := take(s.rate); wait > 0 {
		return s.throttle(frame, wait)
	}
	s.ignored = max(0, s.ignored-1)
	message, refusal := protocol.Decode(frame)
	switch {
	case s.hello == nil:
		return s.greet(message, refusal)
	case refusal != nil:
		s.say(refusal)
		return true
	}
	switch m := message.(type) {
	case protocol.Ping:
		s.say(protocol.Pong{})
	case protocol.Pong: // the deadline has moved; that was all
	case protocol.Hello:
		s.dismiss(protocol.Refusal("", protocol.BadMessage, "hello was said before"), protocol.CloseProtocol)
		return false
	case protocol.Auth:
		return s.auth(m)
	case protocol.Pair:
		return s.pair(m)
	case protocol.StatusRequest:
		s.status(m)
	case protocol.Event:
		s.take(m)
	}
	return true
}

// throttle ignores a message, but for its id, and ends a session that does
// not heed it.
func (s *session) throttle(frame []byte, wait time.Duration) bool {
	s.say(limited(protocol.IDOf(frame), "too many messages", wait))
	if s.ignored++; s.ignored >= s.server.limits.Ignored {
		s.leave(protocol.CloseRate, "too many messages")
		return false
	}
	return true
}

// hangUp closes the socket. After our close frame it first waits for the
// client to close, and throws away what still comes: closing with bytes
// unread would reset the connection and could take the frame from the client.
func (s *session) hangUp() {
	socket := s.conn.NetConn()
	if s.closing.code != 0 {
		if half, ok := socket.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite() // the client may have closed first
		}
		_ = socket.SetReadDeadline(time.Now().Add(s.server.limits.Linger))
		_, _ = io.Copy(io.Discard, socket)
	}
	_ = s.conn.Close()
}
