package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/sqlite"
)

const selectAccount = "SELECT body FROM accounts WHERE name = ?"

// Account reads an account, making it when absent.
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

// UpdateAccount changes an account, making it when absent. The change is given
// what is on disk, so that it undoes nobody else's; it must do nothing but
// change that, and may be called again after it failed. The name stays.
func (s *Store) UpdateAccount(ctx context.Context, name string, change func(*account.Row)) error {
	if name == "" {
		return errors.New("save account: it has no name")
	}
	return s.write(ctx, fmt.Sprintf("save account %s", name), func(t *tx) error {
		a, err := t.account(name)
		if err != nil {
			return err
		}
		base, pause := a.BaseURL, a.Pause
		change(&a)
		a.Name = name
		if a.BaseURL != base {
			if err := t.askAnew(name); err != nil {
				return err
			}
		}
		if err := t.silence(name, pause, a.Pause); err != nil {
			return err
		}
		_, err = t.Exec("INSERT OR REPLACE INTO accounts (name, body) VALUES (?, ?)", name, asJSON{a})
		return err
	})
}

// account is an account as it is on disk; new when absent.
func (t *tx) account(name string) (account.Row, error) {
	found, err := sqlite.All(t.Tx, scanAccount, selectAccount, name)
	return append(found, account.Row{Name: name})[0], err
}

func scanAccount(r *sql.Rows) (a account.Row, err error) { return a, r.Scan(fromJSON{&a}) }

// AccountsOf are the accounts that a source feeds. The service of the first is
// asked what things are.
func (s *Store) AccountsOf(source string) []string { return s.settings.AccountsOf(source) }
