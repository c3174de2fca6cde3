package entry

import (
	"database/sql"
	"fmt"

	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Columns is what [Scan] reads, of entries AS n and events AS v.
const Columns = `n.id, n.kind, n.state, n.reason, n.account, v.source, v.event_id, n.part, n.media, n.list,
	n.priority, n.watched_at, n.watched_text, n.watched_offset, n.watched_precision, n.class, n.lane, n.attempts,
	n.revision, n.after, n.next_at, n.created_at, n.settled_at, n.remote_id, n.lease,
	(SELECT first.remote_id FROM entries AS first WHERE first.id = n.after)`

// Scan reads a row of [Columns].
func Scan(r *sql.Rows) (Entry, error) { return ScanWith(r) }

// ScanWith reads a row of [Columns], and the columns after them into more.
func ScanWith(r *sql.Rows, more ...any) (Entry, error) {
	e := Entry{Count: 1}
	var media, list []byte
	var at viewing.Instant
	var millis sql.NullInt64
	var text, precision sql.NullString
	var after, settled sql.NullInt64
	var remote, onList sql.NullString
	var next, created int64
	columns := []any{
		&e.ID, &e.Kind, &e.State, &e.Reason, &e.Account, &e.Source, &e.EventID, &e.Part, &media, &list,
		&e.Priority, &millis, &text, &at.Offset, &precision, &e.Class, &e.Lane, &e.Attempts,
		&e.Revision, &after, &next, &created, &settled, &remote, &e.Lease, &onList,
	}
	if err := r.Scan(append(columns, more...)...); err != nil {
		return Entry{}, err
	}
	at.Millis, at.Text, at.Precision = millis.Int64, text.String, viewing.Precision(precision.String)
	e.WatchedAt, e.After, e.RemoteID, e.ListID = Moment{at}, after.Int64, remote.String, onList.String
	e.CreatedAt, e.SettledAt = schema.Time(created), schema.NullTime(settled)
	if e.State == viewing.StatePending {
		e.NextAt = schema.Time(next)
	}
	if err := schema.ReadJSON(media, &e.Media); err != nil {
		return Entry{}, fmt.Errorf("read media of entry %d: %w", e.ID, err)
	}
	if err := schema.ReadJSON(list, &e.List); err != nil {
		return Entry{}, fmt.Errorf("read list of entry %d: %w", e.ID, err)
	}
	return e, nil
}
