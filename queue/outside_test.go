package queue

import (
	"context"
	"time"
)

// OpenAt is [Open] with a clock, for tests that put the queue together with
// its neighbours.
func OpenAt(ctx context.Context, o Options, now func() time.Time) (*Store, error) {
	return openAt(ctx, o, now)
}
