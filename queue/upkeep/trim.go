package upkeep

import (
	"database/sql"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/schema"
)

// Keep is how long finished entries stay readable. What the service rejected stays
// until a person has looked at it, and the names of events stay for good.
const Keep = 365 * 24 * time.Hour

// trimStep is how many events one transaction looks at: a few milliseconds.
const trimStep = 200

// trimming goes through the events, the oldest first.
type trimming struct {
	after int64 // the last event looked at
	gone  int64 // events trimmed
	done  bool
}

// Tidy forgets what was finished more than a year ago, once a day, in small
// steps between which others write. The room is used again for what comes; the
// file does not shrink.
func Tidy(write func(func(*disk.Tx) error) error, logger *slog.Logger) {
	var p trimming
	for !p.done {
		from := p
		err := write(func(t *disk.Tx) (err error) {
			p, err = trim(t, from)
			return err
		})
		if errors.Is(err, disk.ErrClosed) {
			return
		}
		if err != nil {
			logger.Warn("finished entries not trimmed", "error", err)
			return
		}
	}
	if p.gone > 0 {
		logger.Info("trimmed what was finished long ago", "events", p.gone)
	}
}

// selectOld looks at events in the order of their ids, beside the newest, and
// says of each whether it is too young (then all after it are), and whether
// everything made of it is finished and old. An entry that another waits for
// stays, as does the newest, whose id must not be given again. A further
// sighting goes with the entry that it is one of.
const selectOld = `SELECT v.id, v.committed_at >= ?2,
		NOT EXISTS (SELECT 1 FROM witnesses AS w WHERE w.event = v.id)
		AND NOT EXISTS (SELECT 1 FROM entries AS n WHERE n.id BETWEEN v.entry AND v.entry + v.parts - 1 AND n.event = v.id
			AND (n.state NOT IN ('delivered', 'merged', 'dropped') OR coalesce(n.settled_at, n.created_at) >= ?2
				OR n.id = (SELECT max(id) FROM entries) OR EXISTS (SELECT 1 FROM entries AS w WHERE w.after = n.id)))
	FROM events AS v WHERE v.id > ?1 AND v.id < (SELECT max(id) FROM events) ORDER BY v.id LIMIT ?3`

// aged is an event that trim looks at.
type aged struct {
	id         int64
	young, old bool
}

// trim does one step, from where the last one ended.
func trim(t *disk.Tx, p trimming) (trimming, error) {
	rows, err := t.Query(selectOld, p.after, t.Now-Keep.Milliseconds(), trimStep)
	page, err := disk.Collect(rows, err, func(r *sql.Rows) (a aged, err error) {
		err = r.Scan(&a.id, &a.young, &a.old)
		return a, err
	})
	if err != nil {
		return p, err
	}
	p.done = len(page) < trimStep
	var old []int64
	for _, a := range page {
		if a.young {
			p.done = true
			break
		}
		p.after = a.id
		if a.old {
			old = append(old, a.id)
		}
	}
	gone, err := forget(t, old)
	p.gone += gone
	return p, err
}

// forget deletes events, what was made of them, and their further sightings,
// of which those that have entries of their own wait for their turn.
func forget(t *disk.Tx, events []int64) (gone int64, err error) {
	if len(events) == 0 {
		return 0, nil
	}
	entries, err := t.Numbers("SELECT n.id FROM "+schema.MadeOf+" WHERE v.id IN (SELECT value FROM json_each(?))", schema.Array(events))
	if err != nil {
		return 0, err
	}
	sightings, err := t.Numbers("SELECT DISTINCT event FROM witnesses WHERE entry IN (SELECT value FROM json_each(?))", schema.Array(entries))
	if err != nil {
		return 0, err
	}
	if err := forgetEntries(t, entries); err != nil {
		return 0, err
	}
	gone, err = t.Affect(`DELETE FROM events WHERE id IN (SELECT value FROM json_each(?)) AND id < (SELECT max(id) FROM events)
		AND NOT EXISTS (SELECT 1 FROM witnesses WHERE event = events.id)
		AND NOT EXISTS (SELECT 1 FROM entries AS n WHERE n.id BETWEEN events.entry AND events.entry + events.parts - 1 AND n.event = events.id)`, schema.Array(append(events, sightings...)))
	if err != nil {
		return 0, err
	}
	_, err = t.Exec("INSERT INTO meta (key, value) VALUES ('trimmed', ?) ON CONFLICT (key) DO UPDATE SET value = value + excluded.value", gone)
	return gone, err
}

// forgetEntries deletes entries with all that belongs to them, and takes them
// from the counters; the totals stay.
func forgetEntries(t *disk.Tx, entries []int64) error {
	list := schema.Array(entries)
	_, err := t.Exec(`UPDATE counters SET current = current - (
		SELECT count(*) FROM entries AS n WHERE n.id IN (SELECT value FROM json_each(?1)) AND n.state = counters.state)`, list)
	if err != nil {
		return err
	}
	tables, err := belongings(t)
	if err != nil {
		return err
	}
	for _, table := range tables {
		if _, err := t.Exec("DELETE FROM "+table+" WHERE entry IN (SELECT value FROM json_each(?))", list); err != nil {
			return err
		}
	}
	_, err = t.Exec("DELETE FROM entries WHERE id IN (SELECT value FROM json_each(?))", list)
	return err
}

// belongings are the tables whose rows belong to an entry.
func belongings(t *disk.Tx) ([]string, error) {
	rows, err := t.Query(`SELECT m.name FROM sqlite_schema AS m, pragma_foreign_key_list(m.name) AS f
		WHERE m.type = 'table' AND f."table" = 'entries' AND f."from" = 'entry'`)
	return disk.Collect(rows, err, func(r *sql.Rows) (name string, err error) {
		err = r.Scan(&name)
		return strings.ToLower(name), err
	})
}
