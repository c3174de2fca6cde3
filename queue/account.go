package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/disk"
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
	// Owner is the service's id of the user whose key is used; "" when the
	// service has not told.
	Owner string
	// Keeps is how the service keeps times: "exact", "minute", "day",
	// "arrival", or "" as long as that is not known.
	Keeps string
	// Support is what is known of optional endpoints, by their names: "me",
	// "history", "status", "lists", "resolve", "resolve_batch".
	Support map[string]Support
	// MovedAt is when the address was last changed. What was sent before, was
	// sent elsewhere.
	MovedAt time.Time
}

// Support is whether the service has an optional endpoint.
type Support struct {
	Has bool      `json:"has"`
	At  time.Time `json:"at"` // when it was asked
}

// SignIn takes note of a login: whose key it is, where the service tells, and
// that its optional endpoints are to be asked for again.
func (a *Account) SignIn(owner string) {
	a.Support = nil
	if owner != "" {
		a.Owner = owner
	}
}

// MoveTo takes another address: what was known of the last one counts no more.
func (a *Account) MoveTo(baseURL string, now time.Time) {
	if a.BaseURL == baseURL {
		return
	}
	if a.BaseURL != "" {
		a.MovedAt = now
	}
	a.BaseURL, a.Proven, a.Keeps, a.Support, a.Owner = baseURL, false, "", nil, ""
}

const selectAccounts = `SELECT name, base_url, proven, paused, problem, hint, paused_at, probe_at, probe_step,
	delivered_at, owner, keeps, support, moved_at FROM accounts `

// Account reads an account, making it when absent.
func (s *Store) Account(ctx context.Context, name string) (Account, error) {
	if name == "" {
		return Account{}, errors.New("read account: it has no name")
	}
	rows, err := s.reader.QueryContext(ctx, selectAccounts+"WHERE name = ?", name)
	accounts, err := disk.Collect(rows, err, scanAccount)
	if err != nil {
		return Account{}, fmt.Errorf("read account %s: %w", name, err)
	}
	if len(accounts) > 0 {
		return accounts[0], nil
	}
	err = s.write(ctx, func(t *tx) error {
		_, err := t.Exec("INSERT INTO accounts (name) VALUES (?) ON CONFLICT DO NOTHING", name)
		return err
	})
	if err != nil {
		return Account{}, fmt.Errorf("make account %s: %w", name, err)
	}
	return Account{Name: name}, nil
}

// UpdateAccount changes an account, making it when absent. The change is given
// what is on disk, so that it undoes nobody else's; it must do nothing but
// change that, and may be called again after it failed. The name stays.
func (s *Store) UpdateAccount(ctx context.Context, name string, change func(*Account)) error {
	if name == "" {
		return errors.New("save account: it has no name")
	}
	err := s.write(ctx, func(t *tx) error {
		rows, err := t.Query(selectAccounts+"WHERE name = ?", name)
		accounts, err := disk.Collect(rows, err, scanAccount)
		if err != nil {
			return err
		}
		a := Account{Name: name}
		if len(accounts) > 0 {
			a = accounts[0]
		}
		base := a.BaseURL
		change(&a)
		a.Name = name
		if a.BaseURL != base {
			if err := t.askAnew(name); err != nil {
				return err
			}
		}
		return t.saveAccount(a)
	})
	if err != nil {
		return fmt.Errorf("save account %s: %w", name, err)
	}
	return nil
}

// saveAccount writes an account, whole.
func (t *tx) saveAccount(a Account) error {
	if a.Support == nil {
		a.Support = map[string]Support{}
	}
	support, err := writeJSON(a.Support)
	if err != nil {
		return err
	}
	_, err = t.Exec(`INSERT OR REPLACE INTO accounts (name, base_url, proven, paused, problem, hint,
		paused_at, probe_at, probe_step, delivered_at, owner, keeps, support, moved_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		a.Name, a.BaseURL, a.Proven, a.Paused, a.Problem, a.Hint,
		writeNullTime(a.PausedSince), writeNullTime(a.ProbeAt), a.ProbeStep, writeNullTime(a.LastDelivered),
		a.Owner, a.Keeps, support, writeNullTime(a.MovedAt))
	return err
}

// Accounts lists all accounts by name.
func (s *Store) Accounts(ctx context.Context) ([]Account, error) {
	rows, err := s.reader.QueryContext(ctx, selectAccounts+"ORDER BY name")
	accounts, err := disk.Collect(rows, err, scanAccount)
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	return accounts, nil
}

func scanAccount(r *sql.Rows) (a Account, err error) {
	var paused, probe, delivered, moved sql.NullInt64
	var support []byte
	err = r.Scan(&a.Name, &a.BaseURL, &a.Proven, &a.Paused, &a.Problem, &a.Hint, &paused, &probe, &a.ProbeStep, &delivered,
		&a.Owner, &a.Keeps, &support, &moved)
	if err != nil {
		return a, err
	}
	a.PausedSince, a.ProbeAt, a.LastDelivered = readNullTime(paused), readNullTime(probe), readNullTime(delivered)
	a.MovedAt = readNullTime(moved)
	if err := readJSON(support, &a.Support); err != nil {
		return a, fmt.Errorf("read support of account %s: %w", a.Name, err)
	}
	if len(a.Support) == 0 {
		a.Support = nil
	}
	return a, nil
}
