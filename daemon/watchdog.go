package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/filmspool/filmspool/daemon/service"
)

// vital is a part without which the program is of no use. Its question returns
// nil once the part has moved, and an error when ctx ends before that.
type vital struct {
	name  string
	moves func(ctx context.Context) error
}

// vitals are the queue's writer and its readers, the loop of each account, and
// the listener. What waits for the outside, such as a library on a server, is
// not among them: a new start would not mend it.
func (d *Daemon) vitals() []vital {
	all := []vital{
		{"queue", d.store.Alive},
		{"database", func(ctx context.Context) error {
			_, err := d.store.Counts(ctx)
			return err
		}},
		d.listens(),
	}
	for _, a := range d.accounts {
		all = append(all, vital{"account " + a.name, a.loop.Alive})
	}
	return all
}

// listens is the listener as a vital part.
func (d *Daemon) listens() vital {
	return vital{"listener", func(ctx context.Context) error { return answers(ctx, d.listening()) }}
}

// answers reports whether who listens at address takes up a connection. One
// that it hangs up on, as when there are too many, is an answer, too.
func answers(ctx context.Context, address string) error {
	client := http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/v1/health", nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(r)
	refused, dialled := errors.AsType[*net.OpError](err)
	switch {
	case err == nil:
		_, _ = io.Copy(io.Discard, answer.Body) // that it answers is all
		return answer.Body.Close()
	case ctx.Err() != nil:
		return ctx.Err()
	case dialled && refused.Op == "dial":
		return err
	}
	return nil
}

// feedWatchdog tells the service manager that we are alive, as long as all
// vital parts move; a manager that waits in vain restarts us.
func (d *Daemon) feedWatchdog(ctx context.Context) error {
	if every := service.WatchdogInterval(); every > 0 {
		d.beat(ctx, every, d.vitals(), func() error { return service.Notify("WATCHDOG=1") })
	}
	return nil
}

// beat gives a sign of life every so often until ctx ends, each only when all
// parts have moved for it.
func (d *Daemon) beat(ctx context.Context, every time.Duration, parts []vital, sign func() error) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := moving(ctx, every, parts); err != nil {
			if ctx.Err() == nil {
				d.log.Error("no sign of life is given: a part does not move", "error", err)
			}
			continue
		}
		if err := sign(); err != nil {
			d.log.Warn("the service manager was not told that we are alive", "error", err)
		}
	}
}

// moving waits until each part has moved, all of them no longer than patience.
func moving(ctx context.Context, patience time.Duration, parts []vital) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, part := range parts {
		if err := part.moves(ctx); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}
