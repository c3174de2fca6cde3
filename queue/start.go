package queue

import (
	"crypto/rand"
	"fmt"

	"github.com/filmspool/filmspool/queue/viewing"
)

// selectLeft finds what a crash left under way.
const selectLeft = "SELECT id FROM entries WHERE state = 'sending' AND " + openStates

// stopped is the reason of entries that a crash left under way.
const stopped = "the program stopped while this was being sent"

// startRun begins a run: it numbers it, which voids the leases of earlier
// ones, and puts in doubt what they left under way.
func (s *Store) startRun(t *tx) error {
	name := s.before.Installation
	if name == "" {
		name = rand.Text()
	}
	_, err := t.exec("INSERT OR IGNORE INTO meta (key, value) VALUES ('installation', ?), ('run', 0)", name)
	if err != nil {
		return err
	}
	if err := s.catchUp(t); err != nil {
		return err
	}
	if err := t.mark("clean", 0); err != nil {
		return err
	}
	if _, err := t.exec("UPDATE meta SET value = value + 1 WHERE key = 'run'"); err != nil {
		return err
	}
	_, err = t.find(`SELECT (SELECT value FROM meta WHERE key = 'installation'),
		(SELECT value FROM meta WHERE key = 'run')`, nil, &s.installation, &s.run)
	if err != nil {
		return err
	}
	if err := t.restored(); err != nil {
		return fmt.Errorf("hold what a copy says is pending: %w", err)
	}
	for _, n := range s.tidings {
		if err := t.notify(n); err != nil {
			return err
		}
	}
	rows, err := t.query(selectLeft)
	left, err := collect(rows, err, scanID)
	if err != nil {
		return err
	}
	for _, id := range left {
		if err := t.doubt(id); err != nil {
			return fmt.Errorf("put entry %d in doubt: %w", id, err)
		}
	}
	return nil
}

// mark keeps a number in meta.
func (t *tx) mark(key string, value int64) error {
	_, err := t.exec("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", key, value)
	return err
}

// doubt puts an entry whose request was cut short in doubt.
func (t *tx) doubt(id int64) error {
	_, err := t.exec("UPDATE entries SET state = 'in_doubt', reason = ? WHERE id = ?", stopped, id)
	if err != nil {
		return err
	}
	_, err = t.exec("UPDATE attempts SET ended_at = ?, error = ? WHERE entry = ? AND ended_at IS NULL",
		t.now, stopped, id)
	if err != nil {
		return err
	}
	if err := t.doubtful(id, readTime(t.now)); err != nil {
		return err
	}
	t.leave(viewing.StateSending)
	t.enter(viewing.StateInDoubt)
	return t.step(id, "doubt", "In doubt: "+stopped+".")
}
