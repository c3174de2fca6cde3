package queue

import (
	"context"
	"time"
)

// OpenAt is [Open] with a clock, for tests in package queue_test.
func OpenAt(ctx context.Context, o Options, now func() time.Time) (*Store, error) {
	return openAt(ctx, o, now)
}
