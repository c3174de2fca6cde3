package main

import (
	"sync"
	"time"

	"golang.org/x/term"
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
	return p.telling("Still at work after %d s. Ctrl-C ends it safely.\n", do)
}

// atWork is patiently for a command of the service, whose end is not in our
// hands: on a terminal it says what goes on.
func (p *program) atWork(verb string, do func() error) error {
	file, isFile := p.stderr.file()
	if !isFile || !term.IsTerminal(int(file.Fd())) {
		return do()
	}
	return p.telling(verb+": still waiting after %d s\n", do)
}

// telling does what may take long, and writes a line with the seconds now and
// then.
func (p *program) telling(line string, do func() error) error {
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
				p.stderr.Printf(line, int(now.Sub(begun).Seconds()))
				timer.Reset(nextWord)
			}
		}
	})
	defer telling.Wait()
	defer close(done)
	return do()
}
