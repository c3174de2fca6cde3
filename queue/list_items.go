package queue

import (
	"fmt"

	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// listEntry is the entry that creates a list.
type listEntry struct {
	id      int64
	account string
	state   viewing.State
}

// listNamed is the entry of a list by its event; nil when there is none, or
// none any more.
func (t *tx) listNamed(kind, event string) (*listEntry, error) {
	var l listEntry
	found, err := t.Find(`SELECT n.id, n.account, n.state FROM dedupe AS d JOIN entries AS n ON n.id = d.entry
		WHERE d.key = ? AND n.kind = ?`, []any{schema.EventKey(kind, event), string(viewing.KindList)}, &l.id, &l.account, &l.state)
	if err != nil || !found {
		return nil, err
	}
	return &l, nil
}

// listOf finds the list of an item, whose account is the item's too, and fits
// the decision to what became of it. It is nil for everything else.
func (t *tx) listOf(e event, d *rules.Decision) (*listEntry, error) {
	if e.Kind != viewing.KindListItem {
		return nil, nil
	}
	l, err := t.listNamed(e.kind, e.InList)
	switch {
	case err != nil:
		return nil, err
	case l == nil:
		if d.State == viewing.StatePending {
			d.State, d.Reason = viewing.StateHeld, viewing.ReasonNoList
		}
		d.Steps = append(d.Steps, "Held as no_list: the list that it belongs on is not known here.")
		return nil, nil
	}
	if d.Account = l.account; d.State == viewing.StateDropped {
		return l, nil
	}
	d.Steps = append(d.Steps, fmt.Sprintf("It waits for its list, entry %d, and goes to the account of that.", l.id))
	if l.state == viewing.StateDropped {
		d.State, d.Reason = viewing.StateDropped, withoutList
		d.Steps = append(d.Steps, "Dropped: its list was dropped.")
	}
	return l, nil
}

// withoutList is why an item is dropped with its list.
const withoutList = "its list was dropped"

// waitFor keeps an entry back until another one has arrived.
func (t *tx) waitFor(entry, first int64) error {
	_, err := t.Exec("UPDATE entries SET after = ? WHERE id = ?", first, entry)
	return err
}

// dropItems drops what waits for an entry that will not arrive.
func (t *tx) dropItems(first int64) error {
	waiting, err := t.Numbers("SELECT id FROM entries WHERE after = ? AND (state = 'pending' OR state = 'held')", first)
	if err != nil {
		return err
	}
	for _, id := range waiting {
		e, err := t.entry(id)
		if err != nil {
			return err
		}
		if err := t.move(e, viewing.StateDropped, withoutList); err != nil {
			return err
		}
		if err := t.step(id, string(viewing.StateDropped), fmt.Sprintf("Dropped with entry %d, its list.", first)); err != nil {
			return err
		}
	}
	return nil
}
