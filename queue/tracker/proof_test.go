package tracker

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func discardLog() *log.Logger { return log.New(io.Discard, "", 0) }

// closedPort is a reserved port; a port that was just closed may be reused by another process.
const closedPort = "127.0.0.1:1"

func TestOfflineWithoutConnection(t *testing.T) {
	untrusted := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the request arrived") }))
	untrusted.Config.ErrorLog = discardLog()
	untrusted.StartTLS()
	defer untrusted.Close()
	tests := map[string]struct {
		base string
		dial dialer
		code string
	}{
		"connection refused": {base: "http://" + closedPort + "/api/v1"},
		"name":               {dial: failing(&net.DNSError{Err: "no such host", Name: "tracker.example", IsNotFound: true}), code: "noName"},
		"route":              {dial: failing(&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ENETUNREACH})},
		"not trusted":        {base: untrusted.URL + "/api/v1", dial: new(net.Dialer).DialContext},
		// After a connection these errors would be in doubt.
		"reset in connecting":   {dial: failing(&net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET})},
		"end of file":           {dial: failing(io.EOF)},
		"away from the machine": {base: "http://localhost/api/v1", dial: dialFarAway, code: "onlyHTTPS"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.base == "" {
				tt.base = "https://tracker.example/api/v1"
			}
			c := newTestClient(t, Options{BaseURL: tt.base, Proven: true}, tt.dial)
			c.transport.Proxy = nil
			v := c.Send(context.Background(), requests()[History])
			if v.Outcome != Offline || v.Status != 0 || v.Problem.Cause == nil || tt.code != "" && v.Problem.Cause.Code != tt.code {
				t.Errorf("%+v", v)
			}
		})
	}
}

func failing(err error) dialer {
	return func(context.Context, string, string) (net.Conn, error) { return nil, err }
}

// dialFarAway connects to another machine, as if a local name had resolved to it.
func dialFarAway(context.Context, string, string) (net.Conn, error) {
	a, b := net.Pipe()
	b.Close()
	return &farConn{a}, nil
}

type farConn struct{ net.Conn }

func (*farConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(203, 0, 113, 7), Port: 80} }

// pipeServer serves connections inside this process, so that synctest's clock applies to
// both ends.
func pipeServer(serve func(far net.Conn)) dialer {
	return func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go serve(far)
		return near, nil
	}
}

// readRequest reads one request with its body.
func readRequest(in *bufio.Reader) bool {
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
		readRequest(bufio.NewReader(far))
		io.Copy(io.Discard, far)
	})
	half := pipeServer(func(far net.Conn) {
		readRequest(bufio.NewReader(far))
		io.WriteString(far, "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{\"succ")
		io.Copy(io.Discard, far)
	})
	tests := map[string]struct {
		dial dialer
		want Outcome
	}{
		"before a connection": {stuck, Offline},
		"after the body":      {silent, InDoubt},
		"within the answer":   {half, InDoubt},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newTestClient(t, Options{BaseURL: "http://localhost/api/v1", Timeout: 10 * time.Second, Proven: true}, tt.dial)
				start := time.Now()
				v := c.Send(t.Context(), requests()[History])
				if v.Outcome != tt.want || time.Since(start) != 10*time.Second {
					t.Errorf("after %s: %+v", time.Since(start), v)
				}
			})
		})
	}
}

func TestProxyRefusalIsOffline(t *testing.T) {
	for name, status := range map[string]string{"forbidden": "403 Forbidden", "login": "407 Proxy Authentication Required", "down": "502 Bad Gateway"} {
		t.Run(name, func(t *testing.T) {
			p := newRawServer(t, func(_ int, w net.Conn, _ *http.Request) { respond(w, status, "", ""); w.Close() })
			c := newTestClient(t, Options{BaseURL: "https://tracker.example/api/v1", Proven: true}, nil)
			c.transport.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: p.listener.Addr().String(), User: url.UserPassword("u", "hunter2")})
			v := c.Send(context.Background(), requests()[History])
			if v.Outcome != Offline || v.Problem.Cause.Code != "proxyRefuses" || strings.Contains(fmt.Sprint(v), "hunter2") {
				t.Errorf("%+v", v)
			}
			for _, r := range p.receivedRequests() {
				if r.Method != "CONNECT" || r.Header.Get("X-Api-Key") != "" {
					t.Errorf("the proxy got %s %v", r.Method, r.Header)
				}
			}
		})
	}
}
