package queue

import (
	"database/sql"

	"github.com/filmspool/filmspool/queue/viewing"
)

// insertEvent writes an event.
func (t *tx) insertEvent(e event) (int64, error) {
	return t.Insert("INSERT INTO events (source, source_kind, event_id, body, committed_at) VALUES (?, ?, ?, ?, ?)",
		e.source, e.kind, e.EventID, string(e.body), t.now)
}

// insertEntry writes a new entry of an event, and counts it; the steps say how it
// was decided. It is due when it happened, or at its NextAt where that is later.
func (t *tx) insertEntry(event int64, e *Entry, d draft) (err error) {
	media, err := mediaText(e.Media)
	if err != nil {
		return err
	}
	reported, err := mediaText(e.Reported)
	if err != nil {
		return err
	}
	var list sql.NullString
	if e.List != nil {
		if list, err = jsonText(e.List); err != nil {
			return err
		}
	}
	steps, err := jsonText(d.Steps)
	if err != nil {
		return err
	}
	if e.State.Finished() {
		e.SettledAt = e.CreatedAt
	}
	at := writeInstant(e.WatchedAt.Instant)
	e.ID, err = t.Insert(`INSERT INTO entries (event, account, part, kind, media, reported, correction, list, item_key, priority, watched_at,
			watched_text, watched_offset, watched_precision, class, created_at, state, reason, lane, after, next_at, planned_at, settled_at, decided)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		event, e.Account, e.Part, string(e.Kind), media, reported, sql.NullInt64{Int64: e.Correction, Valid: e.Correction != 0}, list, e.Key(), e.Priority, at.millis,
		at.text, at.offset, at.precision, string(e.Class), t.now, string(e.State), e.Reason, int(e.Lane),
		sql.NullInt64{Int64: e.After, Valid: e.After != 0}, max(t.dueSince(*e).UnixMilli(), e.NextAt.UnixMilli()), t.now, timeOrNull(e.SettledAt), steps)
	if err != nil {
		return err
	}
	t.count(e.Account, e.State, 1)
	return t.keepLookup(Entry{}, *e)
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

// mediaText renders an item; nil is NULL.
func mediaText(m *viewing.Media) (sql.NullString, error) {
	if m == nil {
		return sql.NullString{}, nil
	}
	return jsonText(m)
}
