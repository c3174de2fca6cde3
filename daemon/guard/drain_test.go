package guard_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/daemon/guard"
)

// TestRefusalReachesOneWhoWritesFirst: a client that reads only once its whole
// body is written gets the answer, and no reset in its place.
func TestRefusalReachesOneWhoWritesFirst(t *testing.T) {
	routes := map[string]http.HandlerFunc{
		"unread": func(w http.ResponseWriter, _ *http.Request) { guard.Refuse(w, 401, guard.CodeToken, "no") },
		"closed": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "close")
			guard.Refuse(w, 401, guard.CodeToken, "no")
		},
		"too large": func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
			if _, err := io.ReadAll(r.Body); err != nil {
				guard.Refuse(w, 413, guard.CodeToken, "no")
			}
		},
	}
	for name, route := range routes {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(guard.Drain(route))
			defer server.Close()
			c, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if err := c.(*net.TCPConn).SetWriteBuffer(8 << 10); err != nil { // so that the server has to read
				t.Fatal(err)
			}
			const size = 900 << 10
			if _, err := fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s", size, strings.Repeat(" ", size)); err != nil {
				t.Fatalf("the body could not be sent whole: %v", err)
			}
			answer, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatalf("no answer: %v", err)
			}
			defer answer.Body.Close()
			if text, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode < 400 || !strings.Contains(string(text), "no") {
				t.Errorf("%d %s, %v", answer.StatusCode, text, err)
			}
		})
	}
}
