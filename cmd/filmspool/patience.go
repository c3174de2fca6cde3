package main

import (
	"fmt"
	"sync"
	"time"
)

// When a command that takes its time says so: scripts, which read the standard
// output, never see it.
const (
	firstWord = 2 * time.Second
	nextWord  = 5 * time.Second
)

// patiently does what may take long, and says on the standard error that it
// goes on.
func (p *program) patiently(do func() error) error {
	done := make(chan struct{})
	var telling sync.WaitGroup
	begun := time.Now()
	telling.Go(func() {
		timer := time.NewTimer(firstWord)
		defer timer.Stop()
		for {
			select {
			case <-done:
				return
			case now := <-timer.C:
				fmt.Fprintf(p.stderr, "Still at work after %d s. Ctrl-C ends it safely.\n", int(now.Sub(begun).Seconds()))
				timer.Reset(nextWord)
			}
		}
	})
	defer telling.Wait()
	defer close(done)
	return do()
}
