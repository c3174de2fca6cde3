package daemon

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/filmspool/filmspool/connector/client"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/daemon/guard"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

const theExtension = "chrome-extension://emdhmgjgiheohhdbjhklpnhngnafihdg"

// besieged is a daemon that runs, as whoever reaches its port sees it.
type besieged struct {
	*testing.T
	d       *Daemon
	address string
	acks    atomic.Int64 // acknowledgements and other signs that somebody got in
}

// besiege runs a daemon until the test ends.
func besiege(t *testing.T, change func(*Options)) *besieged {
	t.Helper()
	ready := make(chan string, 1)
	o := testOptions(t)
	o.Ready = func(address string) { ready <- address }
	if change != nil {
		change(&o)
	}
	d, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-ended, d.Close()); err != nil {
			t.Error(err)
		}
	})
	select {
	case address := <-ready:
		return &besieged{T: t, d: d, address: address}
	case err := <-ended:
		t.Fatalf("ended before it was ready: %v", err)
		return nil
	}
}

// browser is the user's own, paired.
func (b *besieged) browser() *client.Client {
	b.Helper()
	c, err := client.Dial(b.Context(), client.Options{
		URL: "ws://" + b.address + "/v1/connector", Origin: theExtension, Info: protocol.ClientInfo{Name: "mine", Version: "1"},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close() })
	if _, _, err := c.Pair(b.Context(), b.d.pairing.NewCode().Text, "mine"); err != nil {
		b.Fatal(err)
	}
	return c
}

// raw writes text to a connection of its own and reads what comes, until the
// daemon hangs up or half a second has passed.
func (b *besieged) raw(text string) string {
	conn, err := net.DialTimeout("tcp", b.address, 10*time.Second)
	if err != nil {
		return ""
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(500 * time.Millisecond))
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

// knock asks for a websocket as origin, by way of host.
func (b *besieged) knock(origin, host string) (*websocket.Conn, int) {
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

// stranger is an extension nobody has heard of.
func stranger() string {
	id := make([]byte, 32)
	for i := range id {
		id[i] = byte('a' + rand.IntN(16))
	}
	return "chrome-extension://" + string(id)
}

// talk says frames as a strange extension and listens to the end. Nothing it
// hears may be more than a stranger may know.
func (b *besieged) talk(kind int, frames ...string) {
	conn, _ := b.knock(stranger(), "")
	if conn == nil {
		return
	}
	defer conn.Close()
	for _, frame := range frames {
		if conn.WriteMessage(kind, []byte(frame)) != nil {
			break
		}
	}
	// What was said last gets an answer or an end; then we go.
	for range frames {
		_, text, err := conn.ReadMessage()
		if err != nil {
			return
		}
		for _, secret := range []string{`"ack"`, `"paired":true`, `"queue":`, `"proof"`, `"token":`, `"pending"`} {
			if strings.Contains(string(text), secret) {
				b.acks.Add(1)
				b.Errorf("a stranger heard %s", text)
			}
		}
	}
}

// refusedWith reports an answer of another status.
func (b *besieged) refusedWith(what string, got, want int) {
	if got != want && got != 0 && got != http.StatusServiceUnavailable { // at times it has too many sockets open, or hangs up
		b.Errorf("%s: status %d, want %d", what, got, want)
	}
}

const (
	strangerHello = `{"type":"hello","v":1,"client":{"name":"evil","version":"1"}}`
	someViewing   = `{"type":"viewing","id":"5f0c6b1e-7d0a-4a57-9a64-0c0f5b3f9d11","media":{"type":"movie","ids":{"tmdb":603}},"watchedAt":"2026-03-01T20:15:00Z"}`
)

// attacks are the ways in that must not be.
func (b *besieged) attacks() []func() {
	knockAs := func(what, origin, host string) func() {
		return func() {
			conn, status := b.knock(origin, host)
			if conn != nil {
				_ = conn.Close()
				b.Errorf("%s got a socket", what)
			}
			b.refusedWith(what, status, http.StatusForbidden)
		}
	}
	send := func(want, text string) func() {
		text = strings.ReplaceAll(text, "HOST", b.address)
		return func() {
			got := b.raw(text)
			if got != "" && !strings.HasPrefix(got, want) && !strings.HasPrefix(got, "503") {
				b.Errorf("%.60q was answered %s, want %s", text, got, want)
			}
		}
	}
	port := b.address[strings.LastIndexByte(b.address, ':'):]
	talk := func(kind int, frames ...string) func() { return func() { b.talk(kind, frames...) } }
	return []func(){
		knockAs("an https page", "https://evil.example", ""),
		knockAs("an http page", "http://evil.example", ""),
		knockAs("a local page", "http://"+b.address, ""),
		knockAs("a sandboxed frame", "null", ""),
		knockAs("a program", "", ""),
		knockAs("a rebound name", "http://rebind.example"+port, "rebind.example"+port),
		knockAs("a rebound name with an extension's origin", theExtension, "rebind.example"+port),
		talk(websocket.TextMessage, "garbage"),
		talk(websocket.TextMessage, `{"type":"hello","v":9}`),
		talk(websocket.TextMessage, strings.Repeat("x", 70<<10)),
		talk(websocket.TextMessage, strangerHello, someViewing, `{"type":"status","id":"s"}`),
		talk(websocket.TextMessage, strangerHello, `{"type":"auth","token":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"}`),
		talk(websocket.TextMessage, strangerHello, `{"type":"pair","id":"p","code":"AAAAAAAA"}`),
		talk(websocket.TextMessage, strings.TrimSuffix(strangerHello, "}")+`,"clientId":"`+b.d.pairing.List()[0].ID+`","nonce":"n"}`),
		talk(websocket.BinaryMessage, strangerHello),
		b.silence, b.deafness, b.pings,
		send("400", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"), // speaks TLS
		send("400", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
		send("431", "GET / HTTP/1.1\r\nHost: HOST\r\nX: "+strings.Repeat("x", 30<<10)+"\r\n\r\n"),
		send("403", "GET /v1/health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
		send("403", "GET http://evil.example/v1/health HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"),
		send("403", "GET /v1/health HTTP/1.0\r\n\r\n"),
		send("403", "POST /v1/control/pair HTTP/1.1\r\nHost: HOST\r\nOrigin: https://evil.example\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
		send("401", "POST /v1/control/pair HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
		send("401", "POST /v1/viewings HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: 9\r\nConnection: close\r\n\r\n{\"type\":1}"),
		send("403", "POST /v1/viewings HTTP/1.1\r\nHost: HOST\r\nSec-Fetch-Site: cross-site\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"),
		func() { b.raw("GET /v1/health HTTP/1.1\r\nHost: ") }, // never says more
	}
}

// silence opens a socket, says nothing and goes.
func (b *besieged) silence() {
	if conn, _ := b.knock(stranger(), ""); conn != nil {
		_ = conn.Close()
	}
}

// deafness asks a lot, hears nothing of the answers, and breaks the line.
func (b *besieged) deafness() {
	conn, _ := b.knock(stranger(), "")
	if conn == nil {
		return
	}
	defer conn.Close()
	_ = conn.WriteMessage(websocket.TextMessage, []byte(strangerHello))
	for range 100 {
		if conn.WriteMessage(websocket.TextMessage, []byte(someViewing)) != nil {
			break
		}
	}
	if socket, ok := conn.NetConn().(*net.TCPConn); ok {
		_ = socket.SetLinger(0)
	}
}

// pings is a flood of them.
func (b *besieged) pings() {
	conn, _ := b.knock(stranger(), "")
	if conn == nil {
		return
	}
	defer conn.Close()
	for range 200 {
		if conn.WriteControl(websocket.PingMessage, []byte("x"), time.Now().Add(time.Second)) != nil {
			return
		}
	}
}

// waves runs n attacks, a few at a time.
func (b *besieged) waves(n int) {
	attacks := b.attacks()
	var next atomic.Int64
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				attacks[int(i)%len(attacks)]()
			}
		})
	}
	all.Wait()
}

// still is the memory in use and the goroutines, once nothing of the attacks
// is left: at most most goroutines, or else what there is after half a minute.
func still(t *testing.T, most int) (heap uint64, goroutines int) {
	t.Helper()
	limit := time.After(30 * time.Second)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for goroutines = runtime.NumGoroutine(); goroutines > most; goroutines = runtime.NumGoroutine() {
		select {
		case <-limit:
			most = goroutines
		case <-tick.C:
		}
	}
	runtime.GC()
	runtime.GC() // what the first has only made ready to go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, goroutines
}

// TestTenThousandHostileConnections: none gets in, none leaves anything
// behind, and the user's own browser hardly notices.
func TestTenThousandHostileConnections(t *testing.T) {
	n := 10_000
	if testing.Short() {
		n = 1_000
	}
	b := besiege(t, func(o *Options) {
		// Most attacks are to get past the outer walls; those have tests of their own.
		o.Config.Connector.HellosPerMinute = 1 << 20
		o.Config.Connector.Sockets = 128
	})
	mine := b.browser()
	idle := runtime.NumGoroutine()
	b.waves(500) // what is made once and kept is made by then
	heapBefore, before := still(t, idle+8)
	began := time.Now()
	b.waves(n)
	took := time.Since(began)
	heapAfter, after := still(t, before)
	t.Logf("%d connections in %v; heap %d KiB before, %d KiB after; goroutines %d before, %d after",
		n, took.Round(time.Millisecond), heapBefore>>10, heapAfter>>10, before, after)
	if after > before+4 {
		buffer := make([]byte, 1<<20)
		t.Errorf("%d goroutines before, %d after:\n%s", before, after, buffer[:runtime.Stack(buffer, true)])
	}
	if heapAfter > heapBefore+4<<20 {
		t.Errorf("heap of %d bytes before, %d after", heapBefore, heapAfter)
	}
	if counts, err := b.d.store.Counts(t.Context()); err != nil || counts != (entry.Counts{}) {
		t.Errorf("the queue has %+v, %v", counts, err)
	}
	if clients := b.d.pairing.List(); len(clients) != 1 || b.acks.Load() != 0 {
		t.Errorf("clients %+v", clients)
	}
	ack, err := mine.Viewing(t.Context(), protocol.Viewing{
		ID: "5f0c6b1e-7d0a-4a57-9a64-0c0f5b3f9d11", WatchedAt: "2026-03-01T20:15:00Z",
		Media: viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}},
	})
	if err != nil || ack.Status != viewing.StatusQueued {
		t.Errorf("my own browser: %+v, %v", ack, err)
	}
}

// Connections that give a byte now and then are cut off, wherever they stop.
func TestSlowSendersAreCutOff(t *testing.T) {
	if testing.Short() {
		t.Skip("takes the 15 s that a stranger is given")
	}
	t.Parallel()
	b := besiege(t, nil)
	var all sync.WaitGroup
	for what, head := range map[string]string{
		"a header":                       "GET /v1/health HTTP/1.1\r\nX: ",
		"the body of a question":         "POST /v1/health HTTP/1.1\r\nHost: " + b.address + "\r\nContent-Length: 1000\r\n\r\n",
		"the body of an upgrade":         "GET /v1/connector HTTP/1.1\r\nHost: " + b.address + "\r\nOrigin: https://evil.example\r\nContent-Length: 1000\r\n\r\n",
		"the body of a control question": "POST /v1/control/pair HTTP/1.1\r\nHost: " + b.address + "\r\nContent-Length: 1000\r\n\r\n",
		"the body of another host's":     "POST /v1/viewings HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 1000\r\n\r\n",
		"a post without a token":         "POST /v1/viewings HTTP/1.1\r\nHost: " + b.address + "\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n",
		"chunks":                         "POST /v1/control/pair HTTP/1.1\r\nHost: " + b.address + "\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n",
	} {
		all.Go(func() {
			if took := b.drip(head); took > guard.StrangerWait+8*time.Second {
				t.Errorf("%s was waited for %v", what, took)
			}
		})
	}
	all.Wait()
}

// drip sends head and then a byte a second, and returns how long that went
// well; it gives up after a minute.
func (b *besieged) drip(head string) time.Duration {
	began := time.Now()
	conn, err := net.Dial("tcp", b.address)
	if err != nil {
		b.Error(err)
		return 0
	}
	defer conn.Close()
	gone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, conn)
		close(gone)
	}()
	text := head
	for time.Since(began) < time.Minute {
		if _, err := conn.Write([]byte(text)); err != nil {
			break
		}
		text = "x"
		select {
		case <-gone:
			return time.Since(began)
		case <-time.After(time.Second):
		}
	}
	return time.Since(began)
}

// Slow strangers hold every place, and more come all the time. The command
// line and a paired browser get through, and keep their places.
func TestStrangersKeepNobodyOut(t *testing.T) {
	b := besiege(t, nil)
	mine := b.browser()
	ctx, stop := context.WithCancel(context.Background())
	var strangers sync.WaitGroup
	defer strangers.Wait()
	defer stop()
	full := make(chan struct{}, 4)
	for range 4 {
		strangers.Go(func() {
			var open []net.Conn
			for n := 0; ctx.Err() == nil; n++ {
				conn, err := net.Dial("tcp", b.address)
				if err != nil {
					continue
				}
				_, _ = conn.Write([]byte("GET /v1/health HTTP/1.1\r\nHost: "))
				if open = append(open, conn); len(open) > guard.MaxConnections {
					_ = open[0].Close()
					open = open[1:]
				}
				if n == guard.MaxConnections {
					full <- struct{}{}
				}
				select {
				case <-ctx.Done():
				case <-time.After(5 * time.Millisecond):
				}
			}
			for _, conn := range open {
				_ = conn.Close()
			}
		})
	}
	<-full
	for n := range 10 {
		c, err := Find(t.Context(), b.d.o.Paths)
		if err != nil {
			t.Fatalf("the command line, time %d: %v", n+1, err)
		}
		if _, err := c.Status(t.Context()); err != nil {
			t.Errorf("the command line was cut off: %v", err)
		}
		c.Close()
		if _, err := mine.Status(t.Context()); err != nil {
			t.Fatalf("the paired browser was cut off: %v", err)
		}
	}
}
