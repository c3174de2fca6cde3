package daemon

import (
	"context"
	"time"
)

// sourcePatience is how long a stop waits for a source. Reading a library takes
// longer only where the file system does not answer, as a network drive that is
// away; no call that hangs there can be ended.
const sourcePatience = 2 * time.Second

// attend runs a source until it ends. After ctx has ended it is waited for only
// so long, and then left behind: the program is about to end, and whatever the
// source hands over from then on is refused by its own ended context.
func (d *Daemon) attend(ctx context.Context, name string, run func(context.Context) error) error {
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	patience := time.NewTimer(sourcePatience)
	defer patience.Stop()
	select {
	case err := <-ended:
		return err
	case <-patience.C:
		d.log.Warn("a source is left behind: the file system does not answer it", "source", name)
		return nil
	}
}
