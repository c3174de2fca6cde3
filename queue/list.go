package queue

import (
	"context"
	"time"
)

// Counts is the number of entries in each state.
type Counts struct {
	Pending   int64 `json:"pending"`
	Sending   int64 `json:"sending"`
	Held      int64 `json:"held"`
	InDoubt   int64 `json:"inDoubt"`
	Rejected  int64 `json:"rejected"`
	Delivered int64 `json:"delivered"`
	Merged    int64 `json:"merged"`
	Dropped   int64 `json:"dropped"`
}

// Counts is the number of entries in each state now. It costs the same
// whatever waits.
func (s *Store) Counts(ctx context.Context) (Counts, error) { return Counts{}, ErrClosed }

// OldestPending is when the pending entry that waits longest was committed;
// ok is false when none waits.
func (s *Store) OldestPending(ctx context.Context) (t time.Time, ok bool, err error) {
	return time.Time{}, false, ErrClosed
}

// Filter chooses entries. Its zero value chooses the newest hundred.
type Filter struct {
	State   State  // "" for all
	Account string // "" for all
	Limit   int    // 1 to 1,000; 0 is 100
	Before  int64  // only entries with a smaller id; 0 for all
}

// Entries lists entries, the newest first.
func (s *Store) Entries(ctx context.Context, f Filter) ([]Entry, error) { return nil, ErrClosed }
