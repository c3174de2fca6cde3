// Package brake knows what is to be held back or dropped whatever an event itself
// tells: what comes as a wave, and what was watched in a pause that drops.
//
// It owns the table of silences, and remembers which viewings came last. It promises
// that a restart makes no difference. It refuses to change an entry: package queue
// does that in the same transaction.
package brake

import (
	"database/sql"
	"encoding/json"
	"slices"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// keeps is how many viewings are remembered, of all sources together. A wave that
// trickles in more slowly than so many others is not seen.
const keeps = 500

// Memory is what a brake goes by. Only whoever writes touches it. The zero value
// knows nothing yet.
type Memory struct {
	known    bool
	silences []account.Silence
	moments  []moment // the last of them came last
}

// Forget has all looked up again: what was written may have been taken back.
func (m *Memory) Forget() { *m = Memory{} }

// Silences are those of an account.
func (m *Memory) Silences(t *disk.Tx, name string) (found []account.Silence, err error) {
	err = m.recall(t)
	for _, s := range m.silences {
		if s.Account == name {
			found = append(found, s)
		}
	}
	return found, err
}

// recall looks up what is not known.
func (m *Memory) recall(t *disk.Tx) error {
	if m.known {
		return nil
	}
	rows, err := t.Query("SELECT account, since, until FROM silences ORDER BY id")
	m.silences, err = disk.Collect(rows, err, func(r *sql.Rows) (s account.Silence, err error) {
		var since, until int64
		err = r.Scan(&s.Account, &since, &until)
		s.From, s.Until = schema.Time(since), schema.Time(until)
		return s, err
	})
	if err != nil {
		return err
	}
	rows, err = t.Query(`SELECT v.source, v.body, v.entry, v.parts FROM events AS v JOIN entries AS n ON n.id = v.entry
		WHERE v.id > (SELECT coalesce(max(id), 0) FROM events) - ?1 AND n.lane = 0 ORDER BY v.id`, keeps)
	all, err := disk.Collect(rows, err, scanMoment)
	m.moments = slices.DeleteFunc(all, func(o moment) bool { return o.items == "" })
	m.known = err == nil
	return err
}

// scanMoment reads the moment of an event; one without a moment has no items.
func scanMoment(r *sql.Rows) (o moment, err error) {
	var source string
	var body []byte
	var entry int64
	var parts int
	if err := r.Scan(&source, &body, &entry, &parts); err != nil {
		return o, err
	}
	var v viewing.Event
	if json.Unmarshal(body, &v) == nil {
		o, _ = momentOf(source, v)
	}
	o.entry, o.parts = entry, parts
	return o, nil
}

// toHold are the entries of a wave that can still be held, and were not decided
// about by a person or confirmed by another source.
const toHold = `SELECT n.id FROM json_each(?1) AS wanted JOIN entries AS n ON n.id = wanted.value
	WHERE (n.state = 'pending' AND n.attempts = 0 OR n.state = 'held' AND n.reason = 'unresolved')
	AND NOT EXISTS (SELECT 1 FROM steps WHERE entry = n.id AND what IN ('user', 'edited'))
	AND NOT EXISTS (SELECT 1 FROM witnesses AS w JOIN events AS v ON v.id = w.event WHERE w.entry = n.id AND v.source <> ?2)`

// Wave remembers when an event ended of which some entries were made, from the first
// on. It tells which entries of its wave are to be held now. A wave is more than
// limit different items of one source that ended within one minute; 0 is no limit.
func (m *Memory) Wave(t *disk.Tx, limit int, source string, v viewing.Event, first int64, parts int) (ids []int64, err error) {
	o, ok := momentOf(source, v)
	if !ok || limit < 1 {
		return nil, nil
	}
	if err := m.recall(t); err != nil {
		return nil, err
	}
	o.entry, o.parts = first, parts
	if len(m.moments) >= 2*keeps {
		m.moments = slices.Clone(m.moments[keeps:])
	}
	m.moments = append(m.moments, o)
	for _, c := range wave(limit, m.moments) {
		for part := range c.parts {
			ids = append(ids, c.entry+int64(part))
		}
	}
	if ids == nil {
		return nil, nil
	}
	return t.Numbers(toHold, schema.Array(ids), o.source)
}

// Paused takes note that the pause of an account has changed: a silence begins with
// one that drops, and ends with it. A silence that lies ahead ends only with the
// pause itself: one that goes on, and begins anew, tells of a clock that was set back.
func (m *Memory) Paused(t *disk.Tx, account string, was, is account.Pause) error {
	if was.Drops == is.Drops && was.Since.Equal(is.Since) && was.Until.Equal(is.Until) {
		return nil
	}
	m.Forget()
	_, err := t.Exec("UPDATE silences SET until = ?1 WHERE account = ?2 AND since = ?3 AND until > ?1 AND (since <= ?1 OR NOT ?4)",
		t.Now, account, was.Since.UnixMilli(), is.Drops)
	if err != nil || !is.Drops {
		return err
	}
	_, err = t.Exec("INSERT INTO silences (account, since, until) VALUES (?, ?, ?)", account, is.Since.UnixMilli(), is.Until.UnixMilli())
	return err
}
