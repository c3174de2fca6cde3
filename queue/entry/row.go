package entry

import (
	"database/sql"
	"errors"
	"fmt"

	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Columns is what [Scan] reads, of entries AS n and events AS v.
const Columns = `n.id, n.kind, n.state, n.reason, n.account, v.source, v.event_id, n.part, n.media, n.list,
	n.priority, n.watched_at, n.watched_text, n.watched_offset, n.watched_precision, n.class, n.lane, n.attempts,
	n.revision, n.after, n.next_at, n.created_at, n.settled_at, n.remote_id, n.lease,
	(SELECT first.remote_id FROM entries AS first WHERE first.id = n.after), ` + schema.Intact

// Scan reads a row of [Columns].
func Scan(r *sql.Rows) (Entry, error) { return ScanWith(r) }

// ScanWith reads a row of [Columns], and the columns after them into more. What a
// damaged row says is taken as far as it can be read.
func ScanWith(r *sql.Rows, more ...any) (Entry, error) {
	e := Entry{Count: 1}
	var media, list []byte
	var at viewing.Instant
	var millis sql.NullInt64
	var text, precision sql.NullString
	var after, settled sql.NullInt64
	var remote, onList sql.NullString
	var next, created int64
	var whole bool
	columns := []any{
		&e.ID, &e.Kind, &e.State, &e.Reason, &e.Account, &e.Source, &e.EventID, &e.Part, &media, &list,
		&e.Priority, &millis, &text, &at.Offset, &precision, &e.Class, &e.Lane, &e.Attempts,
		&e.Revision, &after, &next, &created, &settled, &remote, &e.Lease, &onList, &whole,
	}
	if err := r.Scan(append(columns, more...)...); err != nil {
		return scanUnreadable(r, len(columns), err, more)
	}
	e.Damaged = !whole || !e.State.Valid()
	at.Millis, at.Text, at.Precision = millis.Int64, text.String, viewing.Precision(precision.String)
	e.WatchedAt, e.After, e.RemoteID, e.ListID = Moment{at}, after.Int64, remote.String, onList.String
	e.CreatedAt, e.SettledAt = schema.Time(created), schema.NullTime(settled)
	if e.State == viewing.StatePending {
		e.NextAt = schema.Time(next)
	}
	if err := schema.ReadJSON(media, &e.Media); err != nil && !e.Damaged {
		return Entry{}, fmt.Errorf("read media of entry %d: %w", e.ID, err)
	}
	if err := schema.ReadJSON(list, &e.List); err != nil && !e.Damaged {
		return Entry{}, fmt.Errorf("read list of entry %d: %w", e.ID, err)
	}
	return e, nil
}

// scanUnreadable reads no more than the id of a damaged row whose columns are
// of other types than they were; any other fault is returned. The last of the
// n columns of an entry says whether it is whole.
func scanUnreadable(r *sql.Rows, n int, fault error, more []any) (Entry, error) {
	columns := make([]any, n)
	for i := range columns {
		columns[i] = new(any)
	}
	if err := r.Scan(append(columns, more...)...); err != nil {
		return Entry{}, errors.Join(fault, err)
	}
	id, isID := (*columns[0].(*any)).(int64)
	if whole := *columns[n-1].(*any); !isID || whole != int64(0) {
		return Entry{}, fault
	}
	return Entry{ID: id, Count: 1, Damaged: true}, nil
}
