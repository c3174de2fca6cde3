package queue

import (
	"database/sql"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// decide asks the rules about an item of an event, with the account's silences.
func (t *tx) decide(s rules.Settings, account, source string, v viewing.Event, m *viewing.Media) (rules.Decision, error) {
	if err := t.readSilences(); err != nil {
		return rules.Decision{}, err
	}
	s.Silences = t.silences[account]
	return rules.Decide(s, source, v, m, millis(t.now)), nil
}

// readSilences reads the pauses that drop, by account, unless they are known.
func (t *tx) readSilences() error {
	if t.silences != nil {
		return nil
	}
	all, err := sqlite.All(t.Tx, func(r *sql.Rows) (s account.Silence, err error) {
		var since, until int64
		err = r.Scan(&s.Account, &since, &until)
		s.From, s.Until = millis(since), millis(until)
		return s, err
	}, "SELECT account, since, until FROM silences ORDER BY id")
	if err != nil {
		return err
	}
	t.silences = map[string][]account.Silence{}
	for _, s := range all {
		t.silences[s.Account] = append(t.silences[s.Account], s)
	}
	return nil
}

// silence records that the pause of an account has changed: a silence begins with
// one that drops, and ends with it. A silence that lies ahead ends only with the
// pause itself: where that goes on, the clock was set back.
func (t *tx) silence(name string, was, is account.Pause) error {
	if was.Drops == is.Drops && was.Since.Equal(is.Since) && was.Until.Equal(is.Until) {
		return nil
	}
	t.silences = nil
	_, err := t.Exec("UPDATE silences SET until = ?1 WHERE account = ?2 AND since = ?3 AND until > ?1 AND (since <= ?1 OR NOT ?4)",
		t.now, name, was.Since.UnixMilli(), is.Drops)
	if err != nil || !is.Drops {
		return err
	}
	_, err = t.Exec("INSERT INTO silences (account, since, until) VALUES (?, ?, ?)", name, is.Since.UnixMilli(), is.Until.UnixMilli())
	return err
}
