package guard

import (
	"errors"
	"net"
	"os"
	"sync"
	"testing"
	"time"
)

// The listener lets in so many. A stranger makes room for whoever comes later,
// and who is known keeps the place.
func TestTheCrowdIsBounded(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	l := NewCrowd(inner, 2).(*crowd)
	accepted := make(chan *guest, 8)
	var accepting sync.WaitGroup
	accepting.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- conn.(*guest)
		}
	})
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		return conn
	}
	turnedAway := func(conn net.Conn, who string) {
		t.Helper()
		if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s still has a place: %v", who, err)
		}
	}
	first := dial()
	one := <-accepted
	dial()
	two := <-accepted
	two.known()
	dial()
	three := <-accepted
	turnedAway(first, "the oldest stranger")
	_ = one.Close() // its place is another's already
	if err := three.CloseWrite(); err != nil {
		t.Errorf("a guest cannot end its half: %v", err)
	}
	three.known()
	turnedAway(dial(), "a stranger among the known")
	_ = two.Close()
	_ = two.Close() // twice gives back one place
	fourth := dial()
	four := <-accepted
	dial()
	five := <-accepted
	turnedAway(fourth, "the fourth")
	for _, g := range []*guest{three, four, five} {
		_ = g.Close()
	}
	l.mu.Lock()
	if l.inside != 0 || l.strangers.Len() != 0 {
		t.Errorf("%d inside, %d strangers", l.inside, l.strangers.Len())
	}
	l.mu.Unlock()
	_ = inner.Close()
	accepting.Wait()
}
