package queue

import (
	"database/sql"
	"errors"
	"fmt"

	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// entryColumns is what [scanEntry] reads, of entries AS n and events AS v.
const entryColumns = `n.id, n.kind, n.state, n.reason, n.account, v.source, v.event_id, n.part, n.media, n.list,
	n.priority, n.watched_at, n.watched_text, n.watched_offset, n.watched_precision, n.class, n.lane, n.attempts,
	n.revision, n.after, n.next_at, n.created_at, n.settled_at, n.remote_id, n.lease,
	(SELECT first.remote_id FROM entries AS first WHERE first.id = n.after), ` + schema.Intact

// scanEntry reads a row of entryColumns.
func scanEntry(r *sql.Rows) (Entry, error) { return scanEntryOf(r) }

// scanEntryOf reads entryColumns from a row that may have more. What a damaged
// row says is taken as far as it can be read.
func scanEntryOf(r interface{ Scan(into ...any) error }) (Entry, error) {
	e := Entry{Count: 1}
	var media, list []byte
	var at instant
	var after, settled sql.NullInt64
	var remote, onList sql.NullString
	var next, created int64
	var whole bool
	columns := []any{
		&e.ID, &e.Kind, &e.State, &e.Reason, &e.Account, &e.Source, &e.EventID, &e.Part, &media, &list,
		&e.Priority, &at.millis, &at.text, &at.offset, &at.precision, &e.Class, &e.Lane, &e.Attempts,
		&e.Revision, &after, &next, &created, &settled, &remote, &e.Lease, &onList, &whole,
	}
	if err := r.Scan(columns...); err != nil {
		return scanUnreadable(r, len(columns), err)
	}
	e.Damaged = !whole || !e.State.Valid()
	e.WatchedAt, e.After, e.RemoteID, e.ListID = Moment{at.read()}, after.Int64, remote.String, onList.String
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
func scanUnreadable(r interface{ Scan(into ...any) error }, n int, fault error) (Entry, error) {
	columns := make([]any, n)
	for i := range columns {
		columns[i] = new(any)
	}
	if err := r.Scan(columns...); err != nil {
		return Entry{}, errors.Join(fault, err)
	}
	id, isID := (*columns[0].(*any)).(int64)
	if whole := *columns[n-1].(*any); !isID || whole != int64(0) {
		return Entry{}, fault
	}
	return Entry{ID: id, Count: 1, Damaged: true}, nil
}

// instant is a viewing.Instant as four columns, all NULL when there is none.
type instant struct {
	millis    sql.NullInt64
	text      sql.NullString
	offset    *int
	precision sql.NullString
}

func writeInstant(at viewing.Instant) instant {
	if at.IsZero() {
		return instant{}
	}
	return instant{
		millis:    sql.NullInt64{Int64: at.Millis, Valid: true},
		text:      sql.NullString{String: at.Text, Valid: true},
		offset:    at.Offset,
		precision: sql.NullString{String: string(at.Precision), Valid: true},
	}
}

func (i instant) read() viewing.Instant {
	return viewing.Instant{
		Millis: i.millis.Int64, Text: i.text.String, Offset: i.offset,
		Precision: viewing.Precision(i.precision.String),
	}
}

// due is when a new entry is due: since it happened, so that the oldest comes
// first, and never later than now.
func (i instant) due(now int64) int64 {
	if i.millis.Valid {
		return min(i.millis.Int64, now)
	}
	return now
}

// writeMedia renders an item, with the key that orders entries about it. What
// is put on a list has none: it waits for no viewing, nor one for it.
func writeMedia(kind viewing.Kind, m *viewing.Media) (text sql.NullString, key string, err error) {
	if m == nil {
		return text, "", nil
	}
	text, err = schema.JSON(m)
	if kind == viewing.KindListItem {
		return text, "", err
	}
	return text, m.Key(), err
}

// writeList renders a list; a nil one is NULL.
func writeList(l *viewing.List) (sql.NullString, error) {
	if l == nil {
		return sql.NullString{}, nil
	}
	return schema.JSON(l)
}
