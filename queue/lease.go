package queue

import (
	"context"
	"time"
)

// Lease hands out up to n pending entries of the account that are due, the
// oldest event first, for ttl. Of one item only the first unfinished entry is
// handed out, and none before the entry it waits for has arrived. A lease
// proves nothing: it keeps others from handing out the same entry, and runs out.
func (s *Store) Lease(ctx context.Context, account string, n int, ttl time.Duration) ([]Entry, error) {
	return nil, ErrClosed
}

// Release gives leased entries back unchanged. Entries whose lease is lost
// are left alone.
func (s *Store) Release(ctx context.Context, entries []Entry) error { return ErrClosed }

// NextDue is when the next entry of the account can be leased: the earliest
// NextAt among pending entries that neither a running lease nor another entry
// keeps back. It is in the past when one is due now; ok is false without any.
func (s *Store) NextDue(ctx context.Context, account string) (t time.Time, ok bool, err error) {
	return time.Time{}, false, ErrClosed
}
