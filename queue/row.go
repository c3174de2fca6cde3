package queue

import (
	"database/sql"
	"fmt"

	"github.com/filmspool/filmspool/queue/entry"

	"github.com/filmspool/filmspool/queue/viewing"
)

// entryColumns is what [scanEntry] reads, of entries AS n and events AS v.
const entryColumns = `n.id, n.kind, n.state, n.reason, n.cause, n.account, v.source, v.event_id, n.part, n.media, n.list,
	n.priority, n.watched_at, n.watched_text, n.watched_offset, n.watched_precision, n.class, n.lane, n.attempts,
	n.revision, n.after, n.next_at, n.created_at, n.settled_at, n.remote_id, n.reported, n.correction, n.touched,
	(SELECT first.remote_id FROM entries AS first WHERE first.id = n.after)`

// scanEntry reads a row of [entryColumns].
func scanEntry(r *sql.Rows) (Entry, error) { return scanEntryWith(r) }

// scanEntryWith reads a row of [entryColumns], and the columns after them into more.
func scanEntryWith(r *sql.Rows, more ...any) (Entry, error) {
	e := Entry{Count: 1}
	var media, list, reported, cause []byte
	var at viewing.Instant
	var watched sql.NullInt64
	var text, precision sql.NullString
	var after, settled, correction sql.NullInt64
	var remote, onList sql.NullString
	var next, created int64
	columns := []any{
		&e.ID, &e.Kind, &e.State, &e.Reason, &cause, &e.Account, &e.Source, &e.EventID, &e.Part, &media, &list,
		&e.Priority, &watched, &text, &at.Offset, &precision, &e.Class, &e.Lane, &e.Attempts,
		&e.Revision, &after, &next, &created, &settled, &remote, &reported, &correction, &e.Touched, &onList,
	}
	if err := r.Scan(append(columns, more...)...); err != nil {
		return Entry{}, err
	}
	at.Millis, at.Text, at.Precision = watched.Int64, text.String, viewing.Precision(precision.String)
	e.WatchedAt, e.After, e.RemoteID, e.ListID = entry.Moment{Instant: at}, after.Int64, remote.String, onList.String
	e.Correction = correction.Int64
	e.CreatedAt, e.SettledAt = millis(created), nullTime(settled)
	if e.State == viewing.StatePending {
		e.NextAt = millis(next)
	}
	if err := readJSON(media, &e.Media); err != nil {
		return Entry{}, fmt.Errorf("read media of entry %d: %w", e.ID, err)
	}
	if err := readJSON(reported, &e.Reported); err != nil {
		return Entry{}, fmt.Errorf("read what was reported of entry %d: %w", e.ID, err)
	}
	if err := readJSON(cause, &e.Cause); err != nil {
		return Entry{}, fmt.Errorf("read cause of entry %d: %w", e.ID, err)
	}
	if err := readJSON(list, &e.List); err != nil {
		return Entry{}, fmt.Errorf("read list of entry %d: %w", e.ID, err)
	}
	return e, nil
}
