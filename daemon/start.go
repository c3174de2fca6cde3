package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
)

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
