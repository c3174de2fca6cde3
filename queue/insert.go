package queue

import (
	"database/sql"
	"fmt"

	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// newest are the greatest ids that were given, 0 before they were looked up.
// Whoever writes next gets the ones after them.
type newest struct {
	known        bool
	event, entry int64
}

// countIDs looks the newest ids up where they are not known.
func (t *tx) countIDs() error {
	if t.newest.known {
		return nil
	}
	_, err := t.Find(`SELECT (SELECT coalesce(max(id), 0) FROM events), (SELECT coalesce(max(id), 0) FROM entries)`,
		nil, &t.newest.event, &t.newest.entry)
	t.newest.known = err == nil
	return err
}

// insertEvent writes an event of which a number of entries is about to be made.
func (t *tx) insertEvent(e event, parts int, at int64) (event int64, err error) {
	if err := t.countIDs(); err != nil {
		return 0, err
	}
	entry := sql.NullInt64{Int64: t.newest.entry + 1, Valid: parts > 0}
	event, err = t.Insert(`INSERT INTO events (source, source_kind, event_id, body, entry, parts, committed_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)`, e.source, e.kind, e.EventID, string(e.body), entry, parts, at)
	if err == nil && event != t.newest.event+1 {
		err = fmt.Errorf("event got number %d after %d", event, t.newest.event)
	}
	t.newest.event = event
	return event, err
}

// insertEntry writes a new entry of an event, and counts it; the steps say how it
// was decided. It is due when it happened, or at its NextAt where that is later.
func (t *tx) insertEntry(event int64, e Entry, steps []string) (id int64, err error) {
	if err := t.countIDs(); err != nil {
		return 0, err
	}
	media, key, err := writeMedia(e.Kind, e.Media)
	if err != nil {
		return 0, err
	}
	var list sql.NullString
	if e.List != nil {
		if list, err = schema.JSON(e.List); err != nil {
			return 0, err
		}
	}
	at := writeInstant(e.WatchedAt.Instant)
	id, err = t.Insert(`INSERT INTO entries (event, account, part, kind, media, list, item_key, priority, watched_at,
			watched_text, watched_offset, watched_precision, class, revision, created_at,
			state, reason, lane, next_at, decided)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		event, e.Account, e.Part, string(e.Kind), media, list, key, e.Priority, at.millis,
		at.text, at.offset, at.precision, string(e.Class), e.Revision, e.CreatedAt.UnixMilli(),
		string(e.State), e.Reason, int(e.Lane), max(at.due(t.now), e.NextAt.UnixMilli()), schema.Array(steps))
	if err == nil && id != t.newest.entry+1 {
		err = fmt.Errorf("entry got number %d after %d", id, t.newest.entry)
	}
	if t.newest.entry = id; err != nil {
		return id, err
	}
	t.made(id, e.State)
	return id, t.askAbout(id, e.State, key)
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
