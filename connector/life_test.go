package connector_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"

	"github.com/filmspool/filmspool/connector"
	"github.com/filmspool/filmspool/connector/protocol"
)

// Limit 1: the size of a message, which is noticed without waiting for its end.
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
	for _, s := range []*socket{s, endless} {
		s.refused(protocol.TooLarge)
		s.closed(protocol.CloseTooBig)
	}
}

// Limit 2: the time for hello, for a message, and of silence.
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
		s.say(`{"type":"ping"}`)
		<-time.After(9 * time.Second)
		s.say(`{"type":"ping"}`)
		<-time.After(2 * time.Second)
		if err := s.WriteMessage(websocket.TextMessage, []byte(`{"type":"ping"}`)); err == nil {
			t.Error("still there after 11 s")
		}
	})
}

// Limit 3: messages a second, for all sockets of a client together. Whoever waits as
// told goes on; whoever does not is closed. Pings of the websocket count, too.
func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInBubble(t, func(o *connector.Options) { o.Limits = connector.Limits{Rate: 2, Burst: 5, Ignored: 10} })
		_, token := r.pair(chromium)
		s, second := r.greeted(chromium, token), r.greeted(chromium, token)
		for range 5 {
			s.alive()
		}
		second.say(frameOf(t, film(1)))
		if got := second.refused(protocol.RateLimited); got["id"] != uuid(1) || got["retryable"] != true || got["retryAfterMs"] != 500.0 {
			t.Errorf("refusal %v", got)
		}
		<-time.After(500 * time.Millisecond)
		second.alive()
		_, otherToken := r.pair(chromium)
		r.greeted(chromium, otherToken).alive() // another client has its own
		for range 10 {
			s.say(`{"type":"ping"}`)
			s.refused(protocol.RateLimited)
		}
		s.closed(protocol.CloseRate)

		flood := r.greeted(firefox, "")
		var sender sync.WaitGroup
		sender.Go(func() {
			for flood.WriteControl(websocket.PingMessage, []byte("x"), time.Now().Add(time.Minute)) == nil {
			}
		})
		answered := 0
		flood.SetPongHandler(func(string) error { answered++; return nil })
		flood.closed(protocol.CloseRate)
		_ = flood.Close()
		sender.Wait()
		if answered > 5 {
			t.Errorf("%d pongs for a burst of 5", answered)
		}
	})
}

// Limit 4: sockets at once. An unpaired one makes room for the next, the oldest first;
// a paired client keeps its place.
func TestSocketLimit(t *testing.T) {
	r := start(t, func(o *connector.Options) { o.Limits = connector.Limits{Sockets: 3, OriginSockets: 2} })
	_, token := r.pair(chromium)
	mine := r.greeted(chromium, token)
	first := r.greeted(chromium, "")
	second := r.greeted(chromium, "") // the third of this Origin
	first.gone()
	elsewhere := r.greeted(firefox, "")
	r.greeted("chrome-extension://"+strings.Repeat("a", 32), "").alive() // the fourth of all
	second.gone()
	elsewhere.alive()
	mine.alive()
	also := r.greeted(chromium, token)
	third := r.open(chromium)
	third.refused(protocol.RateLimited)
	third.closed(protocol.CloseRate)
	also.alive()
	mine.alive()
}

// Unpaired sockets take every place again and again, in any subprotocol, and do not
// hang up when told so: the paired client comes in, and stays.
func TestUnpairedSocketsKeepNoPairedClientOut(t *testing.T) {
	for _, subprotocol := range []string{protocol.Subprotocol, "filmspool.v2"} {
		r := start(t, func(o *connector.Options) { o.Limits = connector.Limits{UnpairedHellos: 1000, Linger: patience} })
		_, token := r.pair(chromium)
		crowd := func() {
			for n := range 100 {
				origin := []string{chromium, firefox, "chrome-extension://" + strings.Repeat("a", 32), "chrome-extension://" + strings.Repeat("b", 32)}[n%4]
				if _, answer, err := r.try(origin, "", []string{subprotocol}); err != nil {
					t.Fatalf("socket %d: %v (%v)", n, err, answer)
				}
			}
		}
		crowd()
		mine := r.greeted(chromium, token)
		crowd()
		mine.alive()
	}
}

// Limit 5: hellos of unknown clients a minute. One Origin cannot use up another's, nor
// those of paired clients; made-up Origins have a bound together.
func TestUnpairedHellosAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInBubble(t, func(o *connector.Options) { o.Limits = connector.Limits{UnpairedHellos: 3} })
		id, token := r.pair(firefox)
		for range 3 {
			_ = r.greeted(firefox, "").Close()
		}
		s := r.open(firefox)
		s.say(hello)
		if got := s.refused(protocol.RateLimited); got["retryAfterMs"] != 20000.0 {
			t.Errorf("refusal %v", got)
		}
		s.closed(protocol.CloseRate)
		_ = r.greeted(firefox, token).Close()
		if _, err := r.dialAs(firefox, id, token); err != nil { // its hello has no token
			t.Errorf("paired client kept out: %v", err)
		}
		r.greeted(chromium, "").alive()
		refused := 0
		for n := range 100 {
			s := r.open(fmt.Sprintf("chrome-extension://%032d", n))
			s.say(hello)
			if s.hear()["type"] == "error" {
				refused++
			}
			_ = s.Close()
			synctest.Wait()
		}
		if refused < 70 {
			t.Errorf("%d of 100 hellos of made-up Origins were refused", refused)
		}
		<-time.After(20 * time.Second)
		r.greeted(firefox, "").alive()
	})
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
		<-gated.entered // the disk hangs
		one.say(frameOf(t, film(1)))
		one.alive()
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
			o.Status = func(context.Context) connector.Status {
				return connector.Status{Online: true, Pending: pending.Load(), LastDelivered: time.Unix(1772396100, 0)}
			}
		})
		c := r.client(chromium)
		unpaired := r.greeted(firefox, "")
		began := time.Now()
		for range 100 {
			pending.Add(1)
			r.server.Nudge()
		}
		first := <-c.Pushed()
		if first.Pending < 100 {
			if first = <-c.Pushed(); time.Since(began) < 500*time.Millisecond {
				t.Error("pushed twice within the limit")
			}
		}
		want := protocol.Status{Online: true, Pending: 100, LastDelivered: "2026-03-01T20:15:00Z"}
		if diff := cmp.Diff(want, first); diff != "" {
			t.Error(diff)
		}
		<-time.After(time.Second)
		r.server.Nudge() // nothing has changed
		<-time.After(time.Second)
		select {
		case again := <-c.Pushed():
			t.Errorf("pushed without a change: %+v", again)
		default:
		}
		unpaired.alive() // a pushed status would have come before the pong
		unpaired.say(`{"type":"pair","id":"p","code":"` + r.registry.NewCode().Text + `"}`)
		unpaired.hear()
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
