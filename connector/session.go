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

// session is one websocket. The goroutine of the HTTP request reads messages and handles all but events; a
// second one commits the events and pushes the status.
type session struct {
	server  *Server
	conn    *websocket.Conn
	origin  string
	helloBy time.Time
	ctx     context.Context // canceled to end the session
	end     context.CancelCauseFunc
	writing sync.Mutex
	events  chan protocol.Event // read and waiting for the next commit; the reader closes it

	statusChanged chan struct{} // holds one signal

	// Guarded by the server's mu.
	owner  string // client id; until paired is true, the one that the hello claims
	paired bool

	// Owned by the reader. The committer reads them, too, but gets its first event after they are set.
	inMessage bool            // the first frame of a message has arrived
	hello     *protocol.Hello // nil before it has arrived
	client    string          // id of the paired client; "" before
	revoked   context.Context // canceled when the client is revoked
	rate      *rate.Limiter
}

// closing is the error with which the server closes a socket: the code of the close frame, and
// an optional error message before it.
type closing struct {
	code    int
	reason  string
	refusal *protocol.Error
}

// Error returns the reason.
func (c closing) Error() string { return c.reason }

// closeWith returns a closing that first sends an error message.
func closeWith(code int, kind protocol.Code) closing {
	return closing{code, string(kind), protocol.Refusal("", kind, "")}
}

var (
	errRevoked    = closing{code: protocol.CloseRevoked, reason: "this client was revoked"}
	errFull       = closeWith(protocol.CloseRate, protocol.RateLimited)
	errNotReading = errors.New("the client does not read")
)

func newSession(server *Server, conn *websocket.Conn, origin string) *session {
	s := &session{
		server: server, conn: conn, origin: origin, helloBy: time.Now().Add(helloTime), rate: newRate(),
		events:        make(chan protocol.Event, protocol.MaxInFlight/2), // the other half may be in the batch being committed
		statusChanged: make(chan struct{}, 1),
	}
	s.ctx, s.end = context.WithCancelCause(server.running)
	return s
}

// run serves the socket. It returns when the socket is closed and both goroutines are done.
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
	if errors.Is(err, errRevoked) { // a revoked client gets no more answers
		s.close(err)
	}
	close(s.events)
	committer.Wait()
	if s.client != "" && !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
		s.server.options.Playing("browser:"+s.client, protocol.Playing{State: protocol.StateEnded})
	}
	s.close(err)
}

// close closes the socket. After a close frame it reads and discards what still arrives until the
// client hangs up, at most for lingerTime: closing with unread bytes would reset the connection, and
// the client might lose the frame.
func (s *session) close(why error) {
	if end, ok := errors.AsType[closing](why); ok {
		if end.refusal != nil {
			s.send(end.refusal)
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

// send writes a message. If the client does not read it in time, the session ends.
func (s *session) send(m protocol.Message) {
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
		s.end(errNotReading)
	}
}

// read handles messages until the session ends, and returns the reason.
func (s *session) read() error {
	if s.conn.Subprotocol() != protocol.Subprotocol {
		return closeWith(protocol.CloseVersion, protocol.UnsupportedVersion)
	}
	s.conn.SetReadLimit(protocol.MaxMessageBytes) // beyond it the library closes with 1009
	s.conn.SetPongHandler(func(string) error { return s.handleControl() })
	pong := s.conn.PingHandler()
	s.conn.SetPingHandler(func(data string) error { return cmp.Or(pong(data), s.handleControl()) })
	for {
		frame, err := s.readMessage()
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

// handleControl is called for each ping and pong. They count against the rate and extend the idle
// deadline, but not the deadline of a message that has begun.
func (s *session) handleControl() error {
	if err := s.rate.Wait(s.ctx); err != nil || s.inMessage {
		return err
	}
	return s.setDeadline(idleTime)
}

// setDeadline bounds how long reading may take. When the session ends, its context is canceled before
// the deadline is moved to the past, so the check after setting it cannot miss the end.
func (s *session) setDeadline(longest time.Duration) error {
	deadline := s.helloBy
	if s.hello != nil {
		deadline = time.Now().Add(longest)
	}
	_ = s.conn.SetReadDeadline(deadline) // if it fails, so does reading
	return s.ctx.Err()
}

// readMessage returns one text message.
func (s *session) readMessage() ([]byte, error) {
	if err := s.setDeadline(idleTime); err != nil {
		return nil, err
	}
	kind, reader, err := s.conn.NextReader()
	if err != nil {
		return nil, err
	}
	if kind != websocket.TextMessage {
		return nil, closeWith(protocol.CloseProtocol, protocol.BadMessage)
	}
	s.inMessage = true
	defer func() { s.inMessage = false }()
	if err := s.setDeadline(messageTime); err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}

// handle answers one message. An error ends the session.
func (s *session) handle(frame []byte) error {
	message, refusal := protocol.Decode(frame)
	switch {
	case s.hello == nil:
		return s.handleHello(message, refusal)
	case refusal != nil:
		s.send(refusal)
		return nil
	}
	switch m := message.(type) {
	case protocol.Ping:
		s.send(protocol.Pong{})
	case protocol.Hello:
		return closeWith(protocol.CloseProtocol, protocol.BadMessage)
	case protocol.Auth:
		if s.client == "" {
			return s.authenticate(m.Token)
		}
		s.send(protocol.Refusal("", protocol.BadMessage, ""))
	case protocol.Pair:
		return s.pair(m)
	case protocol.StatusRequest:
		s.status(m)
	case protocol.Playing:
		if s.client == "" {
			s.send(pairFirst(""))
			return nil
		}
		s.server.options.Playing("browser:"+s.client, m)
	case protocol.Event:
		if s.client == "" {
			s.send(pairFirst(m.ID))
			return nil
		}
		select {
		case s.events <- m:
		case <-s.ctx.Done(): // neither committed nor answered: the client still has it
		}
	}
	return nil
}

// handleHello handles the first message, which must be a hello of our version.
func (s *session) handleHello(message protocol.Message, refusal *protocol.Error) error {
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
		return s.authenticate(hello.Token)
	}
	proof, known := s.server.options.Pairing.Proof(hello.ClientID, s.origin, hello.Nonce)
	if known && !s.server.admit(s, hello.ClientID, false) {
		return errFull
	}
	if hello.Nonce == "" {
		proof = ""
	}
	s.send(s.welcome(proof))
	return nil
}

// authenticate binds the socket to the client that the token belongs to.
func (s *session) authenticate(token string) error {
	client, err := s.server.options.Pairing.Check(token, s.origin)
	if err != nil {
		s.server.warn(&s.server.refusing, "token refused", "origin", s.origin)
		return closeWith(protocol.CloseToken, protocol.PairingRequired)
	}
	if err := s.bind(client.ID); err != nil {
		return err
	}
	s.send(s.welcome(""))
	s.server.seen(s.client)
	return nil
}

// bind binds the socket to a client, until the client is revoked.
func (s *session) bind(client string) error {
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

// welcome returns the answer to hello and auth.
func (s *session) welcome(proof string) protocol.Welcome {
	return protocol.Welcome{
		V: protocol.Version, Server: protocol.ServerInfo{Version: s.server.options.Version},
		Paired: s.client != "", Proof: proof, Limits: protocol.Limits{MaxInFlight: protocol.MaxInFlight},
	}
}

// pair exchanges a code for a token.
func (s *session) pair(m protocol.Pair) error {
	if s.client != "" {
		s.send(protocol.Refusal(m.ID, protocol.BadMessage, ""))
		return nil
	}
	label := cmp.Or(m.Label, s.hello.Client.Name)
	client, token, err := s.server.options.Pairing.Pair(s.server.commits, m.Code, label, s.origin, s.hello.Client.Browser)
	switch {
	case errors.Is(err, pairing.ErrWrongCode):
		s.server.warn(&s.server.refusing, "pairing code refused", "origin", s.origin)
		s.send(protocol.Refusal(m.ID, protocol.PairingCodeInvalid, ""))
		return nil
	case err != nil:
		s.server.warn(&s.server.failing, "pairing not saved", "error", err)
		s.send(protocol.Refusal(m.ID, protocol.Storage, ""))
		return nil
	}
	s.server.log.Info("client paired", "client", client)
	if err := s.bind(client); err != nil {
		return err
	}
	s.send(protocol.Paired{ID: m.ID, ClientID: client, Token: token})
	return nil
}

// status answers with the daemon's status, and records which sites the client can no longer read.
func (s *session) status(m protocol.StatusRequest) {
	if s.client == "" {
		s.send(pairFirst(m.ID))
		return
	}
	if err := s.server.options.Pairing.SetUnread(s.server.commits, s.client, m.Unread); err != nil {
		s.server.warn(&s.server.failing, "unreadable sites of a browser not saved", "client", s.client, "error", err)
	}
	status := s.server.options.Status(s.server.commits, s.hello.Language)
	status.ID = m.ID
	s.send(status)
}

// pairFirst returns the answer to what only a paired client may do.
func pairFirst(id string) *protocol.Error {
	return protocol.Refusal(id, protocol.PairingRequired, "")
}

// commit passes events to the sink in the order they were read, and answers them. Events that arrive
// during a commit form the next batch. It also pushes the status when that has changed.
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
				s.send(answer)
			}
			s.server.seen(s.client)
		case <-s.statusChanged:
			status := s.server.options.Status(s.server.commits, s.hello.Language)
			if !reflect.DeepEqual(status, pushed) {
				pushed = status
				s.send(status)
			}
		case <-ping.C:
			_ = s.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeTime)) // if it fails, so does reading
		}
	}
}
