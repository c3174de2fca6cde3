package entry

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/schema"
)

// oldest remembers where to look for the pending entry that waits longest: an
// index of pending entries by age would cost every commit one page more.
type oldest struct {
	mu      sync.Mutex
	from    map[string]int64 // by account, "" for all: no pending entry has a smaller id
	lowered int64            // how often from was lowered
}

// PendingAgain takes note that entries from id on may be pending again.
func (r *Reader) PendingAgain(id int64) {
	o := &r.oldest
	o.mu.Lock()
	defer o.mu.Unlock()
	for account, from := range o.from {
		o.from[account] = min(from, id)
	}
	o.lowered++
}

// look is where to look, and a ticket for found.
func (o *oldest) look(account string) (from, ticket int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.from[account], o.lowered
}

// found takes note of what was there, unless an older entry may have come
// back meanwhile.
func (o *oldest) found(account string, id, ticket int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.from == nil {
		o.from = map[string]int64{}
	}
	if o.lowered == ticket {
		o.from[account] = max(o.from[account], id)
	}
}

// Ids are given in the order of committing.
const selectOldest = `WITH oldest AS (
		SELECT id, created_at FROM entries WHERE id >= ?1 AND state = 'pending' AND ?2 IN ('', account) ORDER BY id LIMIT 1)
	SELECT id, created_at FROM oldest
	UNION ALL SELECT coalesce(max(id), 0) + 1, NULL FROM entries WHERE NOT EXISTS (SELECT 1 FROM oldest)`

// OldestPending is when the pending entry of an account, or of all where it is "",
// that waits longest was committed; ok is false when none waits.
func (r *Reader) OldestPending(ctx context.Context, account string) (t time.Time, ok bool, err error) {
	from, ticket := r.oldest.look(account)
	var id int64
	var at sql.NullInt64
	if err := r.db.QueryRowContext(ctx, selectOldest, from, account).Scan(&id, &at); err != nil {
		return time.Time{}, false, fmt.Errorf("find oldest entry: %w", disk.StorageError(err))
	}
	r.oldest.found(account, id, ticket)
	return schema.NullTime(at), at.Valid, nil
}
