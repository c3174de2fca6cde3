package replay

import (
	"context"
	"sync"
	"time"
)

const (
	grace    = 5 * time.Second // for requests under way when the loop stops
	lastWord = 2 * time.Second // after that, for their settlements
)

// spans are how long work may go on. Claiming ends with the loop, requests a grace
// later, writes a little after that.
type spans struct{ claim, request, write context.Context }

// crew are the goroutines of a run. They hand their news to the one that owns
// the run, as functions.
type crew struct {
	spans   spans
	acts    chan func()
	flights sync.WaitGroup
	flying  int // entries begun
	probes  int // questions beside them
}

// post hands news to the goroutine that owns the run.
func (c *crew) post(act func()) { c.acts <- act }

// stopping is a question to our own context, never to an error: a request's
// time-out looks just like a stop.
func (c *crew) stopping() bool { return c.spans.claim.Err() != nil }

// stopwatch ends requests and writes some time after ctx has ended. The
// function it returns waits for its goroutine.
func stopwatch(ctx context.Context) (spans, func()) {
	request, cut := context.WithCancel(context.WithoutCancel(ctx))
	write, shut := context.WithCancel(context.WithoutCancel(ctx))
	finished := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		defer shut()
		defer cut()
		select {
		case <-finished:
			return
		case <-ctx.Done():
		}
		if !sleep(finished, grace) {
			return
		}
		cut()
		sleep(finished, lastWord)
	})
	return spans{claim: ctx, request: request, write: write}, func() { close(finished); watch.Wait() }
}

// sleep waits for d; it is false when done came first.
func sleep(done <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return false
	case <-timer.C:
		return true
	}
}
