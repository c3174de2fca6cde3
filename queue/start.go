package queue

import (
	"path/filepath"
	"strconv"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// reasonStopped is the reason of entries whose request was interrupted by the end of the process.
const reasonStopped = "stopped"

// start is the first change of each run. Entries that were being sent when the last run ended
// become in doubt. If the file is a backup, or lacks committed changes, its pending entries may
// have been sent already: they are held.
func (s *Store) start(d *sqlite.Tx, o sqlite.Opening) error {
	return s.change(d, func(t *tx) error {
		if o.Copied != 0 {
			at := entry.Time(millis(o.Copied))
			t.holdAll(entry.Step{Code: "restored.copy", Args: entry.Args{"at": at}}, viewing.Say("notice.copy", "at", at))
		}
		if o.Behind {
			s.logger.Error("the queue's file has lost its newest changes", "missing_events", o.Missing)
			what := viewing.Message{Code: "notice.lostChanges", Args: map[string]string{}}
			if o.Missing > 0 {
				what = viewing.Say("notice.lost", "events", number(o.Missing))
			}
			t.holdAll(entry.Step{Code: "restored.damage"}, what)
		}
		for _, id := range t.numbers("SELECT id FROM entries WHERE state = 'sending'") {
			t.exec("UPDATE attempts SET ended_at = ?, cause = ? WHERE entry = ? AND ended_at IS NULL", t.now, asJSON{viewing.Say(reasonStopped)}, id)
			e := t.entry(id)
			t.transition(&e, viewing.StateInDoubt, reasonStopped, entry.Step{Code: "doubt.stopped"})
			t.addDoubt(id, millis(t.now))
		}
		return nil
	})
}

// holdAll holds all pending entries and saves a notice with their number.
func (t *tx) holdAll(why entry.Step, notice viewing.Message) {
	pending := t.numbers("SELECT id FROM entries WHERE state = 'pending'")
	for _, id := range pending {
		e := t.entry(id)
		t.transition(&e, viewing.StateHeld, viewing.ReasonRestored, why)
	}
	notice.Args["held"] = strconv.Itoa(len(pending))
	must(0, t.Notify(sqlite.Notice{What: notice}))
}

// insertMissingEvents inserts a placeholder event for each entry whose event is lost.
const insertMissingEvents = `INSERT INTO events (id, source, source_kind, event_id, body, committed_at)
	SELECT n.event, 'lost:', 'lost', 'event ' || n.event, '{}', min(n.created_at)
	FROM entries AS n WHERE n.event NOT IN (SELECT id FROM events) GROUP BY n.event`

// repair makes the rows consistent that were copied from a damaged file, and saves a notice. It
// holds the pending entries, because they may have been sent; [Store.start] puts those that were
// being sent in doubt.
func (s *Store) repair(d *sqlite.Tx, found sqlite.Recovery) error {
	t := &tx{Tx: d, cache: &cache{}, settings: s.settings, now: d.Now} // the last statement recalculates the counters
	return catchTxError(func() error {
		lost := found.Lost
		for _, column := range []string{"media", "list", "decided", "watched", "cause", "reported"} {
			lost += t.exec("DELETE FROM entries WHERE NOT json_valid(coalesce(" + column + ", '{}'))")
		}
		t.exec("UPDATE events SET body = '{}' WHERE NOT json_valid(body)")
		t.exec(insertMissingEvents)
		t.exec("UPDATE entries SET after = NULL WHERE after NOT IN (SELECT id FROM entries)")
		t.exec("DELETE FROM witnesses WHERE event NOT IN (SELECT id FROM events)")
		for _, table := range []string{"witnesses", "attempts", "doubts", "lists_before", "steps", "lookups"} {
			t.exec("DELETE FROM " + table + " WHERE entry NOT IN (SELECT id FROM entries)")
		}
		var entries, eventless int64
		t.find(`SELECT (SELECT count(*) FROM entries), (SELECT count(*) FROM events AS v
			WHERE NOT EXISTS (SELECT 1 FROM entries WHERE event = v.id) AND NOT EXISTS (SELECT 1 FROM witnesses WHERE event = v.id))`, nil, &entries, &eventless)
		what := viewing.Say("notice.damaged", "file", filepath.Base(found.File), "entries", number(entries))
		if lost += eventless; lost > 0 {
			what.Code, what.Args["rows"] = "notice.damagedLost", number(lost)
		}
		t.holdAll(entry.Step{Code: "restored.damage"}, what)
		return t.Run("DELETE FROM lookups WHERE entry NOT IN (SELECT id FROM entries WHERE "+askableRows+")",
			"INSERT OR IGNORE INTO lookups (entry, account, ask_at) SELECT id, account, 0 FROM entries WHERE "+askableRows,
			`INSERT OR IGNORE INTO doubts (entry, account, since, at, look_at)
				SELECT id, account, created_at, created_at, 0 FROM entries WHERE state = 'in_doubt'`,
			"DELETE FROM counters", "INSERT INTO counters (account, state, current, ever) SELECT account, state, count(*), count(*) FROM entries GROUP BY account, state")
	})
}
