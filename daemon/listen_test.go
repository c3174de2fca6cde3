package daemon

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
)

// A program that writes its whole request before it reads sees why it is
// refused: the connection is not reset under it.
func TestRefusalOfALongRequestIsSeen(t *testing.T) {
	b := besiege(t, nil)
	c, err := net.Dial("tcp", b.address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.(*net.TCPConn).SetWriteBuffer(8 << 10); err != nil { // so that the daemon has to read
		t.Fatal(err)
	}
	const size = 900 << 10
	if _, err := fmt.Fprintf(c, "POST /v1/control/add HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", b.address, size, strings.Repeat(" ", size)); err != nil {
		t.Fatalf("the request could not be sent whole: %v", err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("%s, want 401", answer.Status)
	}
}
