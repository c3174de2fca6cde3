package daemon

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/filmspool/filmspool/daemon/nudge"
	"github.com/filmspool/filmspool/queue/account"
)

// nudgeSpread is the longest wait between a nudge and the try: machines that
// share a network must not come back all at once.
const nudgeSpread = 2 * time.Second

// watchForNudges has the accounts that wait tried again when there is reason
// to, until ctx ends.
func (d *Daemon) watchForNudges(ctx context.Context) error {
	var tries sync.WaitGroup
	defer tries.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	armed := make(chan bool)
	tries.Go(func() { d.arm(ctx, armed) })
	return nudge.Run(ctx, nudge.Options{Armed: armed, Logger: d.log.With("part", "nudge")}, func(reason string) {
		tries.Go(func() { d.tryAgain(ctx, reason) })
	})
}

// arm says whether anything waits, each time that has changed.
func (d *Daemon) arm(ctx context.Context, armed chan<- bool) {
	look, stop := d.changes()
	defer stop()
	for was := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-look:
		}
		if now := d.anyStuck(ctx); now != was {
			select {
			case <-ctx.Done():
				return
			case armed <- now:
				was = now
			}
		}
	}
}

func (d *Daemon) anyStuck(ctx context.Context) bool {
	for _, a := range d.accounts {
		if d.stuck(ctx, a) {
			return true
		}
	}
	return false
}

// stuck reports whether entries of a wait for a way to the service, or for the
// service to take the key or show itself: what another network may mend.
func (d *Daemon) stuck(ctx context.Context, a *sender) bool {
	h := a.loop.Health()
	if h.State != account.Offline && h.Pause != account.PausedKey && h.Pause != account.PausedAddress {
		return false
	}
	waits, err := d.store.Waits(ctx, a.name)
	if err != nil && ctx.Err() == nil {
		d.log.Warn("the queue does not say whether anything waits", "account", a.name, "error", err)
	}
	return waits
}

// tryAgain wakes the accounts that wait, after a moment.
func (d *Daemon) tryAgain(ctx context.Context, reason string) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(rand.N(nudgeSpread)):
	}
	for _, a := range d.accounts {
		if d.stuck(ctx, a) {
			d.log.Info("trying again", "account", a.name, "reason", reason)
			a.loop.Wake()
		}
	}
}
