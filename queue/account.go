package queue

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/filmspool/filmspool/queue/account"
)

const selectAccount = "SELECT body FROM accounts WHERE name = ?"

// Account returns an account, and creates it if it does not exist.
func (s *Store) Account(ctx context.Context, name string) (account.Row, error) {
	found, err := read(ctx, s, fmt.Sprintf("read account %s", name), scanAccount, selectAccount, name)
	if err != nil {
		return account.Row{}, err
	}
	if len(found) > 0 {
		return found[0], nil
	}
	return account.Row{Name: name}, s.UpdateAccount(ctx, name, func(*account.Row) {})
}

// UpdateAccount changes an account, and creates it if it does not exist. The function change gets
// the current row, so concurrent updates are not lost. It must have no other effect, because it
// may be called again after a failure. The name cannot be changed.
func (s *Store) UpdateAccount(ctx context.Context, name string, change func(*account.Row)) error {
	return s.write(ctx, fmt.Sprintf("save account %s", name), func(t *tx) error {
		a := t.account(name)
		base, pause := a.BaseURL, a.Pause
		change(&a)
		a.Name = name
		if a.BaseURL != base {
			t.resetLookups(name)
		}
		t.recordSilence(name, pause, a.Pause)
		t.exec("INSERT OR REPLACE INTO accounts (name, body) VALUES (?, ?)", name, asJSON{a})
		return nil
	})
}

// account returns an account as it is in the database; a new one if it does not exist.
func (t *tx) account(name string) account.Row {
	return append(selectRows(t, scanAccount, selectAccount, name), account.Row{Name: name})[0]
}

// recordSilence updates the silences when the pause of an account has changed: a pause that drops
// viewings begins a silence, and its end ends it. A silence that begins in the future, because
// the clock was set back, ends only with the pause itself.
func (t *tx) recordSilence(name string, before, after account.Pause) {
	if before.Drops == after.Drops && before.Since.Equal(after.Since) && before.Until.Equal(after.Until) {
		return
	}
	t.silences = nil
	t.exec("UPDATE silences SET until = ?1 WHERE account = ?2 AND since = ?3 AND until > ?1 AND (since <= ?1 OR NOT ?4)",
		t.now, name, before.Since.UnixMilli(), after.Drops)
	if after.Drops {
		t.exec("INSERT INTO silences (account, since, until) VALUES (?, ?, ?)", name, after.Since.UnixMilli(), after.Until.UnixMilli())
	}
}

func scanAccount(r *sql.Rows) (a account.Row, err error) { return a, r.Scan(fromJSON{&a}) }

// AccountsOf returns the accounts that get the viewings of a source. The service of the first one
// is asked to identify items.
func (s *Store) AccountsOf(source string) []string { return s.settings.AccountsOf(source) }
