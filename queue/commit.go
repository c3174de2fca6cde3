package queue

import (
	"context"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Commit puts a batch on disk, whole or not at all, and answers each viewing
// in the batch's order. It returns after the disk has everything. A viewing
// against the field rules refuses the batch with an error wrapping
// [viewing.ErrInvalid]; trouble with the disk is [ErrStorage].
func (s *Store) Commit(ctx context.Context, b viewing.Batch) ([]viewing.Outcome, error) {
	return nil, ErrClosed
}

// State is what the source keeps here as its own memory.
func (s *Store) State(ctx context.Context, source string) (map[string][]byte, error) {
	return nil, ErrClosed
}
