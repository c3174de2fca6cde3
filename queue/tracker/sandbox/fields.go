package sandbox

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// maxInteger is the largest whole number that every JSON parser represents exactly.
const maxInteger = 1<<53 - 1

// fields reads an object's fields and keeps the first error; later reads return zero values. So the reported error
// is the first in the order of reading. The object is a map because encoding/json matches struct fields in any case.
type fields struct {
	object map[string]json.RawMessage
	fault  error
}

// decode parses a body that must be exactly one JSON object. The last of several fields with one name is used.
func (f *fields) decode(body []byte) error {
	if !utf8.Valid(body) || json.Unmarshal(body, &f.object) != nil || f.object == nil {
		return invalid("", "the body is not one JSON object")
	}
	return nil
}

// query uses the parameters of a query as fields: JSON values as they are, everything else as a string.
func (f *fields) query(all url.Values) {
	f.object = map[string]json.RawMessage{}
	for name := range all {
		f.object[name] = json.RawMessage(all.Get(name))
		if !json.Valid(f.object[name]) {
			f.object[name], _ = json.Marshal(all.Get(name))
		}
	}
}

// fail records an error of a field, unless there is one already.
func (f *fields) fail(name, why string) {
	if f.fault == nil {
		f.fault = invalid(name, why)
	}
}

// read decodes a field into v; false if it is missing or invalid. No field may be null.
func (f *fields) read(name string, v any, why string) bool {
	raw, ok := f.object[name]
	if !ok || f.fault != nil {
		return false
	}
	if string(raw) == "null" || json.Unmarshal(raw, v) != nil {
		f.fail(name, why)
	}
	return f.fault == nil
}

// integer returns a whole number within bounds, nil if missing. 603.0 is 603.
func (f *fields) integer(name string, least, most int64) *int64 {
	var n float64 // exact up to 2^53
	why := fmt.Sprintf("must be a whole number from %d to %d", least, most)
	if !f.read(name, &n, why) {
		return nil
	}
	if n != math.Trunc(n) || n < float64(least) || n > float64(most) {
		f.fail(name, why)
	}
	i := int64(n)
	return &i
}

// required returns a whole number that must exist, else 0 and an error.
func (f *fields) required(name string, least int64) int64 {
	n := f.integer(name, least, maxInteger)
	if n == nil {
		f.fail(name, "is required")
		return 0
	}
	return *n
}

// numberOr returns a whole number from 1 to most, or otherwise if missing.
func (f *fields) numberOr(name string, otherwise, most int64) int64 {
	if n := f.integer(name, 1, most); n != nil {
		return *n
	}
	return otherwise
}

// text returns a string, "" if missing.
func (f *fields) text(name string) (s string) {
	f.read(name, &s, "must be a string")
	return s
}

// oneOf returns a string that is one of words, or otherwise if missing.
func (f *fields) oneOf(name, otherwise string, words ...string) string {
	s := otherwise
	f.read(name, &s, "must be a string")
	if !slices.Contains(words, s) {
		f.fail(name, "must be one of "+strings.Join(words, ", "))
	}
	return s
}

// instant returns a date-time with an offset, truncated to the millisecond, or otherwise if missing.
func (f *fields) instant(name string, otherwise time.Time) time.Time {
	var s string
	if !f.read(name, &s, "must be a string") {
		return otherwise
	}
	t, err := time.Parse(time.RFC3339, strings.ToUpper(s))
	if t = time.UnixMilli(t.UnixMilli()).UTC(); err != nil || t.Year() < 0 || t.Year() > 9999 {
		f.fail(name, "must be a date and time with an offset, such as 2026-03-01T19:00:00Z")
	}
	return t
}
