package queue

import (
	"context"
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

// Account reads an account, making it when absent.
func (s *Store) Account(ctx context.Context, name string) (Account, error) {
	return Account{}, ErrClosed
}

// SaveAccount keeps an account, whole.
func (s *Store) SaveAccount(ctx context.Context, a Account) error { return ErrClosed }

// Accounts lists all accounts by name.
func (s *Store) Accounts(ctx context.Context) ([]Account, error) { return nil, ErrClosed }
