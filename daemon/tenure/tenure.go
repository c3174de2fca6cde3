// Package tenure owns what outlives a change of the configuration: the state folder's
// lock, the listener and the token of the control API.
//
// The program takes a new configuration in by an instance that follows the one before.
// Tenure promises that whoever knows us finds us where we were, and knows us again. Who
// knocks between two instances waits for the next. A configuration with which none can
// begin gives way to the one before.
//
// It refuses to know what a configuration is.
package tenure

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/filmspool/filmspool/queue/sqlite"
)

// Tenure is what instances made of C have one after the other. The zero value has
// nothing yet.
type Tenure[C any] struct {
	lock      *sqlite.Lock
	token     string
	listeners []net.Listener
	address   string // as the configuration has it

	changing sync.Mutex // held while somebody changes the configuration

	mu      sync.Mutex
	good    *C     // what the last instance was made of that could be used
	next    *C     // what the next one is to be made of
	trial   bool   // the instance is made of something new, and cannot be used yet
	problem string // why the last change was not taken in
}

// Hold locks a folder, waiting so long for it. It reports whether it was not held
// before; the errors are those of [sqlite.AwaitLock].
func (t *Tenure[C]) Hold(ctx context.Context, folder string, patience time.Duration) (fresh bool, err error) {
	if t.lock != nil {
		return false, nil
	}
	t.lock, err = sqlite.AwaitLock(ctx, folder, patience)
	return err == nil, err
}

// Token is the token of the control API.
func (t *Tenure[C]) Token() string {
	if t.token == "" {
		t.token = rand.Text()
	}
	return t.token
}

// Listen opens the listeners for an address, or gives those that were open for it.
// Closing them lets nobody in any more, and keeps the port.
func (t *Tenure[C]) Listen(address string, open func() ([]net.Listener, error)) (all []net.Listener, err error) {
	if t.listeners != nil && t.address != address {
		if err := t.leave(); err != nil {
			return nil, fmt.Errorf("leave %s: %w", t.address, err)
		}
	}
	if t.listeners == nil {
		if t.listeners, err = open(); err != nil {
			return nil, err
		}
		t.address = address
	}
	for _, l := range t.listeners {
		if tcp, ok := l.(*net.TCPListener); ok {
			l, err = resting{tcp}, errors.Join(err, tcp.SetDeadline(time.Time{}))
		}
		all = append(all, l)
	}
	return all, err
}

// leave closes the listeners.
func (t *Tenure[C]) leave() (err error) {
	for _, l := range t.listeners {
		err = errors.Join(err, l.Close())
	}
	t.listeners = nil
	return err
}

// resting is a listener that is only stopped when it is closed.
type resting struct{ *net.TCPListener }

// Accept implements [net.Listener]. It may still let somebody in when it is closed
// already, but nobody after its first error.
func (l resting) Accept() (net.Conn, error) {
	conn, err := l.TCPListener.Accept()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, net.ErrClosed
	}
	return conn, err
}

// Close implements [net.Listener].
func (l resting) Close() error { return l.SetDeadline(time.Unix(1, 0)) }

// Begin says that an instance made of c can be used. It reports whether one could
// before.
func (t *Tenure[C]) Begin(c *C) (again bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	again = t.good != nil
	if t.trial {
		t.problem = ""
	}
	t.good, t.trial = c, false
	return again
}

// Began reports whether an instance could be used.
func (t *Tenure[C]) Began() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.good != nil
}

// Change waits until nobody else changes the configuration, and has others wait until
// done is called.
func (t *Tenure[C]) Change() (done func()) {
	t.changing.Lock()
	return t.changing.Unlock
}

// Follow says what the next instance is made of.
func (t *Tenure[C]) Follow(c *C) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next = c
}

// Follows reports whether Follow was called.
func (t *Tenure[C]) Follows() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.next != nil
}

// End says that an instance has ended so. It returns what the next one is made of; nil
// when that is the same.
func (t *Tenure[C]) End(err error) (next *C) {
	t.mu.Lock()
	defer t.mu.Unlock()
	next, t.next = t.next, nil
	switch {
	case next != nil:
		t.trial = true
	case err != nil && t.trial:
		next, t.trial, t.problem = t.good, false, err.Error()
	}
	return next
}

// Complain keeps why a change was not taken in; "" takes that back.
func (t *Tenure[C]) Complain(problem string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.problem = problem
}

// Problem is why the last change was not taken in; "" when it was.
func (t *Tenure[C]) Problem() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.problem
}

// Close gives everything back.
func (t *Tenure[C]) Close() error {
	faults := []error{t.leave()}
	if t.lock != nil {
		faults = append(faults, t.lock.Release())
	}
	t.lock = nil
	return errors.Join(faults...)
}
