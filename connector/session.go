package connector

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"reflect"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/time/rate"

	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/connector/protocol"
)

// session is one socket. The request's own goroutine reads; commit is the other one.
type session struct {
	server  *Server
	conn    *websocket.Conn
	origin  string
	helloBy time.Time
	ctx     context.Context // ends when the session must
	end     context.CancelCauseFunc
	writing sync.Mutex
	events  chan protocol.Event // read and not yet being committed; closed when the reader is done
	nudged  chan struct{}       // the status may have changed

	// Guarded by the server's mu.
	owner  string // the client that it belongs to, or that it says it is; "" before
	paired bool

	// The reader's own. What pairing sets is read by the other goroutine as well, which has
	// nothing to do before.
	within  bool            // a message has begun to come
	hello   *protocol.Hello // nil before it was said
	client  string          // paired client, "" before
	revoked context.Context // of the client
	rate    *rate.Limiter
}

// closing is why the server closes a socket: the code of the close frame, and the error
// message before it, if there is one.
type closing struct {
	code    int
	reason  string
	refusal *protocol.Error
}

// Error is the reason.
func (c closing) Error() string { return c.reason }

// closeWith closes a socket after an error message.
func closeWith(code int, kind protocol.Code) closing {
	return closing{code, string(kind), protocol.Refusal("", kind, "")}
}

var (
	errRevoked = closing{code: protocol.CloseRevoked, reason: "this client was revoked"}
	errFull    = closeWith(protocol.CloseRate, protocol.RateLimited)
	errGone    = errors.New("the client does not read")
)

func newSession(server *Server, conn *websocket.Conn, origin string) *session {
	s := &session{
		server: server, conn: conn, origin: origin, helloBy: time.Now().Add(helloTime), rate: newRate(),
		events: make(chan protocol.Event, protocol.MaxInFlight/2), // the other half may be in a batch
		nudged: make(chan struct{}, 1),
	}
	s.ctx, s.end = context.WithCancelCause(server.running)
	return s
}

// run serves the socket until it is closed and both goroutines are done.
func (s *session) run() {
	defer s.end(nil)
	defer context.AfterFunc(s.ctx, func() {
		_ = s.conn.SetReadDeadline(time.Unix(1, 0)) // wakes the reader; fails only on a closed socket
	})()
	var committer sync.WaitGroup
	committer.Go(s.commit)
	err := s.read()
	if cause := context.Cause(s.ctx); cause != nil {
		err = cause
	}
	if errors.Is(err, errRevoked) { // no answer comes any more
		s.close(err)
	}
	close(s.events)
	committer.Wait()
	if s.client != "" && !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
		s.server.options.Playing("browser:"+s.client, protocol.Playing{State: protocol.StateEnded})
	}
	s.close(err)
}

// close closes the socket. After a close frame it first waits for the client to hang up, and
// throws away what still comes: closing with bytes unread would reset the connection and
// could take the frame from the client.
func (s *session) close(why error) {
	if end, ok := errors.AsType[closing](why); ok {
		if end.refusal != nil {
			s.say(end.refusal)
		}
		frame := websocket.FormatCloseMessage(end.code, end.reason)
		_ = s.conn.WriteControl(websocket.CloseMessage, frame, time.Now().Add(writeTime)) // the client may have gone
		socket := s.conn.NetConn()
		if half, ok := socket.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
		_ = socket.SetReadDeadline(time.Now().Add(lingerTime))
		_, _ = io.Copy(io.Discard, socket)
	}
	_ = s.conn.Close()
}

// say writes a message. A client that does not read is cut off.
func (s *session) say(m protocol.Message) {
	if refusal, ok := m.(*protocol.Error); ok {
		s.server.count(string(refusal.Code))
	}
	frame, err := protocol.Encode(m)
	if err == nil {
		s.writing.Lock()
		defer s.writing.Unlock()
		_ = s.conn.SetWriteDeadline(time.Now().Add(writeTime)) // never fails
		err = s.conn.WriteMessage(websocket.TextMessage, frame)
	}
	if err != nil {
		s.end(errGone)
	}
}

// read takes messages until the session ends, and returns why it does.
func (s *session) read() error {
	if s.conn.Subprotocol() != protocol.Subprotocol {
		return closeWith(protocol.CloseVersion, protocol.UnsupportedVersion)
	}
	s.conn.SetReadLimit(protocol.MaxMessageBytes) // beyond it the library closes with 1009
	s.conn.SetPongHandler(func(string) error { return s.alive() })
	pong := s.conn.PingHandler()
	s.conn.SetPingHandler(func(data string) error { return cmp.Or(pong(data), s.alive()) })
	for {
		frame, err := s.receive()
		var network net.Error
		switch {
		case errors.As(err, &network) && network.Timeout() && s.hello == nil:
			return closing{code: protocol.CloseNoHello, reason: "no hello in time"}
		case errors.As(err, &network) && network.Timeout():
			return closing{code: protocol.CloseGoingAway, reason: "silent or slow for too long"}
		case err != nil:
			return err
		}
		if err := s.rate.Wait(s.ctx); err != nil {
			return err
		}
		if err := s.handle(frame); err != nil {
			return err
		}
	}
}

// alive is called for each ping and pong. They count as messages, and give the client time
// for the next one, but none for a message that has begun to come.
func (s *session) alive() error {
	if err := s.rate.Wait(s.ctx); err != nil || s.within {
		return err
	}
	return s.await(idleTime)
}

// await bounds how long reading may take. The order matters: the session's context ends
// before the deadline is set that wakes the reader, so that one of the two is seen here.
func (s *session) await(longest time.Duration) error {
	deadline := s.helloBy
	if s.hello != nil {
		deadline = time.Now().Add(longest)
	}
	_ = s.conn.SetReadDeadline(deadline) // if it fails, so does reading
	return s.ctx.Err()
}

// receive returns one text message.
func (s *session) receive() ([]byte, error) {
	if err := s.await(idleTime); err != nil {
		return nil, err
	}
	kind, reader, err := s.conn.NextReader()
	if err != nil {
		return nil, err
	}
	if kind != websocket.TextMessage {
		return nil, closeWith(protocol.CloseProtocol, protocol.BadMessage)
	}
	s.within = true
	defer func() { s.within = false }()
	if err := s.await(messageTime); err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}

// handle answers one message. An error ends the session.
func (s *session) handle(frame []byte) error {
	message, refusal := protocol.Decode(frame)
	switch {
	case s.hello == nil:
		return s.greet(message, refusal)
	case refusal != nil:
		s.say(refusal)
		return nil
	}
	switch m := message.(type) {
	case protocol.Ping:
		s.say(protocol.Pong{})
	case protocol.Hello:
		return closeWith(protocol.CloseProtocol, protocol.BadMessage)
	case protocol.Auth:
		if s.client == "" {
			return s.enter(m.Token)
		}
		s.say(protocol.Refusal("", protocol.BadMessage, ""))
	case protocol.Pair:
		return s.pair(m)
	case protocol.StatusRequest:
		s.status(m)
	case protocol.Playing:
		if s.client == "" {
			s.say(pairFirst(""))
			return nil
		}
		s.server.options.Playing("browser:"+s.client, m)
	case protocol.Event:
		if s.client == "" {
			s.say(pairFirst(m.ID))
			return nil
		}
		select {
		case s.events <- m:
		case <-s.ctx.Done(): // neither committed nor answered: the client has it still
		}
	}
	return nil
}

// greet takes the first message, which must be a hello of our version.
func (s *session) greet(message protocol.Message, refusal *protocol.Error) error {
	hello, ok := message.(protocol.Hello)
	switch {
	case refusal != nil && refusal.Code == protocol.UnsupportedVersion:
		return closing{protocol.CloseVersion, string(refusal.Code), refusal}
	case refusal != nil:
		return closing{protocol.CloseProtocol, string(refusal.Code), refusal}
	case !ok:
		return closeWith(protocol.CloseProtocol, protocol.BadMessage)
	}
	s.hello = &hello
	if hello.Token != "" {
		return s.enter(hello.Token)
	}
	proof, known := s.server.options.Pairing.Proof(hello.ClientID, s.origin, hello.Nonce)
	if known && !s.server.admit(s, hello.ClientID, false) {
		return errFull
	}
	if hello.Nonce == "" {
		proof = ""
	}
	s.say(s.welcome(proof))
	return nil
}

// enter makes the socket that of the token's client.
func (s *session) enter(token string) error {
	client, err := s.server.options.Pairing.Check(token, s.origin)
	if err != nil {
		s.server.warn(&s.server.refusing, "token refused", "origin", s.origin)
		return closeWith(protocol.CloseToken, protocol.PairingRequired)
	}
	if err := s.become(client.ID); err != nil {
		return err
	}
	s.say(s.welcome(""))
	s.server.seen(s.client)
	return nil
}

// become makes the socket a client's, until the client is revoked.
func (s *session) become(client string) error {
	s.client, s.revoked = client, s.server.options.Pairing.Revoked(client)
	unwatch := context.AfterFunc(s.revoked, func() { s.end(errRevoked) })
	context.AfterFunc(s.ctx, func() { unwatch() })
	if !s.server.admit(s, client, true) {
		return errFull
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.rate = s.server.loadOf(client).rate
	return nil
}

// welcome is the answer to hello and auth.
func (s *session) welcome(proof string) protocol.Welcome {
	return protocol.Welcome{
		V: protocol.Version, Server: protocol.ServerInfo{Version: s.server.options.Version},
		Paired: s.client != "", Proof: proof, Limits: protocol.Limits{MaxInFlight: protocol.MaxInFlight},
	}
}

// pair turns a code into a token.
func (s *session) pair(m protocol.Pair) error {
	if s.client != "" {
		s.say(protocol.Refusal(m.ID, protocol.BadMessage, ""))
		return nil
	}
	label := cmp.Or(m.Label, s.hello.Client.Name)
	client, token, err := s.server.options.Pairing.Pair(s.server.commits, m.Code, label, s.origin, s.hello.Client.Browser)
	switch {
	case errors.Is(err, pairing.ErrWrongCode):
		s.server.warn(&s.server.refusing, "pairing code refused", "origin", s.origin)
		s.say(protocol.Refusal(m.ID, protocol.PairingCodeInvalid, ""))
		return nil
	case err != nil:
		s.server.warn(&s.server.failing, "pairing not kept", "error", err)
		s.say(protocol.Refusal(m.ID, protocol.Storage, ""))
		return nil
	}
	s.server.log.Info("client paired", "client", client)
	if err := s.become(client); err != nil {
		return err
	}
	s.say(protocol.Paired{ID: m.ID, ClientID: client, Token: token})
	return nil
}

// status answers with the daemon's status, and keeps which sites the client cannot read any more.
func (s *session) status(m protocol.StatusRequest) {
	if s.client == "" {
		s.say(pairFirst(m.ID))
		return
	}
	if err := s.server.options.Pairing.SetUnread(s.server.commits, s.client, m.Unread); err != nil {
		s.server.warn(&s.server.failing, "sites that a browser cannot read not kept", "client", s.client, "error", err)
	}
	now := s.server.options.Status(s.server.commits, s.hello.Language)
	now.ID = m.ID
	s.say(now)
}

// pairFirst is the answer to all that an unpaired client may not do.
func pairFirst(id string) *protocol.Error {
	return protocol.Refusal(id, protocol.PairingRequired, "")
}

// commit hands events to the sink in the order they were read, and answers them. Those that
// come while one batch is under way are the next. It pushes the status when that has changed.
func (s *session) commit() {
	ping := time.NewTicker(pingTime)
	defer ping.Stop()
	var pushed protocol.Status
	for {
		select {
		case first, ok := <-s.events:
			if !ok {
				return
			}
			batch := []protocol.Event{first}
			for len(batch) < cap(s.events) && len(s.events) > 0 {
				batch = append(batch, <-s.events)
			}
			if s.revoked.Err() != nil {
				continue
			}
			for _, answer := range s.server.commit("browser:"+s.client, batch) {
				s.say(answer)
			}
			s.server.seen(s.client)
		case <-s.nudged:
			now := s.server.options.Status(s.server.commits, s.hello.Language)
			if !reflect.DeepEqual(now, pushed) {
				pushed = now
				s.say(now)
			}
		case <-ping.C:
			_ = s.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeTime)) // if it fails, so does reading
		}
	}
}
