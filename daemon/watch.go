package daemon

import "sync"

// changes gives a channel of one slot that is nudged at once, and when the queue or an
// account has changed, and a function that ends that.
func (d *Daemon) changes() (<-chan struct{}, func()) {
	news, ended := make(chan struct{}, 1), make(chan struct{})
	var all sync.WaitGroup
	follow := func(changed <-chan struct{}, stop func()) {
		all.Go(func() {
			defer stop()
			for {
				select {
				case news <- struct{}{}:
				default: // one is waiting already
				}
				select {
				case <-ended:
					return
				case <-changed:
				}
			}
		})
	}
	follow(d.store.Subscribe())
	for _, a := range d.accounts {
		follow(a.loop.Subscribe())
	}
	return news, func() { close(ended); all.Wait() }
}
