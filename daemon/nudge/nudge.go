// Package nudge tells when it is worth trying again what has failed: the network has
// changed, the machine has slept, the clock was set.
//
// It owns the watching. On Linux the kernel tells of addresses and routes; elsewhere,
// or where the kernel refuses, it looks every half minute. It compares two clocks to
// see sleep. It promises to watch only while it is armed, so that an idle program is
// not woken. It makes one nudge of a burst of news.
//
// It refuses to know whether anything can be reached. A nudge says no more than "try
// now", and a missed one costs no more than the usual wait.
package nudge

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// Why it is worth trying again.
const (
	Network = "the network has changed"
	Clock   = "the machine has slept, or its clock was set"
)

// lookEvery is how often the clocks, and without news from the kernel the
// addresses, are compared while armed.
const lookEvery = 30 * time.Second

// Options configures [Run].
type Options struct {
	// Armed brings true when something begins to wait and false when nothing
	// does any more. Until the first true nothing is watched; closing it is
	// like false for good.
	Armed <-chan bool
	// Logger may be nil.
	Logger *slog.Logger
}

// Run calls wake, with [Network] or [Clock], each time it is worth trying
// again while it is armed, until ctx ends, which is no error. Between two
// calls for the network are at least five seconds. wake must not block.
func Run(ctx context.Context, o Options, wake func(reason string)) error {
	if o.Armed == nil || wake == nil {
		return errors.New("watch for nudges: a channel that arms and a function to call are needed")
	}
	return newWatcher(o, wake).run(ctx)
}

// watcher is one Run; only its goroutine touches it.
type watcher struct {
	armed <-chan bool
	log   *slog.Logger
	wake  func(reason string)

	listen    func() (*ear, error) // news from the kernel
	addresses func() string        // how the machine stands in the network
	clock     func() reading

	burst  burst
	stood  string // as addresses said last
	before reading
}

func newWatcher(o Options, wake func(string)) *watcher {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &watcher{
		armed: o.Armed, log: o.Logger, wake: wake,
		listen: listen, addresses: addresses, clock: read,
	}
}

// run watches whenever it is armed.
func (w *watcher) run(ctx context.Context) error {
	for w.wait(ctx) {
		w.watch(ctx)
	}
	return nil
}

// wait blocks until it is armed; false when ctx has ended.
func (w *watcher) wait(ctx context.Context) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case on, ok := <-w.armed:
			if w.told(on, ok) {
				return true
			}
		}
	}
}

// told is whether to watch from now on. A closed channel says nothing more.
func (w *watcher) told(on, ok bool) bool {
	if !ok {
		w.armed = nil
	}
	return on
}

// watch watches until it is disarmed or ctx ends.
func (w *watcher) watch(ctx context.Context) {
	e, err := w.listen()
	if err != nil {
		w.log.Debug("no news of the network, looking at times", "error", err)
		e = &ear{}
	}
	defer e.close()
	w.burst, w.stood, w.before = burst{woke: w.burst.woke}, w.addresses(), w.clock()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	settled := time.NewTimer(lookEvery)
	defer settled.Stop()
	settled.Stop() // until there is news
	for {
		select {
		case <-ctx.Done():
			return
		case on, ok := <-w.armed:
			if !w.told(on, ok) {
				return
			}
		case certain, ok := <-e.news:
			if !ok {
				e.news = nil
			}
			w.heard(certain || !ok, settled)
		case <-look.C:
			w.look(e.news == nil, settled)
		case now := <-settled.C:
			w.settle(now)
		}
	}
}

// heard takes note of news from the kernel.
func (w *watcher) heard(certain bool, settled *time.Timer) {
	now := time.Now()
	settled.Reset(w.burst.add(certain, now).Sub(now))
}

// look compares the clocks, and the addresses where nobody else does.
func (w *watcher) look(deaf bool, settled *time.Timer) {
	was := w.before
	w.before = w.clock()
	if w.before.jumped(was) {
		w.wake(Clock)
	}
	if deaf && w.addresses() != w.stood {
		w.heard(true, settled)
	}
}

// settle ends a burst of news. Much of what the kernel tells changes nothing
// for us: a scan for radio stations, an address whose time was prolonged.
func (w *watcher) settle(now time.Time) {
	certain := w.burst.take(now)
	stands := w.addresses()
	if certain || stands != w.stood {
		w.stood = stands
		w.wake(Network)
	}
}
