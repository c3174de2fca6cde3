package queue

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// entryColumns are the columns that [scanEntry] reads, of entries AS n and events AS v.
const entryColumns = `n.id, n.kind, n.state, n.reason, n.cause, n.account, v.source, v.event_id, n.part, n.media, n.list,
	n.priority, n.watched, n.class, n.lane, n.attempts,
	n.revision, n.after, n.next_at, n.created_at, n.settled_at, n.remote_id, n.reported, n.correction, n.touched, coalesce(n.minutes, 0),
	(SELECT first.remote_id FROM entries AS first WHERE first.id = n.after)`

// selectEntries selects entries; a WHERE clause follows.
const selectEntries = "SELECT " + entryColumns + " FROM entries AS n JOIN events AS v ON v.id = n.event "

// scanEntry scans a row of [entryColumns].
func scanEntry(r *sql.Rows) (Entry, error) { return scanEntryWith(r) }

// scanEntryWith scans a row of [entryColumns], and the columns after them into more.
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
	e.CreatedAt, e.SettledAt = millis(created), timeFromNull(settled)
	if e.State == viewing.StatePending {
		e.NextAt = millis(next)
	}
	return e, nil
}

// millis returns the time, in UTC, of a number of milliseconds since 1970.
func millis(at int64) time.Time { return time.UnixMilli(at).UTC() }

// timeFromNull returns the time of a nullable column; the zero time for NULL.
func timeFromNull(at sql.NullInt64) time.Time {
	if !at.Valid {
		return time.Time{}
	}
	return millis(at.Int64)
}

// timeOrNull returns the column value of a time; NULL for the zero time.
func timeOrNull(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}

// idOrNull returns the column value of an id; NULL for 0.
func idOrNull(id int64) sql.NullInt64 { return sql.NullInt64{Int64: id, Valid: id != 0} }

// asJSON stores a value as JSON text, nil as NULL. A slice can be read with json_each.
type asJSON struct{ value any }

// Value implements [driver.Valuer].
func (j asJSON) Value() (driver.Value, error) {
	text, err := json.Marshal(j.value)
	if err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	if string(text) == "null" {
		return nil, nil
	}
	return string(text), nil
}

// fromJSON decodes a column of JSON text into target; NULL leaves target unchanged.
type fromJSON struct{ target any }

// Scan implements [sql.Scanner].
func (j fromJSON) Scan(value any) error {
	if text, ok := value.(string); ok {
		return json.Unmarshal([]byte(text), j.target)
	}
	return nil
}

// messageOrNil returns a pointer to m, or nil if m has no code.
func messageOrNil(m viewing.Message) *viewing.Message {
	if m.Code == "" {
		return nil
	}
	return &m
}

// watchedColumns returns the values of the columns watched_at, in milliseconds, and watched, the
// instant as JSON. Both are NULL for the zero instant.
func watchedColumns(at viewing.Instant) (millis sql.NullInt64, evidence asJSON) {
	if at.IsZero() {
		return millis, asJSON{}
	}
	return sql.NullInt64{Int64: at.Millis, Valid: true}, asJSON{at}
}
