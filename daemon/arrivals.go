package daemon

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// arrivals are the connections that have come and have not asked anything yet. A
// server that is shut down would drop them without an answer.
type arrivals struct {
	mu      sync.Mutex
	waiting map[net.Conn]bool
	left    chan struct{} // of one slot, nudged when one has asked or gone
}

func newArrivals() *arrivals {
	return &arrivals{waiting: map[net.Conn]bool{}, left: make(chan struct{}, 1)}
}

// note is the ConnState of a server.
func (a *arrivals) note(c net.Conn, state http.ConnState) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if state == http.StateNew {
		a.waiting[c] = true
		return
	}
	delete(a.waiting, c)
	select {
	case a.left <- struct{}{}:
	default:
	}
}

// settle waits until each has asked or gone, at most so long. Then it closes those that
// stay silent: browsers connect ahead of what they ask, and connect again.
func (a *arrivals) settle(patience time.Duration) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for a.any() {
		select {
		case <-a.left:
			continue
		case <-timer.C:
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		for c := range a.waiting {
			_ = c.Close() // nobody was promised anything
		}
		return
	}
}

func (a *arrivals) any() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.waiting) > 0
}
