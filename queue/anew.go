package queue

import (
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// partial is an event of which entries are missing.
type partial struct {
	event
	id, first int64
	count     int // of the entries that were made of it
	committed int64
}

// makeAnew makes entries anew of events that are whole and have lost some:
// held, since they may have been sent, and under the numbers they had.
func (s *Store) makeAnew(d *disk.Tx) (made int64, err error) {
	t := &tx{Tx: d, ledger: &ledger{}, settings: s.settings, now: d.Now} // the counters are counted afterwards
	rows, err := t.Query(`SELECT v.id, v.source, v.body, v.entry, v.parts, v.committed_at FROM events AS v
		WHERE v.parts > (SELECT count(*) FROM entries AS n WHERE n.id BETWEEN v.entry AND v.entry + v.parts - 1 AND n.event = v.id)
		AND v.sum IS ` + schema.SealedEvent + " AND v.body <> '{}'")
	partials, err := disk.Collect(rows, err, func(rows *sql.Rows) (p partial, err error) {
		if err := rows.Scan(&p.id, &p.source, &p.body, &p.first, &p.count, &p.committed); err != nil {
			return p, err
		}
		p.kind = viewing.SourceKind(p.source)
		return p, json.Unmarshal(p.body, &p.Event)
	})
	if err != nil {
		return 0, err
	}
	for _, p := range partials {
		for n := range p.count {
			fresh, err := t.makePartAnew(p, n)
			if err != nil {
				return made, fmt.Errorf("make entry %d anew: %w", p.first+int64(n), err)
			}
			if fresh {
				made++
			}
		}
	}
	return made, nil
}

// makePartAnew makes the n-th entry anew, unless there is one of its number. The
// rules say only for which account it was.
func (t *tx) makePartAnew(p partial, n int) (fresh bool, err error) {
	id, items := p.first+int64(n), p.parts()
	var one int64
	if there, err := t.Find("SELECT 1 FROM entries WHERE id = ?", []any{id}, &one); err != nil || there || len(items) == 0 {
		return false, err
	}
	places, err := t.places(p.event)
	if err != nil {
		return false, err
	}
	item := items[n%len(items)]
	d := draft{Decision: rules.Decide(t.settings, p.source, p.Event, item, schema.Time(t.now)), part: n % len(items), item: item}
	d.account = places[min(n/len(items), len(places)-1)].account
	made, err := t.makeEntry(p.event, p.id, d)
	if err != nil {
		return false, err
	}
	_, err = t.Exec("UPDATE entries SET id = ?, state = 'held', reason = ?, created_at = ? WHERE id = ?",
		id, viewing.ReasonDamaged, p.committed, made)
	if err != nil {
		return false, err
	}
	t.newest.known = false
	return true, t.step(id, "damaged", "Made anew from what was seen, since its row was damaged. It may have been sent already.")
}
