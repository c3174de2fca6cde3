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
// goes on: how far it is, where that is known.
func (p *program) patiently(do func() error) error {
	return p.telling(do, func(seconds int) {
		if p.soFar != nil {
			p.stderr.Printf("%s Ctrl-C ends it safely.\n", p.soFar())
			return
		}
		p.stderr.Printf("Still at work after %d s. Ctrl-C ends it safely.\n", seconds)
	})
}

// atWork is patiently for a command of the service, whose end is not in our
// hands: on a terminal it says what goes on.
func (p *program) atWork(verb string, do func() error) error {
	file, isFile := p.stderr.file()
	if !isFile || !term.IsTerminal(int(file.Fd())) {
		return do()
	}
	return p.telling(do, func(seconds int) { p.stderr.Printf("%s: still waiting after %d s\n", verb, seconds) })
}

// telling does what may take long, and has say tell of it now and then, with
// the seconds it has taken.
func (p *program) telling(do func() error, say func(seconds int)) error {
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
				say(int(now.Sub(begun).Seconds()))
				timer.Reset(nextWord)
			}
		}
	})
	defer telling.Wait()
	defer close(done)
	return do()
}
