package queue

import (
	"database/sql"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// place is where an entry belongs: its account, and of an item the list there.
type place struct {
	account string
	list    int64         // the entry of the list; 0 for none
	lists   viewing.State // the state of that
}

// places are where an event goes. What is put on a list goes where its list is.
func (t *tx) places(e event) (places []place, err error) {
	if e.Kind == viewing.KindListItem {
		places, err = sqlite.All(t.Tx, func(r *sql.Rows) (p place, err error) {
			err = r.Scan(&p.list, &p.account, &p.lists)
			return p, err
		}, `SELECT n.id, n.account, n.state FROM events AS v JOIN entries AS n ON n.event = v.id
			WHERE v.source_kind = ? AND v.event_id = ? AND n.kind = ?`, e.kind, e.InList, string(viewing.KindList))
		if err != nil || len(places) > 0 {
			return places, err
		}
	}
	for _, account := range t.settings.AccountsOf(e.source) {
		places = append(places, place{account: account})
	}
	return places, nil
}

// fitToList fits the draft of an item to what became of its list.
func (d *draft) fitToList(list viewing.State) {
	say := func(code string) {
		d.steps = append(d.steps, entry.Step{Code: code, Args: entry.Args{"entry": number(d.After)}})
	}
	switch {
	case d.After == 0:
		if d.State == viewing.StatePending {
			d.State, d.Reason = viewing.StateHeld, viewing.ReasonNoList
		}
		say("rule.nolist")
	case d.State != viewing.StateDropped:
		say("rule.list")
		if list == viewing.StateDropped {
			d.State, d.Reason = viewing.StateDropped, withoutList
			say("dropped.list")
		}
	}
}

// withoutList is why an item is dropped with its list.
const withoutList = "list_dropped"

// dropItems drops what waits for a list that will not arrive.
func (t *tx) dropItems(list int64) error {
	waiting, err := t.Numbers("SELECT id FROM entries WHERE after = ? AND (state = 'pending' OR state = 'held')", list)
	if err != nil {
		return err
	}
	for _, id := range waiting {
		e, err := t.entry(id)
		if err != nil {
			return err
		}
		step := entry.Step{Code: "dropped.list", Args: entry.Args{"entry": number(list)}}
		if err := t.transition(&e, viewing.StateDropped, withoutList, step); err != nil {
			return err
		}
	}
	return nil
}
