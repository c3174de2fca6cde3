package daemon

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A queue that is stuck costs the sign of life, and gives it back when it moves
// again. Half of what the manager allows passes between two signs.
func TestAStuckQueueMissesTheBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const every = 90 * time.Second
		var stuck atomic.Bool
		alive := func(ctx context.Context) error {
			if stuck.Load() {
				<-ctx.Done()
			}
			return ctx.Err()
		}
		var signs atomic.Int64
		d := &Daemon{core: &core{log: slog.New(slog.DiscardHandler)}}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			d.feedWatchdog(ctx, every, alive, func() error { signs.Add(1); return nil })
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
