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

// A message that is too large is noticed without waiting for its end.
func TestMessageSize(t *testing.T) {
	r := start(t, nil)
	ping := func(n int) string {
		const head, tail = `{"type":"ping","x":"`, `"}`
		return head + strings.Repeat("x", n-len(head)-len(tail)) + tail
	}
	s := r.greeted(chromium, "")
	s.say(ping(64 << 10))
	if got := s.hear(); got["type"] != "pong" {
		t.Fatalf("64 KiB: %v", got)
	}
	s.say(ping(64<<10 + 1))
	endless := r.greeted(chromium, "")
	writer, err := endless.NextWriter(websocket.TextMessage)
	if err != nil {
		t.Fatal(err)
	}
	for range 128 {
		if _, err := writer.Write(bytes.Repeat([]byte("x"), 1<<10)); err != nil {
			break // it has hung up already
		}
	}
	s.closed(websocket.CloseMessageTooBig)
	endless.closed(websocket.CloseMessageTooBig)
}

// There is a time for hello, for a message, and for silence.
func TestSlowClientsAreClosed(t *testing.T) {
	part := bytes.Repeat([]byte("x"), 5<<10) // more than the client's buffer: it leaves
	for name, tc := range map[string]struct {
		greeted bool
		talk    func(s *socket, ended <-chan struct{})
		code    int
		after   time.Duration
	}{
		"no hello":  {false, func(*socket, <-chan struct{}) {}, protocol.CloseNoHello, 5 * time.Second},
		"no answer": {true, func(*socket, <-chan struct{}) {}, protocol.CloseGoingAway, 90 * time.Second},
		"half a hello": {false, func(s *socket, _ <-chan struct{}) {
			if w, err := s.NextWriter(websocket.TextMessage); err == nil {
				_, _ = w.Write(part)
			}
		}, protocol.CloseNoHello, 5 * time.Second},
		"a message in drops, with pongs between": {true, func(s *socket, ended <-chan struct{}) {
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
				if tc.greeted {
					s = r.greeted(chromium, token)
				}
				s.SetPingHandler(func(string) error { return nil }) // does not answer
				_ = s.SetReadDeadline(time.Time{})
				began, ended := time.Now(), make(chan struct{})
				var sender sync.WaitGroup
				sender.Go(func() { tc.talk(s, ended) })
				s.closed(tc.code)
				// What comes in drops is noticed with the next one.
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

// A client that says nothing but answers pings stays.
func TestLivingClientsStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInBubble(t, nil)
		_, token := r.pair(chromium)
		s := r.greeted(chromium, token)
		_ = s.SetReadDeadline(time.Time{})
		var reading sync.WaitGroup
		reading.Go(func() { _, _, _ = s.ReadMessage() })
		<-time.After(10 * time.Minute)
		s.say(frameOf(t, film(1)))
		synctest.Wait()
		if len(r.sink.kept()) != 1 {
			t.Error("the socket is dead")
		}
		_ = s.Close()
		reading.Wait()
	})
}

// A client that does not read is cut off after 10 s. A pipe holds its writer up from
// the first byte.
func TestClientsThatDoNotReadAreCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInBubble(t, nil)
		_, token := r.pair(chromium)
		s := r.greeted(chromium, token)
		began := time.Now()
		s.say(`{"type":"ping"}`)
		for s.WriteMessage(websocket.TextMessage, []byte(`{"type":"ping"}`)) == nil {
		}
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("cut off after %v", took)
		}
	})
}

// Messages of a client are read at its rate, on all its sockets together; pings of the
// websocket count, too. Another client has its own rate.
func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInBubble(t, nil)
		_, token := r.pair(chromium)
		one, two := r.greeted(chromium, token), r.greeted(chromium, token)
		began := time.Now()
		for range 1000 {
			one.alive()
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("a burst of 1,000 took %v", took)
		}
		for range 250 {
			one.alive()
			two.alive()
		}
		if took := time.Since(began); took < time.Second || took > 1100*time.Millisecond {
			t.Errorf("500 more took %v", took)
		}
		_, other := r.pair(chromium)
		s := r.greeted(chromium, other)
		began = time.Now()
		s.alive()
		if took := time.Since(began); took > 0 {
			t.Errorf("another client waited for %v", took)
		}

		flood := r.greeted(firefox, "")
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

// What a paired client plays is passed on. A socket that breaks ends it, one that rests does not.
func TestPlayingIsPassedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []string
		r := startInBubble(t, func(o *connector.Options) {
			o.Playing = func(source string, m protocol.Playing) {
				heard = append(heard, source+" "+m.State+" "+m.Media.Label())
			}
		})
		frame := frameOf(t, protocol.Playing{Session: uuid(1), State: "playing", Media: viewing.Media{Type: viewing.Movie, Title: "Alpha"}})
		stranger := r.greeted(chromium, "")
		stranger.say(frame)
		stranger.refused(protocol.PairingRequired)
		id, token := r.pair(chromium)
		source := "browser:" + id
		end := func(s *socket, frame []byte) {
			_ = s.WriteControl(websocket.CloseMessage, frame, time.Now().Add(time.Second))
			_ = s.Close()
			synctest.Wait()
		}
		s := r.greeted(chromium, token)
		s.say(frame)
		s.say(strings.Replace(frame, "Alpha", "", 1))
		s.refused(protocol.BadMessage)
		end(s, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""))
		if want := source + " playing Alpha"; strings.Join(heard, ", ") != want {
			t.Errorf("a socket that rests: %q, want %q", heard, want)
		}
		s = r.greeted(chromium, token)
		end(s, nil)
		if want := source + " ended unknown "; len(heard) != 2 || heard[1] != want {
			t.Errorf("a socket that breaks: %q, want %q", heard, want)
		}
	})
}

// A client has 16 sockets at most. Another one has places of its own.
func TestSocketsOfOneClient(t *testing.T) {
	r := start(t, nil)
	_, token := r.pair(chromium)
	_, other := r.pair(chromium)
	for range 16 {
		r.greeted(chromium, token)
	}
	s := r.open(chromium)
	s.say(helloWith(`"token":"` + token + `"`))
	s.refused(protocol.RateLimited)
	s.closed(protocol.CloseRate)
	r.greeted(chromium, other).alive()
}

// Unpaired sockets take every place again and again, in any subprotocol, and do not
// hang up when told so: the paired client comes in, and stays.
func TestUnpairedSocketsKeepNoPairedClientOut(t *testing.T) {
	for _, subprotocol := range []string{protocol.Subprotocol, "filmspool.v2"} {
		r := start(t, nil)
		id, token := r.pair(chromium)
		crowd := func() (first *socket) {
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
		oldest := crowd()
		mine := r.greeted(chromium, token)
		proving := r.open(chromium)
		proving.say(helloWith(`"clientId":"` + id + `","nonce":"n"`))
		proving.hear()
		crowd()
		mine.alive()
		proving.say(`{"type":"auth","token":"` + token + `"}`)
		if got := proving.hear(); got["paired"] != true {
			t.Errorf("heard %v", got)
		}
		if subprotocol == protocol.Subprotocol {
			if _, frame, err := oldest.ReadMessage(); err == nil || websocket.IsCloseError(err, protocol.CloseNoHello) {
				t.Errorf("the oldest heard %q, %v; want an end at once", frame, err)
			}
		}
	}
}

// A client that is revoked is closed at once, on all its sockets. What is under way is
// kept, what waits is not; the token is worth nothing.
func TestRevokedWhileConnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gated := gatedSink()
		r := startInBubble(t, func(o *connector.Options) { o.Sink = gated })
		id, token := r.pair(chromium)
		_, otherToken := r.pair(chromium)
		one, two, other := r.greeted(chromium, token), r.greeted(chromium, token), r.greeted(chromium, otherToken)
		one.say(frameOf(t, film(0)))
		<-gated.entered                                  // the disk hangs
		for n := 1; n <= protocol.MaxInFlight/2+1; n++ { // the last one waits for a place
			one.say(frameOf(t, film(n)))
		}
		synctest.Wait()
		if err := r.registry.Revoke(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		one.closed(protocol.CloseRevoked)
		two.closed(protocol.CloseRevoked)
		other.alive()
		close(gated.gate)
		again := r.open(chromium)
		again.say(helloWith(`"token":"` + token + `"`))
		again.refused(protocol.PairingRequired)
		again.closed(protocol.CloseToken)
		r.stop()
		if kept := gated.kept(); len(kept) != 1 || kept[0].EventID != uuid(0) {
			t.Errorf("kept %d events, want the one that was under way", len(kept))
		}
	})
}

func TestStopClosesAllAndAnswersWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gated := gatedSink()
		r := startInBubble(t, func(o *connector.Options) { o.Sink = gated })
		_, token := r.pair(chromium)
		busy, idle, silent := r.greeted(chromium, token), r.greeted(firefox, ""), r.open(firefox)
		busy.say(frameOf(t, film(0)))
		<-gated.entered
		busy.say(frameOf(t, film(1)))
		busy.alive()
		stopped := make(chan struct{})
		go func() { defer close(stopped); r.stop() }()
		idle.closed(protocol.CloseGoingAway)
		silent.closed(protocol.CloseGoingAway)
		close(gated.gate)
		for n := range 2 {
			if got := busy.hear(); got["type"] != "ack" || got["id"] != uuid(n) {
				t.Errorf("answer %d: %v", n, got)
			}
		}
		busy.closed(protocol.CloseGoingAway)
		<-stopped
		if _, answer, err := r.try(chromium, "", []string{protocol.Subprotocol}); err == nil || answer.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("after the end: %v, %v", answer, err)
		}
	})
}

// Stopping does not wait for a disk that hangs, and acknowledges nothing.
func TestStopIsBoundedWhenTheSinkHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hung := gatedSink() // never opened
		r := startInBubble(t, func(o *connector.Options) { o.Sink = hung })
		_, token := r.pair(chromium)
		s := r.greeted(chromium, token)
		s.say(frameOf(t, film(0)))
		<-hung.entered
		began := time.Now()
		stopped := make(chan struct{})
		go func() { defer close(stopped); r.stop() }()
		s.refused(protocol.Storage)
		s.closed(protocol.CloseGoingAway)
		<-stopped
		if took := time.Since(began); took > 7*time.Second {
			t.Errorf("stopping took %v", took)
		}
	})
}

// The status goes to paired clients when it has changed, twice a second at most, and
// to nobody else.
func TestStatusIsPushedWhenItHasChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var pending atomic.Int64
		r := startInBubble(t, func(o *connector.Options) {
			o.Status = func(context.Context, string) protocol.Status {
				return protocol.Status{Online: true, Pending: pending.Load()}
			}
		})
		_, token := r.pair(chromium)
		s := r.greeted(chromium, token)
		unpaired := r.greeted(firefox, "")
		began := time.Now()
		for range 100 {
			pending.Add(1)
			r.server.Nudge()
		}
		first := s.hear()
		if first["pending"] != 100.0 {
			if first = s.hear(); time.Since(began) < 500*time.Millisecond {
				t.Error("pushed twice within the limit")
			}
		}
		if first["type"] != "status" || first["pending"] != 100.0 || first["online"] != true || first["id"] != nil {
			t.Errorf("pushed %v", first)
		}
		<-time.After(time.Second)
		r.server.Nudge() // nothing has changed
		<-time.After(time.Second)
		s.alive()        // a pushed status would have come before the pong
		unpaired.alive() // here, too
		unpaired.say(`{"type":"pair","id":"p","code":"` + r.registry.NewCode().Text + `"}`)
		unpaired.hear()
		r.server.Nudge()
		if got := unpaired.hear(); got["type"] != "status" || got["pending"] != 100.0 {
			t.Errorf("once it is paired: %v", got)
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
		s := r.greeted(chromium, "")
		s.say(`{"type":"pair","id":"p","code":"WRONG222"}`)
		s.refused(protocol.PairingCodeInvalid)
		s.say(`{"type":"pair","id":"p","code":"` + code + `"}`)
		token := s.hear()["token"].(string)
		private := film(1)
		private.Media.Title = "A Private Film"
		s.say(frameOf(t, private))
		s.hear()
		wrong := r.open(firefox)
		wrong.say(helloWith(`"token":"` + token + `"`))
		wrong.refused(protocol.PairingRequired)
		wrong.closed(protocol.CloseToken)
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
