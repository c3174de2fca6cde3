package queue

import (
	"context"
	"fmt"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Contradict holds a pending entry because something contradicts the number by which
// its source knows it; why says what. It leaves an entry alone that has changed since
// it was read, or that a person has decided about.
func (s *Store) Contradict(ctx context.Context, e Entry, why viewing.Message) (held bool, err error) {
	err = s.write(ctx, fmt.Sprintf("hold entry %d", e.ID), func(t *tx) error {
		now, err := t.entry(e.ID)
		if err != nil || now.State != viewing.StatePending || now.Revision != e.Revision || now.Touched != entry.Untouched {
			return err
		}
		held = true
		return t.transition(&now, viewing.StateHeld, viewing.ReasonContradicted, entry.Step{Code: "contradicted", Cause: &why})
	})
	return held, err
}
