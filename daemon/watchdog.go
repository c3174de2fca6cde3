package daemon

import (
	"context"
	"time"

	"github.com/filmspool/filmspool/daemon/service"
)

// feedWatchdog tells the service manager that we are alive, as long as the queue's writer
// moves; a manager that waits in vain restarts us.
func (d *Daemon) feedWatchdog(ctx context.Context) error {
	if every := service.WatchdogInterval(); every > 0 {
		d.beat(ctx, every, d.store.Alive, func() error { return service.Notify("WATCHDOG=1") })
	}
	return nil
}

// beat calls sign every so often until ctx ends, each time only when alive returns nil
// before the next time.
func (d *Daemon) beat(ctx context.Context, every time.Duration, alive func(context.Context) error, sign func() error) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		patience, cancel := context.WithTimeout(ctx, every)
		err := alive(patience)
		cancel()
		if err == nil {
			err = sign()
		}
		if err != nil && ctx.Err() == nil {
			d.log.Error("the service manager is not told that we are alive", "error", err)
		}
	}
}
