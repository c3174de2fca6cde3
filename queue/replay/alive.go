package replay

import "context"

// Alive returns once the loop has come round to this question: it is neither
// stuck in what it does nor ended. Where it is, Alive returns when ctx ends,
// with its error. Requests under way have nothing to do with it.
func (l *Loop) Alive(ctx context.Context) error {
	select {
	case l.called <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
