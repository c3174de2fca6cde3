package connector_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"github.com/filmspool/filmspool/connector"
	"github.com/filmspool/filmspool/connector/protocol"
)

// A message that comes a byte at a time is given up, whatever signs of life
// come between.
func TestAMessageThatTricklesInIsCutOff(t *testing.T) {
	for name, limit := range map[string]time.Duration{"before hello": 5 * time.Second, "after hello": 10 * time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := startInBubble(t, nil)
				s := r.open(chromium)
				code := protocol.CloseNoHello
				if name == "after hello" {
					s.say(hello)
					s.hear()
					code = protocol.CloseGoingAway
				}
				began := time.Now()
				var sender sync.WaitGroup
				sender.Go(func() {
					writer, err := s.NextWriter(websocket.TextMessage)
					if err != nil {
						return
					}
					for err == nil {
						// More than the client's buffer, so that a fragment leaves each time.
						_, err = writer.Write([]byte(strings.Repeat("x", 5<<10)))
						_ = s.WriteControl(websocket.PongMessage, nil, time.Now().Add(time.Second))
						_ = s.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second))
						<-time.After(time.Second)
					}
				})
				s.closed(code)
				if took := time.Since(began); took > limit+time.Second { // it is noticed at the next byte
					t.Errorf("closed after %v", took)
				}
				_ = s.Close()
				sender.Wait()
			})
		})
	}
}

// A message that stops coming half-way is waited for as long as silence is;
// pongs beside it do not count.
func TestAMessageThatNeverEndsIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInBubble(t, nil)
		s := r.greeted(chromium, "")
		_ = s.SetReadDeadline(time.Time{})
		s.SetPingHandler(func(string) error { return nil }) // a pipe has no room: an answer could meet the close half-way
		began := time.Now()
		var sender sync.WaitGroup
		sender.Go(func() {
			writer, err := s.NextWriter(websocket.TextMessage)
			if err == nil {
				_, err = writer.Write([]byte(strings.Repeat("x", 5<<10)))
			}
			for err == nil {
				err = s.WriteControl(websocket.PongMessage, nil, time.Now().Add(time.Second))
				<-time.After(time.Second)
			}
		})
		s.closed(protocol.CloseGoingAway)
		if took := time.Since(began); took > 91*time.Second {
			t.Errorf("closed after %v", took)
		}
		_ = s.Close()
		sender.Wait()
	})
}

// Protocol pings and pongs are paid for like messages.
func TestAFloodOfPingsIsEnded(t *testing.T) {
	for name, kind := range map[string]int{"pings": websocket.PingMessage, "pongs": websocket.PongMessage} {
		for _, greeted := range []bool{true, false} {
			t.Run(fmt.Sprint(name, " greeted ", greeted), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := startInBubble(t, func(o *connector.Options) { o.Limits = connector.Limits{Rate: 1, Burst: 10, Ignored: 20} })
					s := r.open(chromium)
					if greeted {
						s.say(hello)
						s.hear()
					}
					answered := 0
					s.SetPongHandler(func(string) error { answered++; return nil })
					var sender sync.WaitGroup
					sender.Go(func() {
						for s.WriteControl(kind, []byte("x"), time.Now().Add(time.Minute)) == nil {
						}
					})
					s.closed(protocol.CloseRate)
					_ = s.Close()
					sender.Wait()
					if answered > 10 {
						t.Errorf("%d pongs for a burst of 10", answered)
					}
				})
			})
		}
	}
}

// The limits as they are when nobody sets them: 8 sockets of an Origin, 32 in
// all, 30 hellos of unknown clients of an Origin a minute.
func TestTheLimitsAsDocumented(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInBubble(t, nil)
		origin := func(n int) string { return "chrome-extension://" + strings.Repeat(string(rune('a'+n)), 32) }
		for n := range 4 {
			_, token := r.pair(origin(n))
			for range 8 {
				r.greeted(origin(n), token)
			}
			ninth := r.open(origin(n))
			ninth.refused(protocol.RateLimited)
			ninth.closed(protocol.CloseRate)
			_ = ninth.Close()
			synctest.Wait()
		}
		last := r.open(origin(4)) // the 33rd, and the first of its Origin
		last.refused(protocol.RateLimited)
		last.closed(protocol.CloseRate)
	})
	synctest.Test(t, func(t *testing.T) {
		r := startInBubble(t, nil)
		id, token := r.pair(chromium)
		for n := range 31 {
			s := r.open(chromium)
			s.say(hello)
			if n < 30 {
				s.hear()
			} else {
				s.refused(protocol.RateLimited)
				s.closed(protocol.CloseRate)
			}
			_ = s.Close()
			synctest.Wait()
		}
		if _, err := r.dialAs(chromium, id, token); err != nil { // a hello we know is none of the 30
			t.Error(err)
		}
	})
}

// Frames that break the websocket protocol itself, written byte by byte.
func TestBrokenFrames(t *testing.T) {
	for name, frame := range map[string]string{
		"not masked":                "\x81\x02{}",
		"reserved bits":             "\xf1\x80\x00\x00\x00\x00",
		"unknown opcode":            "\x83\x80\x00\x00\x00\x00",
		"a ping in parts":           "\x09\x80\x00\x00\x00\x00",
		"a ping of 126":             "\x89\xfe\x00\x7e\x00\x00\x00\x00" + strings.Repeat("x", 126),
		"a length of 2^63":          "\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00",
		"a length that never comes": "\x81\xff\x00\x00\x00\x00\x7f\xff\xff\xff\x00\x00\x00\x00" + strings.Repeat("x", 70<<10),
		"a continuation of nothing": "\x80\x80\x00\x00\x00\x00",
		"a close of one byte":       "\x88\x81\x00\x00\x00\x00\x01",
		"not UTF-8":                 "\x81\x81\x00\x00\x00\x00\xff",
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, nil)
			s := r.open(chromium)
			if _, err := s.NetConn().Write([]byte(frame)); err != nil {
				t.Fatal(err)
			}
			for {
				_, text, err := s.ReadMessage()
				if err != nil {
					break // ended, within its patience
				}
				if !strings.Contains(string(text), `"type":"error"`) {
					t.Errorf("heard %s", text)
				}
			}
			r.greeted(chromium, "").alive()
		})
	}
}
