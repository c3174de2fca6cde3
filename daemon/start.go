package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/daemon/tenure"
	"github.com/filmspool/filmspool/queue/sqlite"
)

// Runs that end soon because of the queue's file are no use after a few.
const (
	soon     = time.Minute
	fewSoons = 5
)

// Serve runs an instance until ctx ends. Where the disk is full or read-only it
// waits, says so, and tries again. When the queue's file is damaged or gone it
// opens the queue anew, which saves what can be saved. A changed configuration is
// taken in by an instance in the place of this one; where that cannot begin, the
// configuration of before counts on. The errors are those of [New] and [Daemon.Run].
func Serve(ctx context.Context, o Options) (err error) {
	o.wait, o.tenure = true, new(tenure.Tenure[config.Config])
	defer func() {
		if o.tenure.Began() { // an instance may have left the control file for one that never came
			_ = os.Remove(o.Paths.Control)
		}
		err = errors.Join(err, o.tenure.Close())
	}()
	short, told := 0, ""
	for pause := firstTry; ; pause = min(2*pause, lastTry) {
		begun := time.Now()
		err := serveOnce(ctx, o)
		if time.Since(begun) > soon {
			short, pause, told = 0, firstTry, ""
		}
		next := o.tenure.End(err)
		switch {
		case ctx.Err() != nil && errors.Is(err, context.Canceled): // it was ended while it began
			return nil
		case ctx.Err() != nil, err == nil && next == nil:
			return err
		case next != nil:
			if err != nil {
				o.Logger.Error("the configuration is not taken in as it was asked for", "error", err)
			}
			o.Config, pause = *next, firstTry
		case errors.Is(err, sqlite.ErrDamaged) && short < fewSoons:
			short++
			o.Logger.Error("the queue is opened anew", "error", err)
		case refusesWrites(err):
			if told != err.Error() {
				told = err.Error()
				o.Logger.Error("nothing can be written; trying again", "in", pause, "error", err)
			}
			_ = service.Notify("STATUS=Waiting: " + err.Error())
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(pause):
			}
		default:
			return err
		}
	}
}

// serveOnce runs one instance until ctx ends, a part fails or its configuration is
// another one.
func serveOnce(ctx context.Context, o Options) error {
	d, err := New(ctx, o)
	if err != nil {
		return err
	}
	ctx, d.stop = context.WithCancel(ctx)
	defer d.stop()
	return errors.Join(d.Run(ctx), d.Close())
}

// Start runs an instance beside its caller and finds it; it takes nothing from
// the environment and logs nothing. ctx bounds the start. The function that it
// returns ends the instance and waits for its end.
func Start(ctx context.Context, c config.Config, p config.Paths, version string) (*control.Client, func() error, error) {
	ready := make(chan struct{})
	d, err := New(ctx, Options{
		Config: c, Paths: p, Version: version, Logger: slog.New(slog.DiscardHandler),
		Getenv: func(string) string { return "" }, Ready: func(string) { close(ready) },
	})
	if err != nil {
		return nil, nil, err
	}
	running, end := context.WithCancel(context.WithoutCancel(ctx))
	stopped := make(chan error, 1)
	go func() { stopped <- errors.Join(d.Run(running), d.Close()) }()
	stop := func() error { end(); return <-stopped }
	select {
	case <-ready:
	case err := <-stopped:
		end()
		return nil, nil, fmt.Errorf("start the daemon: %w", err)
	case <-ctx.Done():
		return nil, nil, errors.Join(ctx.Err(), stop())
	}
	found, err := Find(ctx, p)
	if err != nil {
		return nil, nil, errors.Join(err, stop())
	}
	return found, func() error { found.Close(); return stop() }, nil
}
