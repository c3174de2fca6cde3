package queue

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/schema"
)

// standIns gives entries whose event is lost one that tells its source and id, as far
// as dedupe knows them.
const standIns = `INSERT INTO events (id, source, source_kind, event_id, body, entry, parts, committed_at)
	SELECT n.event, coalesce(substr(d.key, 1, instr(d.key, ':')), 'lost:'), coalesce(substr(d.key, 1, instr(d.key, ':') - 1), 'lost'),
		coalesce(substr(d.key, instr(d.key, ':') + 1), 'event ' || n.event), '{}', min(n.id), max(n.id) - min(n.id) + 1, min(n.created_at)
	FROM entries AS n LEFT JOIN dedupe AS d ON d.event = n.event
	WHERE n.event NOT IN (SELECT id FROM events) GROUP BY n.event`

// repair makes rows that were copied from a damaged file agree with each other. What
// was pending is held, since it may have been sent; what was being sent is put in
// doubt by the start.
func (s *Store) repair(d *disk.Tx, found disk.Recovery) (disk.Notice, error) {
	t := &tx{Tx: d, ledger: &ledger{}, settings: s.settings, now: d.Now} // the counters are counted at the end
	unreadable, err := t.Affect(`DELETE FROM entries WHERE NOT json_valid(coalesce(media, '{}')) OR NOT json_valid(coalesce(list, '{}')) OR NOT json_valid(decided)`)
	if err != nil {
		return disk.Notice{}, err
	}
	err = t.Run("DELETE FROM events WHERE NOT json_valid(body)", standIns,
		"UPDATE entries SET lease = 0, lease_until = 0, behind = 0",
		"UPDATE entries SET after = NULL WHERE after NOT IN (SELECT id FROM entries)",
		"DELETE FROM witnesses WHERE event NOT IN (SELECT id FROM events)")
	if err != nil {
		return disk.Notice{}, err
	}
	if err := t.nameEvents(); err != nil {
		return disk.Notice{}, err
	}
	tables, err := t.belongings()
	if err != nil {
		return disk.Notice{}, err
	}
	for _, table := range tables {
		if err := t.Run("DELETE FROM " + table + " WHERE entry NOT IN (SELECT id FROM entries)"); err != nil {
			return disk.Notice{}, err
		}
	}
	held, err := t.holdPending("Held: the queue's file was damaged, and it may have been sent since.")
	if err != nil {
		return disk.Notice{}, err
	}
	err = t.Run("DELETE FROM lookups WHERE entry NOT IN (SELECT id FROM entries WHERE "+schema.Unidentified+")",
		"INSERT OR IGNORE INTO lookups (entry, account, ask_at) SELECT id, account, 0 FROM entries WHERE "+schema.Unidentified,
		`INSERT OR IGNORE INTO doubts (entry, account, since, at, look_at)
			SELECT id, account, created_at, created_at, 0 FROM entries WHERE state = 'in_doubt'`,
		`UPDATE counters SET current = (SELECT count(*) FROM entries AS n WHERE n.state = counters.state)
			- iif(state = 'pending', (SELECT coalesce(max(id), 0) FROM entries), 0)`)
	if err != nil {
		return disk.Notice{}, err
	}
	var entries, eventless int64
	_, err = t.Find(`SELECT (SELECT count(*) FROM entries), (SELECT count(*) FROM events AS v WHERE v.parts > 0
		AND NOT EXISTS (SELECT 1 FROM entries AS n WHERE n.id BETWEEN v.entry AND v.entry + v.parts - 1))`, nil, &entries, &eventless)
	text := fmt.Sprintf("The queue's file was damaged and was set aside as %s. %d entries were copied from it; %d that were waiting are held, because they may have been sent.",
		filepath.Base(found.Aside), entries, held)
	if lost := found.Lost + unreadable + eventless; lost > 0 {
		text += fmt.Sprintf(" %d rows could not be read.", lost)
	}
	return disk.Notice{Text: text, Hint: "filmspool queue list --reason restored"}, err
}

// nameEvents writes lost names of events, so that an event that is reported again is
// known.
func (t *tx) nameEvents() error {
	type event struct {
		id   int64
		key  string
		body []byte
	}
	rows, err := t.Query(`SELECT v.id, v.source_kind || ':' || v.event_id, v.body FROM events AS v
		WHERE v.source_kind <> 'lost' AND NOT EXISTS (SELECT 1 FROM dedupe WHERE key = v.source_kind || ':' || v.event_id)`)
	all, err := disk.Collect(rows, err, func(rows *sql.Rows) (e event, err error) { return e, rows.Scan(&e.id, &e.key, &e.body) })
	if err != nil {
		return err
	}
	for _, e := range all {
		content := sha256.Sum256(e.body)
		_, err := t.Exec(`INSERT INTO dedupe (key, content, event, entry) VALUES (?1, ?2, ?3, coalesce(
			(SELECT entry FROM events WHERE id = ?3), (SELECT min(entry) FROM witnesses WHERE event = ?3)))`, e.key, content[:], e.id)
		if err != nil {
			return err
		}
	}
	return nil
}

// belongings are the tables whose rows belong to an entry.
func (t *tx) belongings() ([]string, error) {
	rows, err := t.Query(`SELECT m.name FROM sqlite_schema AS m, pragma_foreign_key_list(m.name) AS f
		WHERE m.type = 'table' AND f."table" = 'entries' AND f."from" = 'entry'`)
	return disk.Collect(rows, err, func(r *sql.Rows) (name string, err error) {
		err = r.Scan(&name)
		return strings.ToLower(name), err
	})
}
