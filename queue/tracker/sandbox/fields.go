package sandbox

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// maxInteger is the largest whole number that every JSON reader keeps exact.
const maxInteger = 1<<53 - 1

// object is a JSON object's fields as they were sent. It is a map because encoding/json fills struct fields
// whatever the case of the name.
type object map[string]json.RawMessage

// decodeObject reads a body that must be exactly one JSON object. Of a field that is there twice the last one
// counts.
func decodeObject(body []byte) (o object, err error) {
	if !utf8.Valid(body) {
		return nil, invalid("", "the body is not valid UTF-8")
	}
	if err := json.Unmarshal(body, &o); err != nil || o == nil {
		return nil, invalid("", "the body is not one JSON object")
	}
	return o, nil
}

// fields reads an object's fields one after the other and keeps the first fault; after it every read gives
// nothing. So the fault that is named is the first in the order of reading.
type fields struct {
	object
	within string // before the names in messages: "items[2]."
	fault  error
}

func (f *fields) fail(name, why string) {
	if f.fault == nil {
		f.fault = invalid(f.within+name, why)
	}
}

// read decodes a field into v; false when it is absent. Nothing is declared nullable.
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

// integer is a whole number from least to 2^53-1, nil when absent. 603.0 is 603.
func (f *fields) integer(name string, least int64) *int64 {
	var n float64 // exact up to 2^53
	if !f.read(name, &n, "must be a whole number") {
		return nil
	}
	switch {
	case n != math.Trunc(n):
		f.fail(name, "must be a whole number")
	case n < float64(least):
		f.fail(name, "must be at least "+strconv.FormatInt(least, 10))
	case n > maxInteger:
		f.fail(name, "must be at most 9007199254740991")
	}
	i := int64(n)
	return &i
}

// required is a whole number that must be there, 0 when it is not.
func (f *fields) required(name string, least int64) int64 {
	n := f.integer(name, least)
	if n == nil {
		f.fail(name, "is required")
		return 0
	}
	return *n
}

// text is a string, "" when absent.
func (f *fields) text(name string) (s string) {
	f.read(name, &s, "must be a string")
	return s
}

// oneOf is a string out of words. It must be there.
func (f *fields) oneOf(name string, words ...string) string {
	s := f.text(name)
	if !slices.Contains(words, s) {
		f.fail(name, "must be one of "+strings.Join(words, ", "))
	}
	return s
}

// instant is a date-time with an offset, cut to the millisecond; otherwise when absent.
func (f *fields) instant(name string, otherwise Stamp) Stamp {
	var s string
	if !f.read(name, &s, "must be a string") {
		return otherwise
	}
	t, err := time.Parse(time.RFC3339, strings.ToUpper(s))
	if t = time.UnixMilli(t.UnixMilli()).UTC(); err != nil || t.Year() < 0 || t.Year() > 9999 {
		f.fail(name, "must be a date and time with an offset, such as 2026-03-01T19:00:00Z")
	}
	return Stamp{t}
}
