// Package connectortest is a client of the connector for tests: a browser extension that
// pairs, comes back with its token, and waits for the answer to each event.
package connectortest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/connector/protocol"
)

// Options say who connects, and where.
type Options struct {
	URL    string // such as ws://127.0.0.1:43456/v1/connector
	Origin string
	Info   protocol.ClientInfo
	// ClientID and Token are what [Client.Pair] returned; both or neither.
	ClientID string
	Token    string
	// Dial makes the connection; nil is the net package's.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Client is one socket. Its methods may be called by several goroutines at once.
type Client struct {
	conn    *websocket.Conn
	writing sync.Mutex
	done    chan struct{} // closed when the socket is; err is set before
	err     error

	mu      sync.Mutex
	waiting map[string]chan []byte // frames, by the id of what they answer
}

// Dial opens a socket and, with a token, enters after the daemon has proved itself.
func Dial(ctx context.Context, o Options) (*Client, error) {
	dialer := websocket.Dialer{NetDialContext: o.Dial, HandshakeTimeout: 10 * time.Second, Subprotocols: []string{protocol.Subprotocol}}
	conn, _, err := dialer.DialContext(ctx, o.URL, http.Header{"Origin": {o.Origin}}) //nolint:bodyclose // gorilla keeps it in memory: there is nothing to close
	if err != nil {
		return nil, fmt.Errorf("dial connector: %w", err)
	}
	c := &Client{conn: conn, done: make(chan struct{}), waiting: map[string]chan []byte{}}
	go c.read()
	if err := c.enter(ctx, o); err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Client) enter(ctx context.Context, o Options) error {
	hello := protocol.Hello{V: protocol.Version, Client: o.Info, ClientID: o.ClientID, Nonce: rand.Text()}
	var welcome protocol.Welcome
	if err := c.ask(ctx, "", hello, &welcome); err != nil || o.Token == "" {
		return err
	}
	if welcome.Proof != pairing.ProofFor(o.Token, hello.Nonce) {
		return errors.New("the daemon could not prove that it knows this client")
	}
	return c.ask(ctx, "", protocol.Auth{Token: o.Token}, &welcome)
}

// Pair turns a one-time code into what [Options] need.
func (c *Client) Pair(ctx context.Context, code, label string) (clientID, token string, err error) {
	var paired protocol.Paired
	m := protocol.Pair{ID: rand.Text(), Code: code, Label: label}
	err = c.ask(ctx, m.ID, m, &paired)
	return paired.ClientID, paired.Token, err
}

// Viewing reports a playback. An error of the daemon's is a [*protocol.Error].
func (c *Client) Viewing(ctx context.Context, m protocol.Viewing) (ack protocol.Ack, err error) {
	return ack, c.ask(ctx, m.ID, m, &ack)
}

// Watchlist asks for a place on the watchlist.
func (c *Client) Watchlist(ctx context.Context, m protocol.Watchlist) (ack protocol.Ack, err error) {
	return ack, c.ask(ctx, m.ID, m, &ack)
}

// List asks for a list.
func (c *Client) List(ctx context.Context, m protocol.List) (ack protocol.Ack, err error) {
	return ack, c.ask(ctx, m.ID, m, &ack)
}

// Done is closed when the socket is.
func (c *Client) Done() <-chan struct{} { return c.done }

// Close hangs up.
func (c *Client) Close() error {
	err := c.conn.Close()
	<-c.done
	return err
}

// ask sends a message and reads the answer of that id into answer.
func (c *Client) ask(ctx context.Context, id string, m protocol.Message, answer any) error {
	frame, err := protocol.Encode(m)
	if err != nil {
		return err
	}
	answered := make(chan []byte, 1)
	c.mu.Lock()
	c.waiting[id] = answered
	c.mu.Unlock()
	c.writing.Lock()
	err = c.conn.WriteMessage(websocket.TextMessage, frame)
	c.writing.Unlock()
	if err != nil {
		return err
	}
	select {
	case frame = <-answered:
	case <-ctx.Done():
		return ctx.Err()
	case <-c.done:
		select {
		case frame = <-answered: // it came just before the end
		default:
			return c.err
		}
	}
	var refusal struct {
		Type string
		protocol.Error
	}
	if err := json.Unmarshal(frame, &refusal); err != nil {
		return err
	}
	if refusal.Type == "error" {
		return &refusal.Error
	}
	return json.Unmarshal(frame, answer)
}

func (c *Client) read() {
	defer close(c.done)
	for {
		_, frame, err := c.conn.ReadMessage()
		var head struct{ ID string }
		if err == nil {
			err = json.Unmarshal(frame, &head)
		}
		if err != nil {
			c.err = err
			return
		}
		c.mu.Lock()
		if answered, ok := c.waiting[head.ID]; ok {
			delete(c.waiting, head.ID)
			answered <- frame
		}
		c.mu.Unlock()
	}
}
