package guard

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// What bounds strangers: whoever can reach the port can open connections.
const (
	// MaxConnections is far above what browsers and the command line open. Each
	// costs a goroutine and some ten KiB.
	MaxConnections = 256
	// StrangerWait is how long a request may take to come, and its answer to be
	// taken, before anything is known of who asks.
	StrangerWait = 15 * time.Second
)

// crowd is a listener that lets in so many connections at once. When all places
// are taken, the stranger who came first goes: to let the new one wait would keep
// everybody out, for as long as those inside please. Who is known keeps the place.
type crowd struct {
	net.Listener
	most int

	mu        sync.Mutex
	inside    int
	strangers list.List // of *guest, the oldest first
}

// NewCrowd is a listener that lets in so many connections at once.
func NewCrowd(l net.Listener, most int) net.Listener { return &crowd{Listener: l, most: most} }

// Accept implements [net.Listener].
func (c *crowd) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		g, out := c.admit(conn)
		if out != nil {
			_ = out.Close() // nobody was promised anything
		}
		if g != nil {
			return g, nil
		}
	}
}

// admit gives a connection a place, if there is one or can be. out is who has
// to go for that: a stranger, or the connection itself.
func (c *crowd) admit(conn net.Conn) (g *guest, out net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inside >= c.most {
		oldest := c.strangers.Front()
		if oldest == nil {
			return nil, conn
		}
		victim := oldest.Value.(*guest)
		c.drop(victim)
		out = victim.Conn
	}
	g = &guest{Conn: conn, crowd: c}
	g.place = c.strangers.PushBack(g)
	c.inside++
	return g, out
}

// drop takes a guest's place back, once; mu is held.
func (c *crowd) drop(g *guest) {
	if g.gone {
		return
	}
	g.gone = true
	c.inside--
	if g.place != nil {
		c.strangers.Remove(g.place)
		g.place = nil
	}
}

// guest is a connection that gives its place back when it is closed.
type guest struct {
	net.Conn
	crowd *crowd
	gone  bool          // its place is another's
	place *list.Element // among the strangers; nil when it is known
}

// known keeps the guest's place for it.
func (g *guest) known() {
	g.crowd.mu.Lock()
	defer g.crowd.mu.Unlock()
	if g.place != nil {
		g.crowd.strangers.Remove(g.place)
		g.place = nil
	}
}

// guestKey finds a request's [guest] in its context.
type guestKey struct{}

// WithGuest is the ConnContext of a server on such a listener.
func WithGuest(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, guestKey{}, conn)
}

// Welcome keeps the place of whoever has shown a good token.
func Welcome(r *http.Request) {
	if g, ok := r.Context().Value(guestKey{}).(*guest); ok {
		g.known()
	}
}

// Close implements [net.Conn].
func (g *guest) Close() error {
	g.crowd.mu.Lock()
	g.crowd.drop(g)
	g.crowd.mu.Unlock()
	return g.Conn.Close()
}

// CloseWrite is what a socket needs for an orderly end.
func (g *guest) CloseWrite() error {
	if half, ok := g.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Impatient bounds how long a request and its answer may take. A socket frees
// itself of that when it takes the connection over.
func Impatient(wait time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		// A request without a body has been read: a deadline would only end its context.
		if r.ContentLength != 0 {
			_ = control.SetReadDeadline(time.Now().Add(wait)) // of a connection: cannot fail
		}
		_ = control.SetWriteDeadline(time.Now().Add(wait))
		next.ServeHTTP(w, r)
	})
}

// Patient undoes Impatient for those who are known: an import or an export of
// the queue takes its time. Their connection keeps its place.
func Patient(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Welcome(r)
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(time.Time{})
		_ = control.SetWriteDeadline(time.Time{})
		next.ServeHTTP(w, r)
	})
}
