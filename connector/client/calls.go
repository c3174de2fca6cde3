package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/gorilla/websocket"

	"github.com/filmspool/filmspool/connector/protocol"
)

// answered is the answer of the type that belongs to a question.
func answered[M protocol.Message](m protocol.Message, err error) (M, error) {
	var none M
	if err != nil {
		return none, err
	}
	got, ok := m.(M)
	if !ok {
		return none, fmt.Errorf("%w: %s", ErrDialect, m.Type())
	}
	return got, nil
}

// Welcome is the daemon's last welcome.
func (c *Client) Welcome() protocol.Welcome {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.welcome
}

// Pair exchanges the code the user has read for a client id and a token. The
// socket is paired from then on.
func (c *Client) Pair(ctx context.Context, code, label string) (clientID, token string, err error) {
	id := rand.Text()
	paired, err := answered[protocol.Paired](c.ask(ctx, id, protocol.Pair{ID: id, Code: code, Label: label}))
	return paired.ClientID, paired.Token, err
}

// Viewing reports a playback and waits until it is on disk.
func (c *Client) Viewing(ctx context.Context, m protocol.Viewing) (protocol.Ack, error) {
	return answered[protocol.Ack](c.ask(ctx, m.ID, m))
}

// Watchlist sends a wish and waits until it is on disk.
func (c *Client) Watchlist(ctx context.Context, m protocol.Watchlist) (protocol.Ack, error) {
	return answered[protocol.Ack](c.ask(ctx, m.ID, m))
}

// List asks for a list and waits until that is on disk.
func (c *Client) List(ctx context.Context, m protocol.List) (protocol.Ack, error) {
	return answered[protocol.Ack](c.ask(ctx, m.ID, m))
}

// Status asks for the daemon's status.
func (c *Client) Status(ctx context.Context) (protocol.Status, error) {
	id := rand.Text()
	return answered[protocol.Status](c.ask(ctx, id, protocol.StatusRequest{ID: id}))
}

// Pushed delivers the statuses that the daemon sends by itself; only the
// latest waits to be taken.
func (c *Client) Pushed() <-chan protocol.Status { return c.pushed }

// Done is closed when the socket is.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err is why the socket is closed: a [*ClosedError] or [ErrDialect]. It is
// nil while it is open.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close says goodbye, closes the socket and waits until nothing of the client
// runs any more.
func (c *Client) Close() error {
	frame := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	// A socket that is closed already takes no close frame; either way it ends here.
	_ = c.conn.WriteControl(websocket.CloseMessage, frame, time.Now().Add(time.Second))
	err := c.conn.Close()
	c.reading.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
