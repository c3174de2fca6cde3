package queue

import (
	"database/sql"

	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

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

// writeList renders a list; a nil one is NULL.
func writeList(l *viewing.List) (sql.NullString, error) {
	if l == nil {
		return sql.NullString{}, nil
	}
	return schema.JSON(l)
}
