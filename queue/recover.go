package queue

import (
	"path/filepath"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// standIns gives entries whose event is lost one that says so.
const standIns = `INSERT INTO events (id, source, source_kind, event_id, body, committed_at)
	SELECT n.event, 'lost:', 'lost', 'event ' || n.event, '{}', min(n.created_at)
	FROM entries AS n WHERE n.event NOT IN (SELECT id FROM events) GROUP BY n.event`

// repair makes rows that were copied from a damaged file agree with each other, and says
// so. What was pending is held, since it may have been sent; what was being sent is put in
// doubt by the start.
func (s *Store) repair(d *sqlite.Tx, found sqlite.Recovery) error {
	t := &tx{Tx: d, memory: &memory{}, settings: s.settings, now: d.Now} // the counters are counted at the end
	unreadable, err := t.Affect(`DELETE FROM entries WHERE NOT json_valid(coalesce(media, '{}')) OR NOT json_valid(coalesce(list, '{}')) OR NOT json_valid(decided) OR NOT json_valid(coalesce(watched, '{}')) OR NOT json_valid(coalesce(cause, '{}')) OR NOT json_valid(coalesce(reported, '{}'))`)
	if err != nil {
		return err
	}
	err = t.Run("UPDATE events SET body = '{}' WHERE NOT json_valid(body)", standIns,
		"UPDATE entries SET after = NULL WHERE after NOT IN (SELECT id FROM entries)",
		"DELETE FROM witnesses WHERE event NOT IN (SELECT id FROM events)")
	if err != nil {
		return err
	}
	for _, table := range []string{"witnesses", "attempts", "doubts", "lists_before", "steps", "lookups"} {
		if err := t.Run("DELETE FROM " + table + " WHERE entry NOT IN (SELECT id FROM entries)"); err != nil {
			return err
		}
	}
	var entries, eventless int64
	_, err = t.Find(`SELECT (SELECT count(*) FROM entries), (SELECT count(*) FROM events AS v
		WHERE NOT EXISTS (SELECT 1 FROM entries WHERE event = v.id) AND NOT EXISTS (SELECT 1 FROM witnesses WHERE event = v.id))`, nil, &entries, &eventless)
	if err != nil {
		return err
	}
	what := viewing.Say("notice.damaged", "file", filepath.Base(found.Aside), "entries", number(entries))
	if lost := found.Lost + unreadable + eventless; lost > 0 {
		what.Code, what.Args["rows"] = "notice.damagedLost", number(lost)
	}
	if err := t.holdAll(entry.Step{Code: "restored.damage"}, what); err != nil {
		return err
	}
	return t.Run("DELETE FROM lookups WHERE entry NOT IN (SELECT id FROM entries WHERE "+unidentifiedRows+")",
		"INSERT OR IGNORE INTO lookups (entry, account, ask_at) SELECT id, account, 0 FROM entries WHERE "+unidentifiedRows,
		`INSERT OR IGNORE INTO doubts (entry, account, since, at, look_at)
			SELECT id, account, created_at, created_at, 0 FROM entries WHERE state = 'in_doubt'`,
		"DELETE FROM counters", "INSERT INTO counters (account, state, current, ever) SELECT account, state, count(*), count(*) FROM entries GROUP BY account, state")
}
