package schema

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// Time reads a time, in milliseconds since 1970. It is in UTC.
func Time(millis int64) time.Time { return time.UnixMilli(millis).UTC() }

// NullTime reads a time that may not have come; then it is zero.
func NullTime(millis sql.NullInt64) time.Time {
	if !millis.Valid {
		return time.Time{}
	}
	return Time(millis.Int64)
}

// TimeOrNull writes a time; the zero time is NULL.
func TimeOrNull(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}

// JSON writes a value as text.
func JSON(value any) (sql.NullString, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return sql.NullString{}, fmt.Errorf("write JSON: %w", err)
	}
	return sql.NullString{String: string(text), Valid: true}, nil
}

// Array writes ids or words as JSON, for json_each.
func Array[T int64 | string](values []T) string {
	if len(values) == 0 {
		return "[]"
	}
	text, _ := json.Marshal(values) // neither can fail
	return string(text)
}

// ReadJSON reads a column; NULL leaves the target alone.
func ReadJSON(text []byte, into any) error {
	if text == nil {
		return nil
	}
	return json.Unmarshal(text, into)
}
