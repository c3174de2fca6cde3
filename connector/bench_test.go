package connector_test

import (
	"net"
	"net/http"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/filmspool/filmspool/connector"
	"github.com/filmspool/filmspool/connector/protocol"
)

// The way from an event to its acknowledgement, with a sink that costs next
// to nothing, beside an echo of the same frames by the same library: what is
// between the two is ours. Run both in one go and compare.

func BenchmarkEcho(b *testing.B) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	upgrader := websocket.Upgrader{}
	web := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer conn.Close()
		for {
			kind, frame, err := conn.ReadMessage()
			if err != nil || conn.WriteMessage(kind, frame) != nil {
				return
			}
		}
	})}
	var serving sync.WaitGroup
	serving.Go(func() { _ = web.Serve(listener) })
	defer serving.Wait()
	defer web.Close()
	conn, _, err := websocket.DefaultDialer.Dial("ws://"+listener.Addr().String(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	roundTrips(b, conn)
}

func BenchmarkEventToAck(b *testing.B) {
	r := start(b, func(o *connector.Options) { o.Limits = connector.Limits{Rate: 1 << 30, Burst: 1 << 30} })
	_, token := r.pair(chromium)
	roundTrips(b, r.greeted(chromium, token).Conn)
}

// roundTrips sends one event at a time and waits for its answer.
func roundTrips(b *testing.B, conn *websocket.Conn) {
	frame := []byte(frameOf(b, film(1)))
	b.ReportAllocs()
	for b.Loop() {
		if err := conn.WriteMessage(websocket.TextMessage, frame); err != nil {
			b.Fatal(err)
		}
		if _, _, err := conn.ReadMessage(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEventToAckInFlight keeps as many events in flight as are allowed.
func BenchmarkEventToAckInFlight(b *testing.B) {
	r := start(b, func(o *connector.Options) { o.Limits = connector.Limits{Rate: 1 << 30, Burst: 1 << 30} })
	_, token := r.pair(chromium)
	s := r.greeted(chromium, token)
	frame := []byte(frameOf(b, film(1)))
	window := make(chan struct{}, 32)
	var reader sync.WaitGroup
	reader.Go(func() {
		for range b.N {
			if _, _, err := s.ReadMessage(); err != nil {
				b.Error(err)
				return
			}
			<-window
		}
	})
	b.ResetTimer()
	for range b.N {
		window <- struct{}{}
		if err := s.WriteMessage(websocket.TextMessage, frame); err != nil {
			b.Fatal(err)
		}
	}
	reader.Wait()
}

func BenchmarkDecode(b *testing.B) {
	frame := []byte(frameOf(b, film(1)))
	b.ReportAllocs()
	for b.Loop() {
		if _, refusal := protocol.Decode(frame); refusal != nil {
			b.Fatal(refusal)
		}
	}
}
