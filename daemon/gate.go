package daemon

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// gate gives each request to the instance of the moment. While there is none, requests wait
// for the next one: the servers outlive a reload, so nobody is refused or cut off by it.
type gate struct {
	mu      sync.Mutex
	now     *instance     // nil between two
	entered chan struct{} // closed when the next one answers
	closed  chan struct{} // closed when no other comes
}

func newGate() gate { return gate{entered: make(chan struct{}), closed: make(chan struct{})} }

// instance answers requests until it has left the gate and is finished.
type instance struct {
	public, commands http.Handler

	requests sync.WaitGroup  // under way
	patience context.Context // ends when those that are under way are cut off
	cut      func()
}

func newInstance(public, commands http.Handler) *instance {
	i := &instance{public: public, commands: commands}
	i.patience, i.cut = context.WithCancel(context.Background())
	return i
}

// finish waits for the requests that are under way, and cuts off those that take too long.
func (i *instance) finish() {
	impatient := time.AfterFunc(stopTime, i.cut)
	i.requests.Wait()
	impatient.Stop()
	i.cut()
}

// enter has an instance answer from now on.
func (g *gate) enter(i *instance) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now = i
	close(g.entered)
}

// leave has the requests that come from now on wait for the next instance.
func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.now != nil {
		g.now, g.entered = nil, make(chan struct{})
	}
}

// visit is the instance for a request, which the caller tells when it is done; nil where ctx
// or the process ended before there was one.
func (g *gate) visit(ctx context.Context) *instance {
	for {
		g.mu.Lock()
		i, entered := g.now, g.entered
		if i != nil {
			i.requests.Add(1)
		}
		g.mu.Unlock()
		if i != nil {
			return i
		}
		select {
		case <-entered:
		case <-g.closed:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// forward is the handler of a server: which of an instance's own answers.
func (g *gate) forward(which func(*instance) http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := g.visit(r.Context())
		if i == nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		defer i.requests.Done()
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(i.patience, func() {
			cancel()
			past, c := time.Unix(1, 0), http.NewResponseController(w)
			_, _ = c.SetReadDeadline(past), c.SetWriteDeadline(past) // fail only where the connection is gone
		})()
		which(i).ServeHTTP(w, r.WithContext(ctx))
	})
}
