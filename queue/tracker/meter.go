package tracker

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"sync"
	"sync/atomic"
)

var errSealed = errors.New("connection is sealed")

// meter is a connection that counts what leaves through it, below TLS. Its
// count is the only proof that a request did not leave: error types and trace
// hooks also fire when everything did.
type meter struct {
	net.Conn // the interface only: a shortcut such as ReadFrom would pass the count by

	mu     sync.Mutex
	out    int64 // bytes that left, or may have
	sealed bool
}

// Write counts under the lock, so that no byte leaves after seal has read
// the count.
func (m *meter) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sealed {
		return 0, errSealed
	}
	n, err := m.Conn.Write(p)
	if errors.Is(err, net.ErrClosed) || errors.Is(err, os.ErrDeadlineExceeded) {
		m.out += int64(len(p)) // broken off half-way: not every system says how far it came
		return n, err
	}
	m.out += int64(n)
	return n, err
}

// seal ends the connection for good: when it returns, no further byte leaves.
func (m *meter) seal() {
	m.Conn.Close() // first, for it frees a Write that holds the lock
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sealed = true
}

// sent is how many bytes left, or may have, since the connection was made.
func (m *meter) sent() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.out
}

// meterOf finds the meter under the layers of TLS; nil when there is none.
func meterOf(c net.Conn) *meter {
	for {
		switch t := c.(type) {
		case *meter:
			return t
		case interface{ NetConn() net.Conn }:
			c = t.NetConn()
		default:
			return nil
		}
	}
}

// line is the connection that one request got. Trace hooks may fire on other
// goroutines, hence the atomics.
type line struct {
	got  atomic.Bool
	wire atomic.Pointer[span]
}

// span is a connection from the moment on when a request got it. The count is
// the request's own: once its answer ends, the connection may be another's
// before anybody asks.
type span struct {
	meter *meter
	from  int64 // what the meter showed
}

// left reports whether the request left whole, or may have: whether at least
// need bytes went out. A "no" is final, for it seals.
func (s span) left(need int64) bool {
	if s.meter.sent()-s.from >= need {
		return true
	}
	s.meter.seal()
	return s.meter.sent()-s.from >= need
}

func (l *line) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		l.got.Store(true)
		if m := meterOf(info.Conn); m != nil {
			l.wire.Store(&span{meter: m, from: m.sent()})
		}
	}}
}

func (l *line) seal() {
	if s := l.wire.Load(); s != nil {
		s.meter.seal()
	}
}

// left reports whether the request left whole, or may have. Without a
// connection nothing was written; of one without a meter nothing is known.
func (l *line) left(need int64) bool {
	if s := l.wire.Load(); s != nil {
		return s.left(need)
	}
	return l.got.Load()
}

// once is a body that is read one time. It is a type of our own because the
// transport repeats a POST by itself when it knows how to make the body anew;
// as a side effect the headers are flushed apart from the body, which lets
// the meter see more.
type once struct{ rest []byte }

func (o *once) Read(p []byte) (int, error) {
	if len(o.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, o.rest)
	o.rest = o.rest[n:]
	return n, nil
}

func (o *once) Close() error { return nil }

// tlsRecord is the least that TLS 1.2 and 1.3 add to what they carry: the
// header of one record and its tag.
const tlsRecord = 5 + 16

// wireLength is the least number of bytes that r takes on the wire: its exact
// length in plain text, a lower bound under TLS. It is 0, which proves
// nothing, when the length cannot be told.
func wireLength(r *http.Request, body []byte) int64 {
	twin := r.Clone(context.Background()) // without the hooks of r
	if r.Body != nil {
		twin.Body = &once{rest: body}
	}
	var n counter
	if err := twin.Write(&n); err != nil {
		return 0
	}
	if r.URL.Scheme == "https" {
		n += tlsRecord
	}
	return int64(n)
}

// counter is a writer that keeps the length only.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
