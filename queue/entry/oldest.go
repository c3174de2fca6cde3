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
	from    int64 // no pending entry has a smaller id
	lowered int64 // how often from was lowered
}

// PendingAgain takes note that entries from id on may be pending again.
func (r *Reader) PendingAgain(id int64) {
	o := &r.oldest
	o.mu.Lock()
	defer o.mu.Unlock()
	o.from = min(o.from, id)
	o.lowered++
}

// look is where to look, and a ticket for found.
func (o *oldest) look() (from, ticket int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.from, o.lowered
}

// found takes note of what was there, unless an older entry may have come
// back meanwhile.
func (o *oldest) found(id, ticket int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lowered == ticket {
		o.from = max(o.from, id)
	}
}

// Ids are given in the order of committing.
const selectOldest = `WITH oldest AS (
		SELECT id, created_at FROM entries WHERE id >= ? AND state = 'pending' ORDER BY id LIMIT 1)
	SELECT id, created_at FROM oldest
	UNION ALL SELECT coalesce(max(id), 0) + 1, NULL FROM entries WHERE NOT EXISTS (SELECT 1 FROM oldest)`

// OldestPending is when the pending entry that waits longest was committed;
// ok is false when none waits.
func (r *Reader) OldestPending(ctx context.Context) (t time.Time, ok bool, err error) {
	from, ticket := r.oldest.look()
	var id int64
	var at sql.NullInt64
	if err := r.db.QueryRowContext(ctx, selectOldest, from).Scan(&id, &at); err != nil {
		return time.Time{}, false, fmt.Errorf("find oldest entry: %w", disk.StorageError(err))
	}
	r.oldest.found(id, ticket)
	return schema.NullTime(at), at.Valid, nil
}
