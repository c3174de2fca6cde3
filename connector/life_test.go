package connector_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
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
	"github.com/filmspool/filmspool/connector/client"
	"github.com/filmspool/filmspool/connector/protocol"
)

func TestHelloDeadline(t *testing.T) {
	for name, talk := range map[string]func(*socket){
		"silence":        func(*socket) {},
		"protocol pongs": func(s *socket) { _ = s.WriteControl(websocket.PongMessage, nil, time.Now().Add(time.Second)) },
		"half a message": func(s *socket) {
			if w, err := s.NextWriter(websocket.TextMessage); err == nil {
				_, _ = w.Write(bytes.Repeat([]byte("x"), 8<<10)) // more than the buffer: it leaves
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := startInBubble(t, nil)
				began := time.Now()
				s := r.open(chromium)
				<-time.After(4 * time.Second)
				talk(s)
				s.closed(protocol.CloseNoHello)
				if waited := time.Since(began); waited != 5*time.Second {
					t.Errorf("closed after %v", waited)
				}
			})
		})
	}
}

func TestSilentClientsAreClosedAndLivingOnesAreNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInBubble(t, nil)
		_, token := r.pair(chromium)
		dead, living := r.greeted(chromium, token), r.greeted(chromium, token)
		dead.SetPingHandler(func(string) error { return nil }) // does not answer
		began := time.Now()
		var reading sync.WaitGroup
		reading.Go(func() { // answers pings, says nothing
			_ = living.SetReadDeadline(time.Time{})
			_, _, _ = living.ReadMessage()
		})
		_ = dead.SetReadDeadline(time.Time{})
		dead.closed(protocol.CloseGoingAway)
		if waited := time.Since(began); waited != 90*time.Second {
			t.Errorf("closed after %v", waited)
		}
		<-time.After(10 * time.Minute)
		living.say(frameOf(t, film(1)))
		synctest.Wait()
		if len(r.sink.kept()) != 1 {
			t.Error("the living socket is dead")
		}
		_ = living.Close()
		reading.Wait()
	})
}

// A client that does not read holds a pipe's writer up from the first byte.
func TestSlowReaderIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInBubble(t, nil)
		_, token := r.pair(chromium)
		s := r.greeted(chromium, token)
		s.say(`{"type":"ping"}`)
		<-time.After(9 * time.Second)
		if err := s.WriteMessage(websocket.TextMessage, []byte(`{"type":"ping"}`)); err != nil {
			t.Fatalf("cut off before its time: %v", err)
		}
		<-time.After(2 * time.Second)
		if err := s.WriteMessage(websocket.TextMessage, []byte(`{"type":"ping"}`)); err == nil {
			t.Error("still there after 11 s")
		}
	})
}

func TestSlowReaderOnARealSocketHoldsUpNobodyElse(t *testing.T) {
	r := start(t, func(o *connector.Options) {
		o.Limits = connector.Limits{Write: time.Second, Rate: 1 << 30, Burst: 1 << 30}
	})
	_, token := r.pair(chromium)
	other := r.greeted(chromium, token)
	s := r.greeted(chromium, token)
	frame := `{"type":"` + strings.Repeat("x", 60) + `","id":"` + strings.Repeat("y", 180) + `"}`
	for { // answers of 300 bytes that nobody reads, until the server has had enough
		if err := s.SetWriteDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		err := s.WriteMessage(websocket.TextMessage, []byte(frame))
		var late net.Error
		if errors.As(err, &late) && late.Timeout() {
			t.Fatal("neither read nor cut off")
		}
		if err != nil {
			break
		}
	}
	other.alive()
}

func TestRevokedWhileConnected(t *testing.T) {
	gated := &sink{entered: make(chan struct{}, 8), gate: make(chan struct{})}
	r := start(t, func(o *connector.Options) { o.Sink = gated })
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
	one.closed(protocol.CloseRevoked) // at once, not after the disk
	two.closed(protocol.CloseRevoked)
	other.alive()
	close(gated.gate)
	again := r.open(chromium)
	again.say(strings.TrimSuffix(hello, "}") + `,"token":"` + token + `"}`)
	again.refused(protocol.PairingRequired)
	again.closed(protocol.CloseToken)
	r.stop()
	if kept := gated.kept(); len(kept) != 1 || kept[0].EventID != uuid(0) {
		t.Errorf("kept %d events, want the one that was under way", len(kept))
	}
}

func TestRevokedAfterPairingOnTheSameSocket(t *testing.T) {
	r := start(t, nil)
	c, err := r.dialAs(chromium, "", "")
	if err != nil {
		t.Fatal(err)
	}
	id, token, err := c.Pair(t.Context(), r.registry.NewCode().Text, "desk")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.registry.Revoke(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	<-c.Done()
	var end *client.ClosedError
	if !errors.As(c.Err(), &end) || end.Code != protocol.CloseRevoked {
		t.Errorf("closed with %v", c.Err())
	}
	// A daemon that has forgotten us cannot prove itself: the token stays here.
	if _, err := r.dialAs(chromium, id, token); !errors.Is(err, client.ErrProof) {
		t.Errorf("after revocation: %v", err)
	}
}

func TestRateLimit(t *testing.T) {
	r := start(t, func(o *connector.Options) { o.Limits = connector.Limits{Rate: 1, Burst: 5, Ignored: 10} })
	_, token := r.pair(chromium)
	s := r.greeted(chromium, token) // hello is counted against the socket, not the client
	for n := range 5 {
		s.say(frameOf(t, film(n)))
		if got := s.hear(); got["type"] != "ack" {
			t.Fatalf("message %d: %v", n, got)
		}
	}
	second := r.greeted(chromium, token) // the same client: no fresh burst
	for n := range 9 {
		second.say(frameOf(t, film(n)))
		got := second.refused(protocol.RateLimited)
		wait, _ := got["retryAfterMs"].(float64)
		if got["id"] != uuid(n) || got["retryable"] != true || wait < 1 || wait > 1000 {
			t.Fatalf("refusal %d: %v", n, got)
		}
	}
	second.say(frameOf(t, film(9)))
	second.refused(protocol.RateLimited)
	second.closed(protocol.CloseRate)
	_, otherToken := r.pair(chromium)
	r.greeted(chromium, otherToken).alive() // another client has its own
}

func TestRateRefills(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInBubble(t, func(o *connector.Options) { o.Limits = connector.Limits{Rate: 2, Burst: 3} })
		_, token := r.pair(chromium)
		s := r.greeted(chromium, token)
		for range 3 {
			s.alive()
		}
		s.say(`{"type":"ping"}`)
		if got := s.refused(protocol.RateLimited); got["retryAfterMs"] != 500.0 {
			t.Errorf("refusal %v", got)
		}
		<-time.After(500 * time.Millisecond)
		s.alive()
	})
}

// A client that is a little too fast now and then is slowed, never closed.
func TestRateLimitForgivesWhoHeedsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInBubble(t, func(o *connector.Options) { o.Limits = connector.Limits{Rate: 10, Burst: 1, Ignored: 3} })
		_, token := r.pair(chromium)
		s := r.greeted(chromium, token)
		for range 10 {
			s.alive()
			s.say(`{"type":"ping"}`)
			s.refused(protocol.RateLimited)
			<-time.After(100 * time.Millisecond)
		}
	})
}

// Whoever is not paired makes room for the next, the first come first; a paired
// client keeps its place.
func TestSocketLimits(t *testing.T) {
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

// Strangers take every place, as many as they like and anew all the time: the
// paired client comes in, and stays. The crowd may ask for a subprotocol that
// nobody speaks, and not hang up when it is told so.
func TestStrangersKeepNoPairedClientOut(t *testing.T) {
	for _, subprotocol := range []string{protocol.Subprotocol, "filmspool.v2"} {
		t.Run(subprotocol, func(t *testing.T) {
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
		})
	}
}

// An Origin whose places paired clients hold is refused further sockets. Those
// that do not hang up when they are told so keep nobody of another Origin out.
func TestRefusedSocketsKeepNobodyOut(t *testing.T) {
	r := start(t, func(o *connector.Options) { o.Limits = connector.Limits{Linger: patience} })
	_, token := r.pair(chromium)
	for range 8 {
		r.greeted(chromium, token)
	}
	for n := range 100 {
		spoken := []string{protocol.Subprotocol, "filmspool.v2"}[n%2]
		s, answer, err := r.try(chromium, "", []string{spoken})
		if err != nil {
			t.Fatalf("socket %d: %v (%v)", n, err, answer)
		}
		if got := s.hear(); got["type"] != "error" {
			t.Fatalf("socket %d: heard %v", n, got)
		}
	}
	r.greeted(firefox, "").alive()
}

// One extension cannot use up the hellos with which another is to be paired.
func TestHellosAreLimitedByOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInBubble(t, func(o *connector.Options) { o.Limits = connector.Limits{UnpairedHellos: 3} })
		for n := range 20 {
			s := r.open(firefox)
			s.say(hello)
			if n >= 3 {
				s.refused(protocol.RateLimited)
			}
			_ = s.Close()
			synctest.Wait()
		}
		r.greeted(chromium, "").alive()
		refused := 0
		for n := range 100 { // made-up Origins have a bound together
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
	})
}

func TestSocketsBeyondTwiceTheLimitAreNotUpgraded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in a bubble nobody hangs up by itself
		r := startInBubble(t, func(o *connector.Options) { o.Limits = connector.Limits{Sockets: 1} })
		_, token := r.pair(chromium)
		r.greeted(chromium, token)
		r.open(chromium) // being told why not
		_, answer, err := r.try(chromium, "", []string{protocol.Subprotocol})
		if err == nil || answer == nil || answer.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("third: %v, %v", answer, err)
		}
	})
}

func TestASocketThatClosesMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInBubble(t, func(o *connector.Options) { o.Limits = connector.Limits{Sockets: 1} })
		_, token := r.pair(chromium)
		first := r.greeted(chromium, token)
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		r.greeted(chromium, "").alive()
	})
}

func TestUnpairedHellosAreLimitedAndPairedClientsAreNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInBubble(t, func(o *connector.Options) { o.Limits = connector.Limits{UnpairedHellos: 3} })
		id, token := r.pair(chromium)
		for range 3 {
			_ = r.greeted(firefox, "").Close()
		}
		s := r.open(firefox)
		s.say(hello)
		if got := s.refused(protocol.RateLimited); got["retryAfterMs"] != 20000.0 {
			t.Errorf("refusal %v", got)
		}
		s.closed(protocol.CloseRate)
		_ = r.greeted(chromium, token).Close()
		if _, err := r.dialAs(chromium, id, token); err != nil { // its hello has no token
			t.Errorf("paired client kept out: %v", err)
		}
		<-time.After(20 * time.Second)
		r.greeted(firefox, "")
	})
}

func TestStopClosesAllAndAnswersWhatIsUnderWay(t *testing.T) {
	gated := &sink{entered: make(chan struct{}, 8), gate: make(chan struct{})}
	r := start(t, func(o *connector.Options) { o.Sink = gated })
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
}

func TestStopIsBoundedWhenTheSinkHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hung := &sink{entered: make(chan struct{}, 8), gate: make(chan struct{})} // never opened
		r := startInBubble(t, func(o *connector.Options) { o.Sink = hung })
		_, token := r.pair(chromium)
		s := r.greeted(chromium, token)
		s.say(frameOf(t, film(0)))
		<-hung.entered
		began := time.Now()
		stopped := make(chan struct{})
		go func() { defer close(stopped); r.stop() }()
		s.refused(protocol.Storage) // an honest error, no ack
		s.closed(protocol.CloseGoingAway)
		<-stopped
		if took := time.Since(began); took > 7*time.Second {
			t.Errorf("stopping took %v", took)
		}
	})
}

func TestStatusIsPushedWhenItHasChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var pending atomic.Int64
		r := startInBubble(t, func(o *connector.Options) {
			o.Status = func(context.Context) connector.Status {
				return connector.Status{Online: true, Pending: pending.Load(), LastDelivered: time.Unix(1772396100, 0)}
			}
		})
		c := r.client(chromium)
		stranger := r.greeted(firefox, "")
		began := time.Now()
		for range 100 { // a hundred changes at once are one push now and one later
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
		stranger.alive() // a pushed status would have come before the pong
	})
}

func TestLateComersHearTheLatestStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInBubble(t, nil)
		c, err := r.dialAs(chromium, "", "")
		if err != nil {
			t.Fatal(err)
		}
		r.server.Nudge()
		synctest.Wait()
		if _, _, err := c.Pair(t.Context(), r.registry.NewCode().Text, "desk"); err != nil {
			t.Fatal(err)
		}
		if got := <-c.Pushed(); got.Pending != 7 {
			t.Errorf("pushed %+v", got)
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
	var log syncBuffer
	r := start(t, func(o *connector.Options) {
		o.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		o.Sink = &sink{}
	})
	code := r.registry.NewCode().Text
	s := r.greeted(chromium, "")
	s.say(`{"type":"pair","id":"p","code":"WRONG222"}`)
	s.refused(protocol.PairingCodeInvalid)
	s.say(`{"type":"pair","id":"p","code":"` + code + `"}`)
	token := s.hear()["token"].(string)
	m := film(1)
	m.Media.Title = "A Private Film"
	s.say(frameOf(t, m))
	s.hear()
	wrong := r.open(firefox)
	wrong.say(strings.TrimSuffix(hello, "}") + `,"token":"` + token + `"}`)
	wrong.refused(protocol.PairingRequired)
	wrong.closed(protocol.CloseToken)
	r.stop()
	if log.Len() == 0 {
		t.Error("nothing was logged")
	}
	for _, secret := range []string{token, code, "WRONG222", "Private"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log has %q:\n%s", secret, log.String())
		}
	}
}
