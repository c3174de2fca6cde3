// Package pipetest provides a listener without a network, for tests in a bubble of testing/synctest.
package pipetest

import (
	"context"
	"errors"
	"net"
	"sync"
)

// Pipe is a listener without a network, for tests in a bubble of testing/synctest: a real socket would stop the
// bubble's clock. It accepts the connections that [Pipe.Dial] opens; a write blocks until it is read.
type Pipe struct {
	conns chan net.Conn
	done  chan struct{}
	close func()
}

// Listen returns a listener that accepts until it is closed.
func Listen() *Pipe {
	l := &Pipe{conns: make(chan net.Conn), done: make(chan struct{})}
	l.close = sync.OnceFunc(func() { close(l.done) })
	return l
}

// Accept implements [net.Listener]; after Close the error is [net.ErrClosed].
func (l *Pipe) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener]. It may be called more than once.
func (l *Pipe) Close() error { l.close(); return nil }

// Addr implements [net.Listener]: a loopback address that no other listener uses.
func (l *Pipe) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 43456} }

// Dial opens a connection; network and address are ignored. The error is [net.ErrClosed] if the listener is
// closed, or ctx is canceled, before it accepts.
func (l *Pipe) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.done:
	case <-ctx.Done():
	}
	return nil, errors.Join(net.ErrClosed, client.Close(), server.Close())
}
