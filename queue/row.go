package queue

import (
	"database/sql"
	"fmt"

	"github.com/filmspool/filmspool/queue/viewing"
)

// entryColumns is what [scanEntry] reads, of entries AS n and events AS v.
const entryColumns = `n.id, n.kind, n.state, n.reason, n.cause, n.account, v.source, v.event_id, n.part, n.media, n.list,
	n.priority, n.watched, n.class, n.lane, n.attempts,
	n.revision, n.after, n.next_at, n.created_at, n.settled_at, n.remote_id, n.reported, n.correction, n.touched, coalesce(n.minutes, 0),
	(SELECT first.remote_id FROM entries AS first WHERE first.id = n.after)`

// scanEntry reads a row of [entryColumns].
func scanEntry(r *sql.Rows) (Entry, error) { return scanEntryWith(r) }

// scanEntryWith reads a row of [entryColumns], and the columns after them into more.
func scanEntryWith(r *sql.Rows, more ...any) (Entry, error) {
	e := Entry{Count: 1}
	var after, settled, correction sql.NullInt64
	var remote, onList sql.NullString
	var next, created int64
	columns := []any{
		&e.ID, &e.Kind, &e.State, &e.Reason,
		fromJSON{&e.Cause},
		&e.Account, &e.Source, &e.EventID, &e.Part,
		fromJSON{&e.Media},
		fromJSON{&e.List},
		&e.Priority,
		fromJSON{&e.WatchedAt.Instant},
		&e.Class, &e.Lane, &e.Attempts, &e.Revision, &after, &next, &created, &settled,
		&remote,
		fromJSON{&e.Reported},
		&correction, &e.Touched, &e.Minutes, &onList,
	}
	if err := r.Scan(append(columns, more...)...); err != nil {
		return Entry{}, fmt.Errorf("read entry %d: %w", e.ID, err)
	}
	e.After, e.RemoteID, e.ListID, e.Correction = after.Int64, remote.String, onList.String, correction.Int64
	e.DayOnly = e.WatchedAt.Precision == viewing.Day
	e.CreatedAt, e.SettledAt = millis(created), nullTime(settled)
	if e.State == viewing.StatePending {
		e.NextAt = millis(next)
	}
	return e, nil
}
