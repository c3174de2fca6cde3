package v1

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/queue/tracker"
)

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// choke is a connection that takes a number of bytes and then fails, as when
// the other side is gone. Below nothing it takes all.
type choke struct {
	net.Conn
	room atomic.Int64
}

func (c *choke) Write(p []byte) (int, error) {
	room := c.room.Load()
	if room < 0 {
		return c.Conn.Write(p)
	}
	fits := min(int(room), len(p))
	n, err := c.Conn.Write(p[:fits])
	c.room.Add(-int64(n))
	if err == nil && fits < len(p) {
		err = &net.OpError{Op: "write", Net: "tcp", Err: syscall.ECONNRESET}
	}
	return n, err
}

// nobodyListens there: the port is reserved, while one that was just closed may be another's.
const nobodyListens = "127.0.0.1:1"

func TestNotSentWithoutConnection(t *testing.T) {
	tests := map[string]struct {
		base string
		dial dialer
		says string
	}{
		"connection refused": {base: "http://" + nobodyListens + "/api/v1"},
		"name":               {dial: failing(&net.DNSError{Err: "no such host", Name: "tracker.example", IsNotFound: true}), says: "tracker.example cannot be looked up"},
		"route":              {dial: failing(&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ENETUNREACH})},
		// Such an error after the request left would be in doubt: only the bytes tell.
		"reset in connecting":   {dial: failing(&net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET})},
		"end of file":           {dial: failing(io.EOF)},
		"away from the machine": {base: "http://localhost/api/v1", dial: elsewhere, says: "away from this machine"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.base == "" {
				tt.base = "https://tracker.example/api/v1"
			}
			c := newTestClient(t, Options{BaseURL: tt.base, Proven: true}, tt.dial)
			c.transport.Proxy = nil
			v := c.Send(context.Background(), requests()[tracker.History])
			if v.Fate != tracker.Offline || v.Sent || v.Status != 0 || !strings.Contains(v.Problem, tt.says) {
				t.Errorf("%+v", v)
			}
		})
	}
}

func failing(err error) dialer {
	return func(context.Context, string, string) (net.Conn, error) { return nil, err }
}

// elsewhere pretends that a local name led to another machine.
func elsewhere(context.Context, string, string) (net.Conn, error) {
	a, b := net.Pipe()
	b.Close()
	return &farConn{a}, nil
}

type farConn struct{ net.Conn }

func (*farConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(203, 0, 113, 7), Port: 80} }

// TestOnlyBytesProve lets a connection fail after each number of bytes that
// matters: one byte short is proof, the whole is doubt.
func TestOnlyBytesProve(t *testing.T) {
	r := requests()[tracker.History]
	body := bodyOf(t, r)
	probe := newTestClient(t, Options{BaseURL: "http://localhost/api/v1"}, nil)
	req, err := probe.request(context.Background(), call{op: tracker.History, body: body, key: testKey})
	if err != nil {
		t.Fatal(err)
	}
	need := wireLength(req, body)
	for room, want := range map[int64]tracker.Fate{0: tracker.Offline, 1: tracker.Offline, need - int64(len(body)): tracker.Offline, need - 1: tracker.Offline, need: tracker.InDoubt} {
		var ended sync.WaitGroup
		dial := func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			ended.Go(func() {
				io.CopyN(io.Discard, far, need) // until the whole is there or the sender gives up
				far.Close()
			})
			c := &choke{Conn: near}
			c.room.Store(room)
			return c, nil
		}
		c := newTestClient(t, Options{BaseURL: "http://localhost/api/v1"}, dial)
		if v := c.Send(context.Background(), r); v.Fate != want || v.Sent != (want == tracker.InDoubt) {
			t.Errorf("room for %d of %d bytes: %+v", room, need, v)
		}
		ended.Wait()
	}
}

func TestOnlyBytesProveUnderTLS(t *testing.T) {
	var handled atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err == nil {
			handled.Add(1)
		}
		panic(http.ErrAbortHandler) // no answer
	}))
	s.Config.ErrorLog = quiet()
	s.StartTLS()
	defer s.Close()
	for room, want := range map[int64]tracker.Fate{0: tracker.Offline, 5: tracker.Offline, 60: tracker.Offline, -1: tracker.InDoubt} {
		handled.Store(0)
		var wire atomic.Pointer[choke]
		c := trusting(newTestClient(t, Options{BaseURL: s.URL + "/api/v1"}, func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			ch := &choke{Conn: conn}
			ch.room.Store(-1)
			wire.Store(ch)
			return ch, nil
		}), s)
		// The handshake passes; the request finds the room there is.
		ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { wire.Load().room.Store(room) }})
		v := c.Send(ctx, requests()[tracker.History])
		if v.Fate != want || v.Sent != (want == tracker.InDoubt) {
			t.Errorf("room for %d bytes: %+v", room, v)
		}
		if got := handled.Load(); (got == 1) != (want == tracker.InDoubt) {
			t.Errorf("room for %d bytes: handled %d times", room, got)
		}
	}
}

func TestTLSFailureIsOffline(t *testing.T) {
	handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the request arrived") })
	untrusted := httptest.NewUnstartedServer(handler)
	untrusted.Config.ErrorLog = quiet()
	untrusted.StartTLS()
	defer untrusted.Close()
	plain := newRawServer(t, func(_ int, w net.Conn, _ *http.Request) { w.Close() })
	closing := newClosing(t)
	for name, base := range map[string]string{
		"certificate": untrusted.URL,
		"no TLS":      "https://" + plain.listener.Addr().String(),
		"closed":      "https://" + closing,
	} {
		t.Run(name, func(t *testing.T) {
			c := newTestClient(t, Options{BaseURL: base + "/api/v1"}, nil)
			if v := c.Send(context.Background(), requests()[tracker.Lists]); v.Fate != tracker.Offline || v.Sent {
				t.Errorf("%+v", v)
			}
		})
	}
}

// newClosing is a listener that closes every connection without reading.
func newClosing(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	})
	t.Cleanup(func() { l.Close(); running.Wait() })
	return l.Addr().String()
}

// TestLateCertificateAlert: in TLS 1.3 the server's refusal of a client
// without certificate comes after the client's handshake is over. What the
// bytes say is the fate, whichever came first; it is never an answer.
func TestLateCertificateAlert(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the request arrived") }))
	s.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS13}
	s.Config.ErrorLog = quiet()
	s.StartTLS()
	defer s.Close()
	c := trusting(newTestClient(t, Options{BaseURL: s.URL + "/api/v1"}, nil), s)
	v := c.Send(context.Background(), requests()[tracker.History])
	if v.Sent != (v.Fate == tracker.InDoubt) || v.Fate != tracker.InDoubt && v.Fate != tracker.Offline {
		t.Errorf("%+v", v)
	}
}

// pipeServer answers connections inside this process, so that a clock of
// synctest's governs both ends.
func pipeServer(serve func(far net.Conn)) dialer {
	return func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go serve(far)
		return near, nil
	}
}

// readWhole reads one whole request from in.
func readWhole(in *bufio.Reader) bool {
	r, err := http.ReadRequest(in)
	if err == nil {
		_, err = io.ReadAll(r.Body)
	}
	return err == nil
}

func TestTimeOut(t *testing.T) {
	stuck := func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	silent := pipeServer(func(far net.Conn) {
		readWhole(bufio.NewReader(far))
		io.Copy(io.Discard, far)
	})
	half := pipeServer(func(far net.Conn) {
		readWhole(bufio.NewReader(far))
		io.WriteString(far, "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{\"succ")
		io.Copy(io.Discard, far)
	})
	tests := map[string]struct {
		dial dialer
		want tracker.Fate
	}{
		"before a connection": {stuck, tracker.Offline},
		"after the body":      {silent, tracker.InDoubt},
		"within the answer":   {half, tracker.InDoubt},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newTestClient(t, Options{BaseURL: "http://localhost/api/v1", Timeout: 10 * time.Second, Proven: true}, tt.dial)
				start := time.Now()
				v := c.Send(t.Context(), requests()[tracker.History])
				if v.Fate != tt.want || v.Sent != (tt.want == tracker.InDoubt) || time.Since(start) != 10*time.Second {
					t.Errorf("after %s: %+v", time.Since(start), v)
				}
			})
		})
	}
}

// TestStoppingIsNoFateOfItsOwn: when the caller's context ends, the bytes
// decide as ever.
func TestStoppingIsNoFateOfItsOwn(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := newRawServer(t, func(_ int, w net.Conn, _ *http.Request) {
		cancel()
		io.Copy(io.Discard, w)
	})
	c := newTestClient(t, Options{BaseURL: s.url()}, nil)
	if v := c.Send(ctx, requests()[tracker.History]); v.Fate != tracker.InDoubt || !v.Sent {
		t.Errorf("%+v", v)
	}
	if v := c.Send(ctx, requests()[tracker.History]); v.Fate != tracker.Offline || v.Sent {
		t.Errorf("%+v", v)
	}
	if n, _ := s.counts(); n != 1 {
		t.Errorf("%d requests", n)
	}
}

func TestIdleConnectionsCloseAfterTwoSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed := make(chan time.Time, 1)
		c := newTestClient(t, Options{BaseURL: "http://localhost/api/v1"}, pipeServer(func(far net.Conn) {
			in := bufio.NewReader(far)
			readWhole(in)
			respond(far, "200 OK", "", okBody)
			in.ReadByte()
			closed <- time.Now()
		}))
		if v := c.Send(t.Context(), requests()[tracker.History]); v.Fate != tracker.Delivered {
			t.Fatalf("%+v", v)
		}
		start := time.Now()
		if idle := (<-closed).Sub(start); idle != 2*time.Second {
			t.Errorf("closed after %s", idle)
		}
	})
}

func TestProxyRefusalIsOffline(t *testing.T) {
	for name, status := range map[string]string{"forbidden": "403 Forbidden", "login": "407 Proxy Authentication Required", "down": "502 Bad Gateway"} {
		t.Run(name, func(t *testing.T) {
			p := newRawServer(t, func(_ int, w net.Conn, _ *http.Request) { respond(w, status, "", ""); w.Close() })
			c := newTestClient(t, Options{BaseURL: "https://tracker.example/api/v1", Proven: true}, nil)
			c.transport.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: p.listener.Addr().String(), User: url.UserPassword("u", "hunter2")})
			v := c.Send(context.Background(), requests()[tracker.History])
			if v.Fate != tracker.Offline || v.Sent || !strings.Contains(v.Problem, "proxy") || strings.Contains(v.Problem, "hunter2") {
				t.Errorf("%+v", v)
			}
			for _, r := range p.whole() {
				if r.Method != "CONNECT" || strings.Contains(headerText(r), testKey) {
					t.Errorf("the proxy got %s %v", r.Method, r.Header)
				}
			}
		})
	}
}

// TestBrokenProxySettingIsNoWayOut: with a proxy that cannot be understood
// nothing goes out past it. The environment is read once in a process, so that
// the test runs itself again.
func TestBrokenProxySettingIsNoWayOut(t *testing.T) {
	if os.Getenv("FILMSPOOL_TEST_PROXY") == "" {
		again := exec.Command(os.Args[0], "-test.run=^TestBrokenProxySettingIsNoWayOut$", "-test.v")
		again.Env = append(os.Environ(), "FILMSPOOL_TEST_PROXY=1", "HTTPS_PROXY=http://u:hunter2@%zz", "https_proxy=")
		if out, err := again.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	dialled := 0
	dial := func(context.Context, string, string) (net.Conn, error) {
		dialled++
		return nil, errors.New("no network in this test")
	}
	c, err := New(Options{BaseURL: "https://tracker.example/api/v1", Key: testKey, Proven: true, Dial: dial})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	v := c.Send(t.Context(), requests()[tracker.History])
	if v.Fate != tracker.Offline || v.Sent || dialled != 0 || !strings.Contains(v.Problem, "proxy") || strings.Contains(v.Problem, "hunter2") {
		t.Errorf("%+v after %d connections", v, dialled)
	}
}

func headerText(r *http.Request) string {
	var b strings.Builder
	r.Header.Write(&b)
	return b.String()
}

func TestSentThroughProxy(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, okBody)
	}))
	defer s.Close()
	c := trusting(newTestClient(t, Options{BaseURL: "https://example.com/api/v1"}, nil), s)
	p := newTunnel(t, s.Listener.Addr().String())
	c.transport.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: p})
	if v := c.Send(context.Background(), requests()[tracker.History]); v.Fate != tracker.Delivered || !v.Sent {
		t.Errorf("%+v", v)
	}
}

// newTunnel is a proxy that connects everything to target.
func newTunnel(t *testing.T, target string) string {
	t.Helper()
	s := newRawServer(t, func(_ int, w net.Conn, _ *http.Request) {
		far, err := net.Dial("tcp", target)
		if err != nil {
			t.Error(err)
			return
		}
		io.WriteString(w, "HTTP/1.1 200 OK\r\n\r\n")
		var both sync.WaitGroup
		both.Go(func() { io.Copy(far, w); far.(*net.TCPConn).CloseWrite() })
		both.Go(func() { io.Copy(w, far); w.Close() })
		both.Wait()
		far.Close()
	})
	return s.listener.Addr().String()
}

func TestSealedConnectionWritesNoMore(t *testing.T) {
	near, far := net.Pipe() // nobody reads: a Write blocks until the seal
	defer far.Close()
	m := &meter{Conn: near}
	stuck := make(chan error)
	go func() {
		_, err := m.Write([]byte("held up"))
		stuck <- err
	}()
	// The first byte arriving shows that the Write is under way.
	if _, err := io.ReadFull(far, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	m.seal()
	if err := <-stuck; err == nil {
		t.Error("the blocked write went through")
	}
	before := m.sent()
	if n, err := m.Write([]byte("more")); n != 0 || !errors.Is(err, errSealed) || m.sent() != before {
		t.Errorf("wrote %d, %v", n, err)
	}
}

func TestWriteBrokenOffCountsWhole(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	near.SetWriteDeadline(time.Unix(1, 0))
	m := &meter{Conn: near}
	m.Write([]byte("12345"))
	whole := span{meter: m}
	if whole.left(6) || !whole.left(5) {
		t.Errorf("count is %d: what a broken write may have moved must count", m.sent())
	}
}

// A connection is handed on as soon as its answer ends, which may be before
// the request that it answers asks whether it left.
func TestAConnectionThatIsHandedOnKeepsItsProof(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	go io.Copy(io.Discard, far)
	got := httptrace.GotConnInfo{Conn: &meter{Conn: near}}
	var first, second line
	first.trace().GotConn(got)
	if _, err := got.Conn.Write([]byte("a request")); err != nil {
		t.Fatal(err)
	}
	second.trace().GotConn(got)
	if !first.left(9) {
		t.Error("the first request is said not to have left, since a second one got its connection")
	}
	if second.left(1) {
		t.Error("the second request is said to have left with the bytes of the first")
	}
}
