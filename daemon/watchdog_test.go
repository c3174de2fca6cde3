package daemon

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A part that is stuck costs the sign of life, and gives it back when it moves
// again. Half of what the manager allows passes between two signs.
func TestAStuckPartMissesTheBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const every = 90 * time.Second
		var stuck atomic.Bool
		parts := []vital{
			{"well", func(context.Context) error { return nil }},
			{"sick", func(ctx context.Context) error {
				if stuck.Load() {
					<-ctx.Done()
				}
				return ctx.Err()
			}},
		}
		var signs atomic.Int64
		d := &Daemon{log: slog.New(slog.DiscardHandler)}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			d.beat(ctx, every, parts, func() error { signs.Add(1); return nil })
		}()
		pass := func(beats int) {
			time.Sleep(time.Duration(beats) * every)
			synctest.Wait()
		}
		if pass(3); signs.Load() != 3 {
			t.Errorf("%d signs of life in three beats", signs.Load())
		}
		stuck.Store(true)
		if pass(4); signs.Load() != 3 {
			t.Errorf("%d signs of life while a part was stuck", signs.Load()-3)
		}
		stuck.Store(false)
		if pass(3); signs.Load() < 5 {
			t.Errorf("%d signs of life after it moved again", signs.Load()-3)
		}
		stop()
		<-ended
	})
}

// A listener that nobody serves is no listener, though the system takes up
// its connections; one that hangs up is alive.
func TestAnswers(t *testing.T) {
	well := httptest.NewServer(http.NotFoundHandler())
	defer well.Close()
	full := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer full.Close()
	deaf, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close()
	for name, c := range map[string]struct {
		address  string
		patience time.Duration
		alive    bool
	}{
		"one that answers":  {well.Listener.Addr().String(), time.Minute, true},
		"one that hangs up": {full.Listener.Addr().String(), time.Minute, true},
		"nobody":            {"127.0.0.1:1", time.Minute, false},
		"a deaf one":        {deaf.Addr().String(), 50 * time.Millisecond, false},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), c.patience)
		if err := answers(ctx, c.address); (err == nil) != c.alive {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
}
