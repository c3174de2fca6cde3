package queue

import (
	"database/sql"
	"fmt"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// place is where an entry belongs: its account, and of an item the list there.
type place struct {
	account string
	list    int64         // the entry of the list; 0 for none
	lists   viewing.State // in which that stands
}

// places are where an event goes. What is put on a list goes where its list is.
func (t *tx) places(e event) (places []place, err error) {
	if e.Kind == viewing.KindListItem {
		if places, err = t.listsNamed(e.kind, e.InList); err != nil || len(places) > 0 {
			return places, err
		}
	}
	for _, account := range t.settings.AccountsOf(e.source) {
		places = append(places, place{account: account})
	}
	return places, nil
}

// listsNamed are where a list is, by its event; nowhere when there is none, or
// none any more.
func (t *tx) listsNamed(kind, event string) ([]place, error) {
	rows, err := t.Query("SELECT n.id, n.account, n.state FROM "+schema.MadeOf+" WHERE v.id = (SELECT event FROM dedupe WHERE key = ?) AND n.kind = ?",
		schema.EventKey(kind, event), string(viewing.KindList))
	return disk.Collect(rows, err, func(r *sql.Rows) (p place, err error) {
		err = r.Scan(&p.list, &p.account, &p.lists)
		return p, err
	})
}

// fitToList fits the draft of an item to what became of its list.
func (d *draft) fitToList() {
	switch {
	case d.list == 0:
		if d.State == viewing.StatePending {
			d.State, d.Reason = viewing.StateHeld, viewing.ReasonNoList
		}
		d.Steps = append(d.Steps, "Held as no_list: the list that it belongs on is not known here.")
	case d.State != viewing.StateDropped:
		d.Steps = append(d.Steps, fmt.Sprintf("It waits for its list, entry %d, and goes to the account of that.", d.list))
		if d.lists == viewing.StateDropped {
			d.State, d.Reason = viewing.StateDropped, withoutList
			d.Steps = append(d.Steps, "Dropped: its list was dropped.")
		}
	}
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
