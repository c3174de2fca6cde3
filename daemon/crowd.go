package daemon

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// What bounds strangers: whoever can reach the port can open connections.
const (
	// maxConnections is far above what browsers and the command line open. Each
	// costs a goroutine and some ten KiB.
	maxConnections = 256
	// strangerWait is how long a request may take to come, and its answer to be
	// taken, before anything is known of who asks.
	strangerWait = 15 * time.Second
)

// crowd is a listener that lets in so many connections at once and hangs up
// on the rest. To let them wait instead would keep everybody out, for as long
// as those inside please.
type crowd struct {
	net.Listener
	places chan struct{}
}

func newCrowd(l net.Listener, most int) *crowd {
	return &crowd{Listener: l, places: make(chan struct{}, most)}
}

// Accept implements [net.Listener].
func (c *crowd) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case c.places <- struct{}{}:
			return &guest{Conn: conn, leave: sync.OnceFunc(func() { <-c.places })}, nil
		default:
			_ = conn.Close() // nobody was promised anything
		}
	}
}

// guest is a connection that gives its place back when it is closed.
type guest struct {
	net.Conn
	leave func()
}

// Close implements [net.Conn].
func (g *guest) Close() error {
	defer g.leave()
	return g.Conn.Close()
}

// CloseWrite is what a socket needs for an orderly end.
func (g *guest) CloseWrite() error {
	if half, ok := g.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// impatient bounds how long a request and its answer may take. A socket frees
// itself of that when it takes the connection over.
func impatient(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		// A request without a body has been read: a deadline would only end its context.
		if r.ContentLength != 0 {
			_ = control.SetReadDeadline(time.Now().Add(strangerWait)) // of a connection: cannot fail
		}
		_ = control.SetWriteDeadline(time.Now().Add(strangerWait))
		next.ServeHTTP(w, r)
	})
}

// patient undoes impatient for those who are known: an import or an export of
// the queue takes its time.
func patient(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(time.Time{})
		_ = control.SetWriteDeadline(time.Time{})
		next.ServeHTTP(w, r)
	})
}
