package queue

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Lane is what entries leave in. Those of one lane leave the oldest first.
type Lane int

// The lanes.
const (
	Live     Lane = iota // as it was seen or asked for
	Backfill             // imports: they leave when nothing live is due
)

// leasable chooses the pending entries of account ?1 in lane ?4 that nothing keeps
// back: no lease of this run (tokens from ?3) that runs beyond ?2, no entry to wait
// for, and no elder about the same item that may still be sent or may have
// arrived. It reads along entries_due and looks for elders in
// entries_unfinished, so its cost does not grow with what waits.
const leasable = ` FROM entries AS n
	WHERE n.account = ?1 AND n.lane = ?4 AND n.state = 'pending'
	AND (n.lease < ?3 OR n.lease_until <= ?2)
	AND (n.after IS NULL OR EXISTS (
		SELECT 1 FROM entries AS first WHERE first.id = n.after AND first.state IN ('delivered', 'merged')))
	AND (n.item_key = '' OR NOT EXISTS (
		SELECT 1 FROM entries AS elder
		WHERE elder.account = n.account AND elder.item_key = n.item_key AND elder.item_key <> ''
		AND elder.state IN ('pending', 'sending', 'in_doubt')
		AND (elder.happened_at, elder.id) < (n.happened_at, n.id)))`

const (
	selectDue     = "SELECT n.id" + leasable + " AND n.next_at <= ?2 ORDER BY n.next_at, n.id LIMIT ?5"
	selectNextDue = "SELECT n.next_at" + leasable + " ORDER BY n.next_at, n.id LIMIT 1"
	selectLeased  = "SELECT " + entryColumns + ` FROM json_each(?) AS wanted
		JOIN entries AS n ON n.id = wanted.value JOIN events AS v ON v.id = n.event`
)

// Tokens grow from run to run, so that one look tells a lease of an earlier run.
const leasesPerRun = 1 << 32

// Lease hands out up to n pending entries of the account that are due, for
// ttl: of the first of the lanes in which anything is due, the oldest event
// first. Without lanes those are [Live], then [Backfill]. Of one item only the first unfinished entry is
// handed out, and none before the entry it waits for has arrived. A lease
// proves nothing: it keeps others from handing out the same entry, and runs
// out by itself, at the latest with this run.
func (s *Store) Lease(ctx context.Context, account string, n int, ttl time.Duration, lanes ...Lane) ([]Entry, error) {
	if n < 1 || ttl < time.Millisecond {
		return nil, errors.New("lease entries: number and duration must be positive")
	}
	var leased []Entry
	err := s.write(ctx, func(t *tx) (err error) {
		run := s.run * leasesPerRun
		due, err := t.due(account, n, run, either(lanes))
		if err != nil || len(due) == 0 {
			return err
		}
		leased, err = t.lease(due, ttl, run+s.leases.Add(1))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("lease entries: %w", err)
	}
	return leased, nil
}

// either is lanes, or all of them.
func either(lanes []Lane) []Lane {
	if len(lanes) == 0 {
		return []Lane{Live, Backfill}
	}
	return lanes
}

// due finds up to n entries that are due, all in one lane.
func (t *tx) due(account string, n int, run int64, lanes []Lane) (due []int64, err error) {
	for _, lane := range lanes {
		rows, err := t.query(selectDue, account, t.now, run, int(lane), n)
		if due, err = collect(rows, err, scanID); err != nil || len(due) > 0 {
			return due, err
		}
	}
	return nil, nil
}

// lease marks the entries that are due, and reads them.
func (t *tx) lease(due []int64, ttl time.Duration, token int64) ([]Entry, error) {
	ids, err := json.Marshal(due)
	if err != nil {
		return nil, fmt.Errorf("write ids: %w", err)
	}
	_, err = t.exec("UPDATE entries SET lease = ?, lease_until = ? WHERE id IN (SELECT value FROM json_each(?))",
		token, t.now+ttl.Milliseconds(), string(ids))
	if err != nil {
		return nil, err
	}
	rows, err := t.query(selectLeased, string(ids))
	leased, err := collect(rows, err, scanEntry)
	slices.SortFunc(leased, func(a, b Entry) int {
		return cmp.Or(a.NextAt.Compare(b.NextAt), cmp.Compare(a.ID, b.ID))
	})
	return leased, err
}

// Release gives leased entries back unchanged. Entries whose lease is lost
// are left alone.
func (s *Store) Release(ctx context.Context, entries []Entry) error {
	err := s.write(ctx, func(t *tx) error {
		for _, e := range entries {
			_, err := t.exec(`UPDATE entries SET lease = 0, lease_until = 0
				WHERE id = ? AND state = 'pending' AND lease = ?`, e.ID, e.Lease)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("release entries: %w", err)
	}
	return nil
}

// NextDue is when the next entry of the account can be leased from the lanes,
// or from any without lanes: the earliest NextAt among pending entries that neither a running lease nor another entry
// keeps back. It is in the past when one is due now; ok is false without any.
func (s *Store) NextDue(ctx context.Context, account string, lanes ...Lane) (t time.Time, ok bool, err error) {
	for _, lane := range either(lanes) {
		rows, err := s.reader.QueryContext(ctx, selectNextDue, account, s.now().UnixMilli(), s.run*leasesPerRun, int(lane))
		at, any, err := firstTime(rows, err, "find next due entry")
		if err != nil {
			return time.Time{}, false, err
		}
		if any && (!ok || at.Before(t)) {
			t, ok = at, true
		}
	}
	return t, ok, nil
}

const selectWaits = "SELECT 1 FROM entries WHERE account = ? AND lane IN (0, 1) AND state = 'pending' LIMIT 1"

// Waits reports whether the account has any pending entry, due or not. It
// costs the same whatever waits.
func (s *Store) Waits(ctx context.Context, account string) (bool, error) {
	rows, err := s.reader.QueryContext(ctx, selectWaits, account)
	found, err := collect(rows, err, scanID)
	if err != nil {
		return false, fmt.Errorf("look for waiting entries: %w", err)
	}
	return len(found) > 0, nil
}

// firstTime reads a query for at most one time.
func firstTime(rows *sql.Rows, err error, what string) (time.Time, bool, error) {
	times, err := collect(rows, err, scanID)
	switch {
	case err != nil:
		return time.Time{}, false, fmt.Errorf("%s: %w", what, err)
	case len(times) == 0:
		return time.Time{}, false, nil
	default:
		return readTime(times[0]), true, nil
	}
}
