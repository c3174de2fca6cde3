package terminal

import (
	"sync"
	"time"
)

// The times of progress messages. They go to the standard error, so scripts do not see them.
const (
	firstMessage = 2 * time.Second
	nextMessage  = 5 * time.Second
)

// WithProgress calls do, and say with the elapsed time while do is running.
func WithProgress(do func() error, say func(took time.Duration)) error {
	done := make(chan struct{})
	var printing sync.WaitGroup
	begun := time.Now()
	printing.Go(func() {
		for wait := firstMessage; ; wait = nextMessage {
			select {
			case <-done:
				return
			case <-time.After(wait):
				say(time.Since(begun))
			}
		}
	})
	defer printing.Wait()
	defer close(done)
	return do()
}
