package daemon

import (
	"context"
	"sync"
)

// changes gives a channel of one slot that is nudged when the queue or an account
// has changed, and a function that ends that.
func (d *Daemon) changes() (<-chan struct{}, func()) {
	out := make(chan struct{}, 1)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.onNews(ctx, func() {
			select {
			case out <- struct{}{}:
			default:
			}
		})
	}()
	return out, func() { stop(); <-done }
}

// onNews calls push once, and then whenever the queue or an account's health
// has changed, until ctx ends.
func (d *Daemon) onNews(ctx context.Context, push func()) {
	changed, stop := d.store.Subscribe()
	defer stop()
	var workers sync.WaitGroup
	defer workers.Wait()
	for _, a := range d.accounts {
		mood, stop := a.loop.Subscribe()
		defer stop()
		workers.Go(func() { pass(ctx, mood, push) })
	}
	push()
	pass(ctx, changed, push)
}

// pass calls push for each nudge until ctx ends.
func pass(ctx context.Context, nudges <-chan struct{}, push func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-nudges:
			push()
		}
	}
}
