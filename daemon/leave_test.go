package daemon

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

// A stop waits for a source as long as a reading may take, and no longer.
func TestStopDoesNotWaitForASourceThatHangs(t *testing.T) {
	failed := errors.New("failed")
	for name, c := range map[string]struct {
		takes time.Duration // after the stop; negative before it
		err   error
		waits time.Duration
		want  error
	}{
		"ends at once":      {0, nil, 0, nil},
		"ends in time":      {time.Second, failed, time.Second, failed},
		"hangs":             {time.Hour, failed, libraryStopTime, nil},
		"fails long before": {-time.Hour, failed, 0, failed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &Daemon{core: &core{log: slog.New(slog.DiscardHandler)}}
				ctx, stop := context.WithCancel(t.Context())
				begun := time.Now()
				time.AfterFunc(2*time.Hour, stop)
				err := d.runLibrary(ctx, "kodi:x", func(ctx context.Context) error {
					if c.takes < 0 {
						time.Sleep(2*time.Hour + c.takes)
						return c.err
					}
					<-ctx.Done()
					time.Sleep(c.takes) // it hears of no end
					return c.err
				})
				took := time.Since(begun) - 2*time.Hour
				if !errors.Is(err, c.want) || (c.want == nil) != (err == nil) || c.takes >= 0 && took != c.waits || c.takes < 0 && took != c.takes {
					t.Errorf("%v after %s", err, took)
				}
				time.Sleep(4 * time.Hour) // by then all have ended
			})
		})
	}
}
