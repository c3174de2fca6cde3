package queue

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// leasable chooses the pending entries of account ?1 in lane ?4 that nothing keeps
// back but, perhaps, an elder: no lease of this run (tokens from ?3) that runs
// beyond ?2, and no entry to wait for. It reads along entries_due, so its cost
// does not grow with what waits.
const leasable = ` FROM entries AS n
	WHERE n.account = ?1 AND n.lane = ?4 AND n.state = 'pending' AND n.behind = 0
	AND (n.lease < ?3 OR n.lease_until <= ?2)
	AND (n.after IS NULL OR EXISTS (
		SELECT 1 FROM entries AS first WHERE first.id = n.after AND first.state IN ('delivered', 'merged')))`

// kept says whether an elder about the same item may still be sent or may have
// arrived. A lease takes what it finds so out of entries_due, and the schema's
// trigger puts the next one back when its turn comes: however many entries one
// item has, each is looked at about once.
const kept = `(n.item_key <> '' AND EXISTS (SELECT 1` + elders + "))"

const (
	selectDue     = "SELECT n.id, " + kept + leasable + " AND n.next_at <= ?2 ORDER BY n.next_at, n.id LIMIT ?5"
	selectNextDue = "SELECT n.next_at" + leasable + " AND NOT " + kept + " ORDER BY n.next_at, n.id LIMIT 1"
	selectLeased  = "SELECT " + entryColumns + ` FROM json_each(?) AS wanted
		JOIN entries AS n ON n.id = wanted.value JOIN events AS v ON v.id = n.event`
)

// Tokens grow from run to run, so that one look tells a lease of an earlier run.
const leasesPerRun = 1 << 32

// The bounds of one transaction of a lease.
const (
	lookPage = 256   // entries looked at once some were found behind elders
	lookMost = 2_000 // then others may write
)

// Lease hands out up to n pending entries of the account that are due, for
// ttl: of the first of the lanes in which anything is due, the oldest event
// first. Without lanes those are [viewing.LaneLive], then [viewing.LaneBackfill]. Of one item only the
// first unfinished entry is handed out, and none before the entry it waits for
// has arrived. A lease proves nothing: it keeps others from handing out the
// same entry, and runs out by itself, at the latest with this run.
func (s *Store) Lease(ctx context.Context, account string, n int, ttl time.Duration, lanes ...viewing.Lane) ([]Entry, error) {
	if n < 1 || ttl < time.Millisecond {
		return nil, errors.New("lease entries: number and duration must be positive")
	}
	for _, lane := range either(lanes) {
		for more := true; more; {
			var l leasing
			err := s.write(ctx, func(t *tx) error {
				l = leasing{account: account, lane: lane, n: n, run: s.run * leasesPerRun, until: t.now + ttl.Milliseconds()}
				l.token = l.run + s.leases.Add(1)
				return t.lease(&l)
			})
			if err != nil {
				return nil, fmt.Errorf("lease entries: %w", err)
			}
			if len(l.leased) > 0 {
				return l.leased, nil
			}
			more = l.more
		}
	}
	return nil, nil
}

// either is lanes, or all of them.
func either(lanes []viewing.Lane) []viewing.Lane {
	if len(lanes) == 0 {
		return []viewing.Lane{viewing.LaneLive, viewing.LaneBackfill}
	}
	return lanes
}

// leasing is one lease in the making.
type leasing struct {
	account           string
	lane              viewing.Lane
	n                 int
	run, token, until int64

	leased []Entry
	more   bool // there is more to look at than one transaction should
}

// lease hands out what is due, page by page.
func (t *tx) lease(l *leasing) error {
	page := l.n
	for looked := 0; looked < lookMost; page = max(l.n, lookPage) {
		rows, err := t.Query(selectDue, l.account, t.now, l.run, int(l.lane), page)
		found, err := sqlite.Collect(rows, err, scanDue)
		if err != nil {
			return err
		}
		var free, behind []int64
		for _, d := range found {
			switch {
			case d.kept:
				behind = append(behind, d.id)
			case len(l.leased)+len(free) < l.n:
				free = append(free, d.id)
			}
		}
		if err := t.putBehind(behind); err != nil {
			return err
		}
		if err := t.handOut(l, free); err != nil {
			return err
		}
		if len(l.leased) == 0 && len(found) < page {
			return t.bringBack(l.account, l.lane)
		}
		if len(l.leased) == l.n || len(found) < page {
			return nil
		}
		looked += len(found)
	}
	l.more = true
	return nil
}

// due is an entry that may be leased unless an elder keeps it back.
type due struct {
	id   int64
	kept bool
}

func scanDue(r *sql.Rows) (d due, err error) {
	err = r.Scan(&d.id, &d.kept)
	return d, err
}

// putBehind takes entries out of what leases look at. They were due, and are
// when they come back, though the clock may have been set back by then.
func (t *tx) putBehind(ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := t.Exec("UPDATE entries SET behind = 1, next_at = min(next_at, happened_at) WHERE id IN (SELECT value FROM json_each(?))", jsonArray(ids))
	return err
}

// handOut leases entries and reads them.
func (t *tx) handOut(l *leasing, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	list := jsonArray(ids)
	_, err := t.Exec("UPDATE entries SET lease = ?, lease_until = ? WHERE id IN (SELECT value FROM json_each(?))",
		l.token, l.until, list)
	if err != nil {
		return err
	}
	rows, err := t.Query(selectLeased, list)
	read, err := sqlite.Collect(rows, err, scanEntry)
	if err != nil {
		return err
	}
	slices.SortFunc(read, func(a, b Entry) int {
		return cmp.Or(a.NextAt.Compare(b.NextAt), cmp.Compare(a.ID, b.ID))
	})
	l.leased = append(l.leased, read...)
	return nil
}

// Release gives leased entries back unchanged. Entries whose lease is lost
// are left alone.
func (s *Store) Release(ctx context.Context, entries []Entry) error {
	err := s.write(ctx, func(t *tx) error {
		for _, e := range entries {
			_, err := t.Exec(`UPDATE entries SET lease = 0, lease_until = 0
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
// or from any without lanes: the earliest NextAt among pending entries that
// neither a running lease nor another entry keeps back. It is in the past when one is due now; ok is false without any.
func (s *Store) NextDue(ctx context.Context, account string, lanes ...viewing.Lane) (t time.Time, ok bool, err error) {
	for _, lane := range either(lanes) {
		rows, err := s.reader.QueryContext(ctx, selectNextDue, account, s.now().UnixMilli(), s.run*leasesPerRun, int(lane))
		at, any, err := firstTime(rows, err, "find next due entry")
		if err != nil {
			return time.Time{}, false, err
		}
		if at = nearer(at, s.now()); any && (!ok || at.Before(t)) {
			t, ok = at, true
		}
	}
	return t, ok, nil
}

const selectPendingAfter = "SELECT EXISTS (SELECT 1 FROM entries WHERE id > ? AND +account = ? AND state = 'pending')"

// PendingAfter reports whether an entry of the account is pending that was
// made after the one with that id. It costs as much as was added since, at
// most.
func (s *Store) PendingAfter(ctx context.Context, account string, id int64) (found bool, err error) {
	if err := s.reader.QueryRowContext(ctx, selectPendingAfter, id, account).Scan(&found); err != nil {
		return false, fmt.Errorf("look for new entries: %w", sqlite.StorageError(err))
	}
	return found, nil
}

// firstTime reads a query for at most one time.
func firstTime(rows *sql.Rows, err error, what string) (time.Time, bool, error) {
	times, err := sqlite.Collect(rows, err, sqlite.ScanID)
	switch {
	case err != nil:
		return time.Time{}, false, fmt.Errorf("%s: %w", what, err)
	case len(times) == 0:
		return time.Time{}, false, nil
	default:
		return millis(times[0]), true, nil
	}
}

// farthest is beyond every time that is ever planned: a grace and what a
// service may ask for end after a day. An entry that is due later was put off
// by a clock that has been set back since.
const farthest = 25 * time.Hour

const updateAstray = `UPDATE entries SET next_at = ?2
	WHERE account = ?1 AND lane = ?3 AND state = 'pending' AND behind = 0 AND next_at > ?2 + ?4`

// bringBack makes what would be due too far ahead due now. Where the clock
// runs well it finds nothing, by one look into the index.
func (t *tx) bringBack(account string, lane viewing.Lane) error {
	_, err := t.Exec(updateAstray, account, t.now, int(lane), farthest.Milliseconds())
	return err
}

// nearer is at, or now when at is too far ahead to be meant.
func nearer(at, now time.Time) time.Time {
	if at.Sub(now) > farthest {
		return now
	}
	return at
}
