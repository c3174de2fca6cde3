package disk

import (
	"context"
)

// Alive returns once the writer has moved: it has taken up this question, and
// whoever was writing has come to an end. It touches neither disk nor database.
// Where one of them is stuck it returns when ctx ends, with its error.
func (f *File) Alive(ctx context.Context) error {
	answered := make(chan struct{})
	select {
	case f.asked <- answered:
	case <-ctx.Done():
		return ctx.Err()
	case <-f.done:
		return ErrClosed
	}
	select {
	case <-answered:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-f.done:
		return ErrClosed
	}
}
