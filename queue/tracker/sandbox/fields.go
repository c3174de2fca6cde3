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

// maxInteger is the largest whole number that every JSON reader keeps exact.
const maxInteger = 1<<53 - 1

// fields reads an object's fields one after the other and keeps the first fault; after it every read gives
// nothing. So the fault that is named is the first in the order of reading. The object is a map because
// encoding/json fills struct fields whatever the case of the name.
type fields struct {
	object map[string]json.RawMessage
	fault  error
}

// decode reads a body that must be exactly one JSON object. Of a field that is there twice the last one counts.
func (f *fields) decode(body []byte) error {
	if !utf8.Valid(body) || json.Unmarshal(body, &f.object) != nil || f.object == nil {
		return invalid("", "the body is not one JSON object")
	}
	return nil
}

// query takes the parameters of a query as fields: numbers as such, all else as text.
func (f *fields) query(all url.Values) {
	f.object = map[string]json.RawMessage{}
	for name := range all {
		f.object[name] = json.RawMessage(all.Get(name))
		if !json.Valid(f.object[name]) {
			f.object[name], _ = json.Marshal(all.Get(name))
		}
	}
}

func (f *fields) fail(name, why string) {
	if f.fault == nil {
		f.fault = invalid(name, why)
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

// integer is a whole number within bounds, nil when absent. 603.0 is 603.
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

// required is a whole number that must be there, 0 when it is not.
func (f *fields) required(name string, least int64) int64 {
	n := f.integer(name, least, maxInteger)
	if n == nil {
		f.fail(name, "is required")
		return 0
	}
	return *n
}

// number is a whole number from 1 to most, otherwise when absent.
func (f *fields) numberOr(name string, otherwise, most int64) int64 {
	if n := f.integer(name, 1, most); n != nil {
		return *n
	}
	return otherwise
}

// text is a string, "" when absent.
func (f *fields) text(name string) (s string) {
	f.read(name, &s, "must be a string")
	return s
}

// oneOf is a string out of words, otherwise when absent.
func (f *fields) oneOf(name, otherwise string, words ...string) string {
	s := otherwise
	f.read(name, &s, "must be a string")
	if !slices.Contains(words, s) {
		f.fail(name, "must be one of "+strings.Join(words, ", "))
	}
	return s
}

// instant is a date-time with an offset, cut to the millisecond; otherwise when absent.
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
