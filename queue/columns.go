package queue

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// millis reads a time, in milliseconds since 1970. It is in UTC.
func millis(at int64) time.Time { return time.UnixMilli(at).UTC() }

// nullTime reads a time that may not have come; then it is zero.
func nullTime(at sql.NullInt64) time.Time {
	if !at.Valid {
		return time.Time{}
	}
	return millis(at.Int64)
}

// timeOrNull writes a time; the zero time is NULL.
func timeOrNull(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}

// jsonText writes a value as text.
func jsonText(value any) (sql.NullString, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return sql.NullString{}, fmt.Errorf("write JSON: %w", err)
	}
	return sql.NullString{String: string(text), Valid: true}, nil
}

// jsonArray writes ids or words as JSON, for json_each.
func jsonArray[T int64 | string](values []T) string {
	if len(values) == 0 {
		return "[]"
	}
	text, _ := json.Marshal(values) // neither can fail
	return string(text)
}

// said is a message to keep; nil for one without a code.
func said(m viewing.Message) *viewing.Message {
	if m.Code == "" {
		return nil
	}
	return &m
}

// messageText writes a message; nil is NULL.
func messageText(m *viewing.Message) (sql.NullString, error) {
	if m == nil {
		return sql.NullString{}, nil
	}
	return jsonText(m)
}

// readJSON reads a column; NULL leaves the target alone.
func readJSON(text []byte, into any) error {
	if text == nil {
		return nil
	}
	return json.Unmarshal(text, into)
}
