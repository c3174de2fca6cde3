package terminal

import (
	"sync"
	"time"
)

// When a command that takes its time says so: scripts, which read the standard
// output, never see it.
const (
	firstWord = 2 * time.Second
	nextWord  = 5 * time.Second
)

// Telling does what may take long, and has say tell of it now and then, with the
// time it has taken.
func Telling(do func() error, say func(took time.Duration)) error {
	done := make(chan struct{})
	var telling sync.WaitGroup
	begun := time.Now()
	telling.Go(func() {
		for wait := firstWord; ; wait = nextWord {
			select {
			case <-done:
				return
			case <-time.After(wait):
				say(time.Since(begun))
			}
		}
	})
	defer telling.Wait()
	defer close(done)
	return do()
}
