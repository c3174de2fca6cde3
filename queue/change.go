package queue

import (
	"database/sql"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

const selectEntry = "SELECT " + entry.Columns + " FROM entries AS n JOIN events AS v ON v.id = n.event WHERE n.id = ?"

// entry reads one entry as the transaction sees it.
func (t *tx) entry(id int64) (Entry, error) {
	rows, err := t.Query(selectEntry, id)
	entries, err := disk.Collect(rows, err, entry.Scan)
	if err != nil {
		return Entry{}, err
	}
	if len(entries) == 0 {
		return Entry{}, entry.ErrNotFound
	}
	return entries[0], nil
}

// move puts an entry into another state by the user's will, and voids its
// lease: whoever has it in hand must not send it any more. What is let go is
// due at once.
func (t *tx) move(e Entry, to viewing.State, reason string) error {
	_, err := t.Exec(`UPDATE entries SET state = ?, reason = ?, next_at = min(next_at, ?), settled_at = ?,
		lease = 0, lease_until = 0 WHERE id = ?`, string(to), reason, t.now, sql.NullInt64{Int64: t.now, Valid: to.Finished()}, e.ID)
	if err != nil {
		return err
	}
	t.pass(e.ID, e.State, to)
	if to == viewing.StateDropped && e.Kind == viewing.KindList {
		return t.dropItems(e.ID)
	}
	return nil
}

// raise makes the next request for an entry another act.
func (t *tx) raise(id int64) error {
	_, err := t.Exec("UPDATE entries SET revision = revision + 1 WHERE id = ?", id)
	return err
}

// byUser notes what the user did, and what the entry was before.
func (t *tx) byUser(e Entry, did string) error {
	return t.step(e.ID, "user", "By the user: "+did+"; it was "+e.Standing()+".")
}

// stand puts an entry into another state, and notes that the user did.
func (t *tx) stand(e Entry, did string, to viewing.State, reason string) error {
	if err := t.byUser(e, did); err != nil {
		return err
	}
	return t.move(e, to, reason)
}

// hold keeps a pending entry from leaving, and notes why.
func (t *tx) hold(id int64, reason, what, why string) error {
	_, err := t.Exec("UPDATE entries SET state = 'held', reason = ?, lease = 0, lease_until = 0 WHERE id = ?", reason, id)
	if err != nil {
		return err
	}
	t.pass(id, viewing.StatePending, viewing.StateHeld)
	return t.step(id, what, why)
}

// step notes what was decided about an entry, and why.
func (t *tx) step(entry int64, what, detail string) error {
	_, err := t.Exec(`INSERT INTO steps (entry, number, at, what, detail)
		SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3, ?4 FROM steps WHERE entry = ?1`,
		entry, t.now, what, detail)
	return err
}
