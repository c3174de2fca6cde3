package sandbox

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestTooLargeIsAnsweredToOneWhoWritesFirst: a client that reads only once its
// whole body is written gets the answer, and no reset in its place.
func TestTooLargeIsAnsweredToOneWhoWritesFirst(t *testing.T) {
	s, err := Open(t.Context(), options(t))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	for _, path := range []string{"/api/v1/history", controlPrefix + "faults"} {
		for _, size := range []int{maxBody + 1, 300 << 10, maxDrained - 4096} {
			for _, chunked := range []bool{false, true} {
				t.Run(fmt.Sprint(path, " ", size, " chunked ", chunked), func(t *testing.T) {
					if status := writeFirst(t, server.Listener.Addr(), path, s.SecretKey(), size, chunked); status != 413 {
						t.Fatalf("answered %d, want 413", status)
					}
				})
			}
		}
	}
}

// writeFirst sends a whole request and then reads the answer.
func writeFirst(t *testing.T, to net.Addr, path, key string, size int, chunked bool) (status int) {
	t.Helper()
	c, err := net.Dial(to.Network(), to.String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.(*net.TCPConn).SetWriteBuffer(8 << 10); err != nil { // so that the server has to read
		t.Fatal(err)
	}
	framing, before, after := fmt.Sprintf("Content-Length: %d", size), "", ""
	if chunked {
		framing, before, after = "Transfer-Encoding: chunked", fmt.Sprintf("%x\r\n", size), "\r\n0\r\n\r\n"
	}
	body := make([]byte, size)
	for i := range body {
		body[i] = ' '
	}
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: %s\r\nContent-Type: application/json\r\n%s\r\n\r\n%s", path, key, framing, before)
	if _, err := io.WriteString(c, head+string(body)+after); err != nil {
		t.Fatalf("the body could not be sent whole: %v", err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	defer answer.Body.Close()
	if _, err := io.ReadAll(answer.Body); err != nil {
		t.Fatalf("the answer was cut: %v", err)
	}
	return answer.StatusCode
}
