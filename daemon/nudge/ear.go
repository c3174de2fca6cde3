package nudge

import "sync"

// ear hears news of the network; its zero value hears none.
type ear struct {
	news   <-chan bool // true: certainly a change; false: look yourself
	stop   func()      // ends the listening
	listen sync.WaitGroup
}

// close ends the listening and waits for its goroutine.
func (e *ear) close() {
	if e.stop != nil {
		e.stop()
	}
	e.listen.Wait()
}
