package connector_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"github.com/filmspool/filmspool/connector"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/queue/viewing"
)

// A message that is too large closes the socket before its end has arrived.
func TestMessageSize(t *testing.T) {
	r := start(t, nil)
	ping := func(n int) string {
		const head, tail = `{"type":"ping","x":"`, `"}`
		return head + strings.Repeat("x", n-len(head)-len(tail)) + tail
	}
	s := r.connect(chromium, "")
	s.send(ping(64 << 10))
	if got := s.receive(); got["type"] != "pong" {
		t.Fatalf("64 KiB: %v", got)
	}
	s.send(ping(64<<10 + 1))
	endless := r.connect(chromium, "")
	writer, err := endless.NextWriter(websocket.TextMessage)
	if err != nil {
		t.Fatal(err)
	}
	for range 128 {
		if _, err := writer.Write(bytes.Repeat([]byte("x"), 1<<10)); err != nil {
			break // it has hung up already
		}
	}
	s.wantClose(websocket.CloseMessageTooBig)
	endless.wantClose(websocket.CloseMessageTooBig)
}

// There are timeouts for hello, for a message, and for silence.
func TestTimeouts(t *testing.T) {
	part := bytes.Repeat([]byte("x"), 5<<10) // more than the client's buffer: it leaves
	for name, tc := range map[string]struct {
		hello bool
		talk  func(s *socket, ended <-chan struct{})
		code  int
		after time.Duration
	}{
		"no hello": {false, func(*socket, <-chan struct{}) {}, protocol.CloseNoHello, 5 * time.Second},
		"no pong":  {true, func(*socket, <-chan struct{}) {}, protocol.CloseGoingAway, 90 * time.Second},
		"half a hello": {false, func(s *socket, _ <-chan struct{}) {
			if w, err := s.NextWriter(websocket.TextMessage); err == nil {
				_, _ = w.Write(part)
			}
		}, protocol.CloseNoHello, 5 * time.Second},
		"a slow message, with pongs in between": {true, func(s *socket, ended <-chan struct{}) {
			w, err := s.NextWriter(websocket.TextMessage)
			for err == nil {
				_, err = w.Write(part)
				_ = s.WriteControl(websocket.PongMessage, nil, time.Now().Add(time.Second))
				select {
				case <-ended:
					return
				case <-time.After(time.Second):
				}
			}
		}, protocol.CloseGoingAway, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := startInBubble(t, nil)
				_, token := r.pair(chromium)
				s := r.open(chromium)
				if tc.hello {
					s = r.connect(chromium, token)
				}
				s.SetPingHandler(func(string) error { return nil }) // does not answer
				_ = s.SetReadDeadline(time.Time{})
				began, ended := time.Now(), make(chan struct{})
				var sender sync.WaitGroup
				sender.Go(func() { tc.talk(s, ended) })
				s.wantClose(tc.code)
				// A slow message is noticed when its next part arrives.
				if took := time.Since(began); took < tc.after || took > tc.after+time.Second {
					t.Errorf("closed after %v, want %v", took, tc.after)
				}
				close(ended)
				_ = s.Close()
				sender.Wait()
			})
		})
	}
}

// A client that only answers pings stays connected.
func TestIdleClientsStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInBubble(t, nil)
		_, token := r.pair(chromium)
		s := r.connect(chromium, token)
		_ = s.SetReadDeadline(time.Time{})
		var reading sync.WaitGroup
		reading.Go(func() { _, _, _ = s.ReadMessage() })
		<-time.After(10 * time.Minute)
		s.send(frameOf(t, film(1)))
		synctest.Wait()
		if len(r.sink.kept()) != 1 {
			t.Error("the socket was closed")
		}
		_ = s.Close()
		reading.Wait()
	})
}

// A client that does not read is disconnected after 10 s. A pipe blocks its writer from the first
// byte.
func TestClientsThatDoNotReadAreDisconnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInBubble(t, nil)
		_, token := r.pair(chromium)
		s := r.connect(chromium, token)
		began := time.Now()
		s.send(`{"type":"ping"}`)
		for s.WriteMessage(websocket.TextMessage, []byte(`{"type":"ping"}`)) == nil {
		}
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("disconnected after %v", took)
		}
	})
}

// The rate limit is for all sockets of a client together, and counts pings of the websocket, too.
// Another client has a limit of its own.
func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInBubble(t, nil)
		_, token := r.pair(chromium)
		one, two := r.connect(chromium, token), r.connect(chromium, token)
		began := time.Now()
		for range 1000 {
			one.ping()
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("a burst of 1,000 took %v", took)
		}
		for range 250 {
			one.ping()
			two.ping()
		}
		if took := time.Since(began); took < time.Second || took > 1100*time.Millisecond {
			t.Errorf("500 more took %v", took)
		}
		_, other := r.pair(chromium)
		s := r.connect(chromium, other)
		began = time.Now()
		s.ping()
		if took := time.Since(began); took > 0 {
			t.Errorf("another client waited %v", took)
		}

		flood := r.connect(firefox, "")
		_ = flood.SetReadDeadline(time.Time{})
		pongs := 0
		flood.SetPongHandler(func(string) error { pongs++; return nil })
		var reading sync.WaitGroup
		reading.Go(func() { _, _, _ = flood.ReadMessage() })
		began = time.Now()
		for range 1500 {
			if flood.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Minute)) != nil || flood.WriteControl(websocket.PongMessage, nil, time.Now().Add(time.Minute)) != nil {
				t.Fatal("the socket is closed")
			}
		}
		if took := time.Since(began); took < 3900*time.Millisecond || took > 4100*time.Millisecond {
			t.Errorf("3,000 pings and pongs took %v", took)
		}
		_ = flood.Close()
		reading.Wait()
		if pongs < 1499 {
			t.Errorf("%d pongs for 1,500 pings", pongs)
		}
	})
}

// What a paired client plays is passed on. A broken socket ends it, an idle one does not.
func TestPlaying(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []string
		r := startInBubble(t, func(o *connector.Options) {
			o.Playing = func(source string, m protocol.Playing) {
				heard = append(heard, source+" "+m.State+" "+m.Media.Label())
			}
		})
		frame := frameOf(t, protocol.Playing{Session: uuid(1), State: "playing", Media: viewing.Media{Type: viewing.Movie, Title: "Alpha"}})
		unpaired := r.connect(chromium, "")
		unpaired.send(frame)
		unpaired.wantError(protocol.PairingRequired)
		id, token := r.pair(chromium)
		source := "browser:" + id
		end := func(s *socket, frame []byte) {
			_ = s.WriteControl(websocket.CloseMessage, frame, time.Now().Add(time.Second))
			_ = s.Close()
			synctest.Wait()
		}
		s := r.connect(chromium, token)
		s.send(frame)
		s.send(strings.Replace(frame, "Alpha", "", 1))
		s.wantError(protocol.BadMessage)
		end(s, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""))
		if want := source + " playing Alpha"; strings.Join(heard, ", ") != want {
			t.Errorf("idle socket: %q, want %q", heard, want)
		}
		s = r.connect(chromium, token)
		end(s, nil)
		if want := source + " ended unknown "; len(heard) != 2 || heard[1] != want {
			t.Errorf("broken socket: %q, want %q", heard, want)
		}
	})
}

// A client may have 16 sockets. Another client has a limit of its own.
func TestSocketsOfOneClient(t *testing.T) {
	r := start(t, nil)
	_, token := r.pair(chromium)
	_, other := r.pair(chromium)
	for range 16 {
		r.connect(chromium, token)
	}
	s := r.open(chromium)
	s.send(helloWith(`"token":"` + token + `"`))
	s.wantError(protocol.RateLimited)
	s.wantClose(protocol.CloseRate)
	r.connect(chromium, other).ping()
}

// Unpaired sockets in any subprotocol, which do not hang up after a close frame, do not keep a
// paired client from connecting, and do not disconnect it.
func TestUnpairedSocketsDoNotBlockPairedClients(t *testing.T) {
	for _, subprotocol := range []string{protocol.Subprotocol, "filmspool.v2"} {
		r := start(t, nil)
		id, token := r.pair(chromium)
		flood := func() (first *socket) {
			for n := range 100 {
				origin := []string{chromium, firefox, "chrome-extension://" + strings.Repeat("a", 32), "chrome-extension://" + strings.Repeat("b", 32)}[n%4]
				s, answer, err := r.try(origin, "", []string{subprotocol})
				if err != nil {
					t.Fatalf("socket %d: %v (%v)", n, err, answer)
				}
				if first == nil {
					first = s
				}
			}
			return first
		}
		oldest := flood()
		mine := r.connect(chromium, token)
		proving := r.open(chromium)
		proving.send(helloWith(`"clientId":"` + id + `","nonce":"n"`))
		proving.receive()
		flood()
		mine.ping()
		proving.send(`{"type":"auth","token":"` + token + `"}`)
		if got := proving.receive(); got["paired"] != true {
			t.Errorf("received %v", got)
		}
		if subprotocol == protocol.Subprotocol {
			if _, frame, err := oldest.ReadMessage(); err == nil || websocket.IsCloseError(err, protocol.CloseNoHello) {
				t.Errorf("the oldest received %q, %v; want it closed at once", frame, err)
			}
		}
	}
}

// Revoking a client closes all its sockets at once and invalidates its token. The commit in progress
// is stored, waiting events are not.
func TestRevokedWhileConnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gated := gatedSink()
		r := startInBubble(t, func(o *connector.Options) { o.Sink = gated })
		id, token := r.pair(chromium)
		_, otherToken := r.pair(chromium)
		one, two, other := r.connect(chromium, token), r.connect(chromium, token), r.connect(chromium, otherToken)
		one.send(frameOf(t, film(0)))
		<-gated.entered                                  // the disk hangs
		for n := 1; n <= protocol.MaxInFlight/2+1; n++ { // the last one waits in the reader
			one.send(frameOf(t, film(n)))
		}
		synctest.Wait()
		if err := r.registry.Revoke(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		one.wantClose(protocol.CloseRevoked)
		two.wantClose(protocol.CloseRevoked)
		other.ping()
		close(gated.gate)
		again := r.open(chromium)
		again.send(helloWith(`"token":"` + token + `"`))
		again.wantError(protocol.PairingRequired)
		again.wantClose(protocol.CloseToken)
		r.stop()
		if kept := gated.kept(); len(kept) != 1 || kept[0].EventID != uuid(0) {
			t.Errorf("stored %d events, want the one of the commit in progress", len(kept))
		}
	})
}

func TestStopAnswersCommitsInProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gated := gatedSink()
		r := startInBubble(t, func(o *connector.Options) { o.Sink = gated })
		_, token := r.pair(chromium)
		busy, idle, silent := r.connect(chromium, token), r.connect(firefox, ""), r.open(firefox)
		busy.send(frameOf(t, film(0)))
		<-gated.entered
		busy.send(frameOf(t, film(1)))
		busy.ping()
		stopped := make(chan struct{})
		go func() { defer close(stopped); r.stop() }()
		idle.wantClose(protocol.CloseGoingAway)
		silent.wantClose(protocol.CloseGoingAway)
		close(gated.gate)
		for n := range 2 {
			if got := busy.receive(); got["type"] != "ack" || got["id"] != uuid(n) {
				t.Errorf("answer %d: %v", n, got)
			}
		}
		busy.wantClose(protocol.CloseGoingAway)
		<-stopped
		if _, answer, err := r.try(chromium, "", []string{protocol.Subprotocol}); err == nil || answer.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("after the end: %v, %v", answer, err)
		}
	})
}

// Stopping does not wait for a disk that hangs, and acknowledges nothing.
func TestStopWithAHangingDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hung := gatedSink() // never opened
		r := startInBubble(t, func(o *connector.Options) { o.Sink = hung })
		_, token := r.pair(chromium)
		s := r.connect(chromium, token)
		s.send(frameOf(t, film(0)))
		<-hung.entered
		began := time.Now()
		stopped := make(chan struct{})
		go func() { defer close(stopped); r.stop() }()
		s.wantError(protocol.Storage)
		s.wantClose(protocol.CloseGoingAway)
		<-stopped
		if took := time.Since(began); took > 7*time.Second {
			t.Errorf("stopping took %v", took)
		}
	})
}

// A changed status is pushed to paired clients only, at most twice a second.
func TestStatusIsPushed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var pending atomic.Int64
		r := startInBubble(t, func(o *connector.Options) {
			o.Status = func(context.Context, string) protocol.Status {
				return protocol.Status{Online: true, Pending: pending.Load()}
			}
		})
		_, token := r.pair(chromium)
		s := r.connect(chromium, token)
		unpaired := r.connect(firefox, "")
		began := time.Now()
		for range 100 {
			pending.Add(1)
			r.server.Nudge()
		}
		first := s.receive()
		if first["pending"] != 100.0 {
			if first = s.receive(); time.Since(began) < 500*time.Millisecond {
				t.Error("pushed twice within the limit")
			}
		}
		if first["type"] != "status" || first["pending"] != 100.0 || first["online"] != true || first["id"] != nil {
			t.Errorf("pushed %v", first)
		}
		<-time.After(time.Second)
		r.server.Nudge() // nothing has changed
		<-time.After(time.Second)
		s.ping()        // a pushed status would have come before the pong
		unpaired.ping() // here, too
		unpaired.send(`{"type":"pair","id":"p","code":"` + r.registry.NewCode().Text + `"}`)
		unpaired.receive()
		r.server.Nudge()
		if got := unpaired.receive(); got["type"] != "status" || got["pending"] != 100.0 {
			t.Errorf("after pairing: %v", got)
		}
	})
}

// syncBuffer is a log that several goroutines write.
type syncBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func TestNoTokenCodeOrTitleIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log syncBuffer
		r := startInBubble(t, func(o *connector.Options) {
			o.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		})
		code := r.registry.NewCode().Text
		_, programs := r.add("p")
		s := r.connect(chromium, "")
		s.send(`{"type":"pair","id":"p","code":"WRONG222"}`)
		s.wantError(protocol.PairingCodeInvalid)
		s.send(`{"type":"pair","id":"p","code":"` + code + `"}`)
		token := s.receive()["token"].(string)
		private := film(1)
		private.Media.Title = "A Private Film"
		s.send(frameOf(t, private))
		s.receive()
		wrong := r.open(firefox)
		wrong.send(helloWith(`"token":"` + token + `"`))
		wrong.wantError(protocol.PairingRequired)
		wrong.wantClose(protocol.CloseToken)
		r.post(programs, frameOf(t, private))
		r.post(programs+"x", frameOf(t, private))
		r.stop()
		if log.Len() == 0 {
			t.Error("nothing was logged")
		}
		for _, secret := range []string{token, code, programs, "WRONG222", "Private"} {
			if strings.Contains(log.String(), secret) {
				t.Errorf("the log has %q:\n%s", secret, log.String())
			}
		}
	})
}
