package daemon

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/filmspool/filmspool/connector/connectortest"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/queue/entry"
)

const theExtension = "chrome-extension://emdhmgjgiheohhdbjhklpnhngnafihdg"

// runningDaemon is a running daemon as seen from its TCP port.
type runningDaemon struct {
	*testing.T
	d       *Daemon
	address string
}

// runDaemon runs a daemon until the test ends.
func runDaemon(t *testing.T, change func(*Options)) *runningDaemon {
	t.Helper()
	ready := make(chan string, 1)
	o := testOptions(t)
	o.Ready = func(address string) { ready <- address }
	if change != nil {
		change(&o)
	}
	d, _ := opened(t, o)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	select {
	case address := <-ready:
		return &runningDaemon{T: t, d: d, address: address}
	case err := <-ended:
		t.Fatalf("ended before it was ready: %v", err)
		return nil
	}
}

// browser returns a paired browser.
func (b *runningDaemon) browser() *connectortest.Client {
	b.Helper()
	c, err := connectortest.Dial(b.Context(), connectortest.Options{
		URL: "ws://" + b.address + "/v1/connector", Origin: theExtension, Info: protocol.ClientInfo{Name: "mine", Version: "1"},
	})
	must(b, err)
	b.Cleanup(func() { _ = c.Close() })
	if _, _, err := c.Pair(b.Context(), b.d.pairing.NewCode().Text, "mine"); err != nil {
		b.Fatal(err)
	}
	return c
}

// raw writes text to a new connection and returns the answer.
func (b *runningDaemon) raw(text string) string {
	conn, err := net.DialTimeout("tcp", b.address, 10*time.Second)
	if err != nil {
		return ""
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := conn.Write([]byte(text)); err != nil {
		return ""
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	return fmt.Sprintf("%d %s", answer.StatusCode, body)
}

// openSocket requests a websocket with an Origin and a Host header.
func (b *runningDaemon) openSocket(origin, host string) (*websocket.Conn, int) {
	header := http.Header{}
	if origin != "" {
		header["Origin"] = []string{origin}
	}
	if host != "" {
		header.Set("Host", host)
	}
	dialer := websocket.Dialer{Subprotocols: []string{protocol.Subprotocol}, HandshakeTimeout: 30 * time.Second}
	conn, answer, err := dialer.Dial("ws://"+b.address+"/v1/connector", header)
	if err != nil {
		if answer != nil {
			return nil, answer.StatusCode
		}
		return nil, 0
	}
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	_ = conn.SetWriteDeadline(time.Now().Add(10 * time.Second))
	return conn, answer.StatusCode
}

// unpaired is the Origin of an extension that is not paired.
const unpaired = "chrome-extension://abcdefghijklmnopabcdefghijklmnop"

// Pages, programs and requests with other host names get no websocket.
func TestForeignWebsocketsAreRefused(t *testing.T) {
	b := runDaemon(t, nil)
	_, port, _ := net.SplitHostPort(b.address)
	for name, c := range map[string]struct{ origin, host string }{
		"an https page":     {"https://evil.example", ""},
		"an http page":      {"http://evil.example", ""},
		"a local page":      {"http://" + b.address, ""},
		"a sandboxed frame": {"null", ""},
		"a program":         {"", ""},
		"a rebound name":    {"http://rebind.example:" + port, "rebind.example:" + port},
		"a rebound name with an extension's origin": {theExtension, "rebind.example:" + port},
	} {
		conn, status := b.openSocket(c.origin, c.host)
		if conn != nil {
			conn.Close()
		}
		if status != http.StatusForbidden {
			t.Errorf("%s: status %d", name, status)
		}
	}
}

// Requests with a wrong Host, Origin or token are refused.
func TestForeignRequestsAreRefused(t *testing.T) {
	b := runDaemon(t, nil)
	for request, want := range map[string]string{
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n":                                                                                    "400", // TLS
		"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n":                                                                                            "400",
		"GET / HTTP/1.1\r\nHost: HOST\r\nX: " + strings.Repeat("x", 30<<10) + "\r\n\r\n":                                                          "431",
		"GET /v1/health HTTP/1.1\r\nHost: evil.example\r\n\r\n":                                                                                   "403",
		"GET http://evil.example/v1/health HTTP/1.1\r\nHost: HOST\r\n\r\n":                                                                        "403",
		"GET /v1/health HTTP/1.0\r\n\r\n":                                                                                                         "403",
		"POST /v1/pair HTTP/1.1\r\nHost: HOST\r\nContent-Length: 0\r\n\r\n":                                                                       "404", // commands have a socket of their own
		"POST /v1/viewings HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}":                               "401",
		"POST /v1/viewings HTTP/1.1\r\nHost: HOST\r\nSec-Fetch-Site: cross-site\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}": "403",
	} {
		if got := b.raw(strings.ReplaceAll(request, "HOST", b.address)); !strings.HasPrefix(got, want) {
			t.Errorf("%.60q was answered %q, want %s", request, got, want)
		}
	}
}

// Messages of an unpaired extension are not stored, and it receives neither acknowledgements nor
// secrets.
func TestUnpairedExtensionGetsNothing(t *testing.T) {
	const (
		hello    = `{"type":"hello","v":1,"client":{"name":"evil","version":"1"}}`
		aViewing = `{"type":"viewing","id":"5f0c6b1e-7d0a-4a57-9a64-0c0f5b3f9d11","media":{"type":"movie","ids":{"tmdb":603}},"watchedAt":"2026-03-01T20:15:00Z"}`
	)
	b := runDaemon(t, nil)
	b.browser()
	impostor := strings.TrimSuffix(hello, "}") + `,"clientId":"` + b.d.pairing.List()[0].ID + `","nonce":"0123456789abcdef"}`
	for name, frames := range map[string][]string{
		"no JSON":              {"garbage"},
		"another version":      {`{"type":"hello","v":9}`},
		"too long":             {strings.Repeat("x", 70<<10)},
		"a viewing":            {hello, aViewing, `{"type":"status","id":"s"}`},
		"a made-up token":      {hello, `{"type":"auth","token":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"}`},
		"a guessed code":       {hello, `{"type":"pair","id":"p","code":"AAAAAAAA"}`},
		"another's identifier": {impostor, aViewing},
	} {
		conn, _ := b.openSocket(unpaired, "")
		if conn == nil {
			t.Fatalf("%s: no socket", name)
		}
		for _, frame := range frames {
			_ = conn.WriteMessage(websocket.TextMessage, []byte(frame))
		}
		for range frames { // each is answered, or the connection is closed
			_, text, err := conn.ReadMessage()
			if err != nil {
				break
			}
			for _, secret := range []string{`"ack"`, `"paired":true`, `"queue":`, `"token":`, `"pending"`} {
				if strings.Contains(string(text), secret) {
					t.Errorf("%s: the unpaired extension got %s", name, text)
				}
			}
		}
		conn.Close()
	}
	if counts, err := b.d.store.Counts(t.Context()); err != nil || counts != (entry.Counts{}) {
		t.Errorf("the queue has %+v, %v", counts, err)
	}
	if clients := b.d.pairing.List(); len(clients) != 1 {
		t.Errorf("clients %+v", clients)
	}
}

// Connections of slow senders are closed at any stage of the request.
func TestSlowSendersAreCutOff(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	server := newServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }), 50*time.Millisecond)
	go func() { _ = server.Serve(l) }()
	defer server.Close()
	for what, begin := range map[string]string{
		"nothing":  "",
		"a header": "GET / HTTP/1.1\r\nX: ",
		"a body":   "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\nx",
		"chunks":   "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n",
	} {
		conn, err := net.Dial("tcp", l.Addr().String())
		must(t, err)
		if _, err := conn.Write([]byte(begin)); err != nil {
			t.Fatal(err)
		}
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: the connection stays open", what)
		}
		conn.Close()
	}
}
