// Package client speaks the connector's protocol from the client's side, for
// the demo, for tests and as an example of a careful client.
//
// It owns one socket. It says hello, makes the daemon prove itself before it shows a
// token, sends events, and gives each call the answer with its id. Calls may overlap.
//
// It promises that a nil error from [Client.Viewing], [Client.Watchlist] or
// [Client.List] means that the daemon has acknowledged the event. A
// [*protocol.Error] is the daemon's refusal. A [*ClosedError] or the context's error
// leaves it open whether the event arrived. Then the same event is to be sent again,
// with the same id. A token never leaves before the daemon's proof was right.
//
// It refuses to keep anything, to reconnect and to retry.
package client

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/connector/protocol"
)

// What can go wrong besides the daemon's own errors.
var (
	// ErrProof says that whoever answers does not know our token: not our
	// daemon, or one that has revoked us. The token was not told.
	ErrProof = errors.New("the daemon could not prove that it knows this client")
	// ErrDialect says that the answer is not this protocol's.
	ErrDialect = errors.New("the answer is not the connector's protocol")
	// ErrBusy says that a message of the same id still waits for its answer.
	ErrBusy = errors.New("a message of this id is under way")
)

// writeWait bounds one write, from a call without a deadline of its own.
const writeWait = 10 * time.Second

// RefusedError says that the daemon did not upgrade the request.
type RefusedError struct {
	StatusCode int    // of HTTP: 403 for a wrong Host or Origin
	Code       string // the "error" of the body, if it had one
	Message    string
}

// Error names the status, the code and the message.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("socket refused with status %d: %s %s", e.StatusCode, e.Code, e.Message)
}

// ClosedError says that the socket is closed. What had no answer by then may
// or may not have been kept.
type ClosedError struct {
	Code    int             // the close code, 0 when the connection broke without one
	Reason  string          // the daemon's, or the cause of the break
	Refusal *protocol.Error // the last error that answered no message in particular; may be nil
}

// Error names the code and the reason.
func (e *ClosedError) Error() string { return fmt.Sprintf("socket closed (%d): %s", e.Code, e.Reason) }

// Unwrap is the refusal.
func (e *ClosedError) Unwrap() error {
	if e.Refusal == nil {
		return nil
	}
	return e.Refusal
}

// Options say where and as whom to connect.
type Options struct {
	URL    string // such as ws://127.0.0.1:43456/v1/connector
	Origin string // of the extension we stand for, such as chrome-extension://<32 letters>
	Info   protocol.ClientInfo
	// ClientID and Token are what [Client.Pair] returned; both or neither.
	ClientID string
	Token    string
	// Dial makes the connection; nil is the net package's.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Client is one open socket that has been welcomed.
type Client struct {
	conn    *websocket.Conn
	reading sync.WaitGroup
	pushed  chan protocol.Status // the latest status pushed
	done    chan struct{}        // closed when the reader has ended, err set before

	writing sync.Mutex

	mu      sync.Mutex
	welcome protocol.Welcome
	waiting map[string]chan protocol.Message // by id
	err     error
}

// Dial connects, says hello and, with a token, makes the daemon prove itself
// and enters. The caller must [Client.Close] the client. The error is a
// [*RefusedError], [ErrProof], [ErrDialect], a [*protocol.Error] (such as
// PAIRING_REQUIRED), a [*ClosedError] or the dialer's.
func Dial(ctx context.Context, o Options) (*Client, error) {
	if (o.ClientID == "") != (o.Token == "") {
		return nil, errors.New("dial connector: client id and token go together")
	}
	dialer := websocket.Dialer{
		NetDialContext: o.Dial, HandshakeTimeout: writeWait, Subprotocols: []string{protocol.Subprotocol},
	}
	conn, answer, err := dialer.DialContext(ctx, o.URL, http.Header{"Origin": {o.Origin}}) //nolint:bodyclose // gorilla keeps it in memory: there is nothing to close
	if err != nil {
		return nil, fmt.Errorf("dial connector: %w", refusal(answer, err))
	}
	c := &Client{
		conn: conn, pushed: make(chan protocol.Status, 1), done: make(chan struct{}), waiting: map[string]chan protocol.Message{},
	}
	conn.SetReadLimit(protocol.MaxMessageBytes)
	if err := c.enter(ctx, o); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	c.reading.Go(c.read)
	return c, nil
}

// refusal is the error of a failed dial, with the daemon's words if it had any.
func refusal(answer *http.Response, err error) error {
	if answer == nil || !errors.Is(err, websocket.ErrBadHandshake) {
		return err
	}
	refused := &RefusedError{StatusCode: answer.StatusCode}
	var body struct{ Error, Message string }
	if text, err := io.ReadAll(io.LimitReader(answer.Body, 4<<10)); err == nil && json.Unmarshal(text, &body) == nil {
		refused.Code, refused.Message = body.Error, body.Message
	}
	return refused
}

// enter says hello and auth. The socket is read here directly: nothing else
// reads yet.
func (c *Client) enter(ctx context.Context, o Options) error {
	stop := context.AfterFunc(ctx, func() { _ = c.conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	if c.conn.Subprotocol() != protocol.Subprotocol {
		return fmt.Errorf("greet daemon: %w", ErrDialect)
	}
	hello := protocol.Hello{V: protocol.Version, Client: o.Info, ClientID: o.ClientID}
	if o.Token != "" {
		hello.Nonce = newNonce()
	}
	if err := c.greet(ctx, hello); err != nil || o.Token == "" {
		return err
	}
	proof := c.Welcome().Proof
	if !hmac.Equal([]byte(proof), []byte(pairing.ProofFor(o.Token, hello.Nonce))) {
		return ErrProof
	}
	if err := c.greet(ctx, protocol.Auth{Token: o.Token}); err != nil {
		return err
	}
	if !c.Welcome().Paired {
		return fmt.Errorf("greet daemon: %w", ErrDialect)
	}
	return nil
}

// newNonce is 32 random bytes in base64url.
func newNonce() string {
	var raw [32]byte
	rand.Read(raw[:]) // never fails: crypto/rand ends the program instead
	return base64.RawURLEncoding.EncodeToString(raw[:])
}

// greet sends a message and waits for the welcome to it.
func (c *Client) greet(ctx context.Context, m protocol.Message) error {
	if err := c.write(ctx, m); err != nil {
		return err
	}
	answer, err := c.next()
	if err != nil {
		return errors.Join(ctx.Err(), err)
	}
	switch answer := answer.(type) {
	case protocol.Welcome:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.welcome = answer
		return nil
	case *protocol.Error:
		return answer
	}
	return fmt.Errorf("greet daemon: %w", ErrDialect)
}

// next reads one message; a broken or closed socket is a [*ClosedError].
func (c *Client) next() (protocol.Message, error) {
	_, frame, err := c.conn.ReadMessage()
	if err != nil {
		return nil, closed(err)
	}
	m, err := protocol.DecodeAnswer(frame)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDialect, err)
	}
	return m, nil
}

func closed(err error) *ClosedError {
	var frame *websocket.CloseError
	if errors.As(err, &frame) && frame.Code != websocket.CloseAbnormalClosure {
		return &ClosedError{Code: frame.Code, Reason: frame.Text}
	}
	return &ClosedError{Reason: err.Error()}
}

// read gives every answer to the call that waits for it, until the socket is
// closed.
func (c *Client) read() {
	var refusal *protocol.Error
	for {
		m, err := c.next()
		if err != nil {
			c.finish(err, refusal)
			return
		}
		if refused, ok := m.(*protocol.Error); ok && refused.ID == "" {
			refusal = refused
			continue
		}
		c.route(m)
	}
}

// finish notes why the socket is closed and wakes all calls.
func (c *Client) finish(err error, refusal *protocol.Error) {
	var end *ClosedError
	if errors.As(err, &end) {
		end.Refusal = refusal
	}
	c.mu.Lock()
	c.err = err
	c.mu.Unlock()
	close(c.done)
}

func (c *Client) route(m protocol.Message) {
	switch m := m.(type) {
	case protocol.Ack:
		c.deliver(m.ID, m)
	case protocol.Paired:
		c.deliver(m.ID, m)
	case *protocol.Error:
		c.deliver(m.ID, m)
	case protocol.Status:
		if m.ID != "" {
			c.deliver(m.ID, m)
			return
		}
		select { // the latest in place of one nobody has taken
		case <-c.pushed:
		default:
		}
		c.pushed <- m
	}
}

// deliver gives an answer to the call of that id; nobody may wait any more.
func (c *Client) deliver(id string, m protocol.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if answer, ok := c.waiting[id]; ok {
		delete(c.waiting, id)
		answer <- m // has room for one
	}
}

// write sends one message, in the time ctx has left but at most [writeWait].
func (c *Client) write(ctx context.Context, m protocol.Message) error {
	frame, err := protocol.Encode(m)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	deadline := time.Now().Add(writeWait)
	if sooner, ok := ctx.Deadline(); ok && sooner.Before(deadline) {
		deadline = sooner
	}
	if err := c.conn.SetWriteDeadline(deadline); err != nil {
		return closed(err)
	}
	if err := c.conn.WriteMessage(websocket.TextMessage, frame); err != nil {
		return closed(err)
	}
	return nil
}

// ask sends a message and waits for the answer of the same id.
func (c *Client) ask(ctx context.Context, id string, m protocol.Message) (protocol.Message, error) {
	answer := make(chan protocol.Message, 1)
	c.mu.Lock()
	_, busy := c.waiting[id]
	if !busy {
		c.waiting[id] = answer
	}
	c.mu.Unlock()
	if busy {
		return nil, ErrBusy
	}
	defer c.forget(id, answer)
	if err := c.write(ctx, m); err != nil {
		return nil, c.cause(err)
	}
	select {
	case got := <-answer:
		if refused, ok := got.(*protocol.Error); ok {
			return nil, refused
		}
		return got, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.done:
		return c.last(answer)
	}
}

// last is an answer that came just before the end, or the end.
func (c *Client) last(answer chan protocol.Message) (protocol.Message, error) {
	select {
	case got := <-answer:
		if refused, ok := got.(*protocol.Error); ok {
			return nil, refused
		}
		return got, nil
	default:
		return nil, c.Err()
	}
}

// cause is the reader's error if it has one: it knows the close code, where a
// write only finds the socket closed.
func (c *Client) cause(err error) error {
	select {
	case <-c.done:
		return c.Err()
	case <-time.After(time.Second): // a close frame follows a broken write at once or never
		return err
	}
}

// forget stops waiting for an answer.
func (c *Client) forget(id string, answer chan protocol.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting[id] == answer {
		delete(c.waiting, id)
	}
}
