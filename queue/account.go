package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Account is what the queue keeps about one account at the service.
type Account struct {
	Name          string
	BaseURL       string // the address it was last used with
	Proven        bool   // that address has answered as the service does
	Paused        string // why nothing is sent: "", "key", "address", "user" and the like
	Problem       string // what is wrong, one sentence
	Hint          string // what to do about it
	PausedSince   time.Time
	ProbeAt       time.Time // when to ask the service again
	ProbeStep     int       // how often it was asked in vain
	LastDelivered time.Time
}

const selectAccounts = `SELECT name, base_url, proven, paused, problem, hint, paused_at, probe_at, probe_step,
	delivered_at FROM accounts `

// Account reads an account, making it when absent.
func (s *Store) Account(ctx context.Context, name string) (Account, error) {
	if name == "" {
		return Account{}, errors.New("read account: it has no name")
	}
	rows, err := s.reader.QueryContext(ctx, selectAccounts+"WHERE name = ?", name)
	accounts, err := collect(rows, err, scanAccount)
	if err != nil {
		return Account{}, fmt.Errorf("read account %s: %w", name, err)
	}
	if len(accounts) > 0 {
		return accounts[0], nil
	}
	err = s.write(ctx, func(t *tx) error {
		_, err := t.exec("INSERT INTO accounts (name) VALUES (?) ON CONFLICT DO NOTHING", name)
		return err
	})
	if err != nil {
		return Account{}, fmt.Errorf("make account %s: %w", name, err)
	}
	return Account{Name: name}, nil
}

// SaveAccount keeps an account, whole.
func (s *Store) SaveAccount(ctx context.Context, a Account) error {
	return s.UpdateAccount(ctx, a.Name, func(kept *Account) { *kept = a })
}

// UpdateAccount changes an account, making it when absent. The change is given
// what is on disk, so that it undoes nobody else's; it must do nothing but
// change that, and may be called again after it failed. The name stays.
func (s *Store) UpdateAccount(ctx context.Context, name string, change func(*Account)) error {
	if name == "" {
		return errors.New("save account: it has no name")
	}
	err := s.write(ctx, func(t *tx) error {
		rows, err := t.query(selectAccounts+"WHERE name = ?", name)
		accounts, err := collect(rows, err, scanAccount)
		if err != nil {
			return err
		}
		a := Account{Name: name}
		if len(accounts) > 0 {
			a = accounts[0]
		}
		change(&a)
		a.Name = name
		return t.saveAccount(a)
	})
	if err != nil {
		return fmt.Errorf("save account %s: %w", name, err)
	}
	return nil
}

// saveAccount writes an account, whole.
func (t *tx) saveAccount(a Account) error {
	_, err := t.exec(`INSERT OR REPLACE INTO accounts (name, base_url, proven, paused, problem, hint,
		paused_at, probe_at, probe_step, delivered_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		a.Name, a.BaseURL, a.Proven, a.Paused, a.Problem, a.Hint,
		writeNullTime(a.PausedSince), writeNullTime(a.ProbeAt), a.ProbeStep, writeNullTime(a.LastDelivered))
	return err
}

// Accounts lists all accounts by name.
func (s *Store) Accounts(ctx context.Context) ([]Account, error) {
	rows, err := s.reader.QueryContext(ctx, selectAccounts+"ORDER BY name")
	accounts, err := collect(rows, err, scanAccount)
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	return accounts, nil
}

func scanAccount(r *sql.Rows) (a Account, err error) {
	var paused, probe, delivered sql.NullInt64
	err = r.Scan(&a.Name, &a.BaseURL, &a.Proven, &a.Paused, &a.Problem, &a.Hint, &paused, &probe, &a.ProbeStep, &delivered)
	a.PausedSince, a.ProbeAt, a.LastDelivered = readNullTime(paused), readNullTime(probe), readNullTime(delivered)
	return a, err
}
