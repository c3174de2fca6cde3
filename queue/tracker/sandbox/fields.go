package sandbox

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// maxInteger is the largest whole number that every JSON reader keeps exact.
const maxInteger = 1<<53 - 1

// object is a JSON object's fields as they were sent. A map and not a struct,
// because encoding/json fills struct fields whatever the case of the name.
type object map[string]json.RawMessage

// decodeObject reads a body that must be exactly one JSON object. Of a field
// that is there twice the last one counts.
func decodeObject(body []byte) (object, error) {
	start := bytes.TrimLeft(body, " \t\r\n")
	switch {
	case len(start) == 0:
		return nil, invalid("", "the body is empty: a JSON object is required")
	case !utf8.Valid(body):
		return nil, invalid("", "the body is not valid UTF-8")
	case start[0] != '{':
		return nil, invalid("", "the body is not a JSON object")
	}
	var o object
	if err := json.Unmarshal(body, &o); err != nil {
		return nil, invalid("", "the body is not one JSON object: "+err.Error())
	}
	return o, nil
}

// fields reads an object's fields one after the other and keeps the first
// fault; after it every read gives nothing. So the fault that is named is the
// first in the order of reading.
type fields struct {
	object object
	within string // before the names in messages: "items[2]."
	fault  error
}

func (f *fields) fail(name, why string) {
	if f.fault == nil {
		f.fault = invalid(f.within+name, why)
	}
}

// raw is the field as sent, nil when absent. Nothing is declared nullable.
func (f *fields) raw(name string) json.RawMessage {
	raw, ok := f.object[name]
	if !ok || f.fault != nil {
		return nil
	}
	if string(raw) == "null" {
		f.fail(name, "must not be null")
		return nil
	}
	return raw
}

// integer is a whole number from least to 2^53-1, nil when absent.
func (f *fields) integer(name string, least int64) *int64 {
	raw := f.raw(name)
	if raw == nil {
		return nil
	}
	n, why := wholeNumber(string(raw))
	if why == "" && n < least {
		why = "must be at least " + strconv.FormatInt(least, 10)
	}
	if why != "" {
		f.fail(name, why)
		return nil
	}
	return &n
}

// text is a string, nil when absent.
func (f *fields) text(name string) *string {
	raw := f.raw(name)
	if raw == nil {
		return nil
	}
	var s string
	if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		f.fail(name, "must be a string")
		return nil
	}
	return &s
}

// oneOf is a string out of words, "" when absent.
func (f *fields) oneOf(name string, words ...string) string {
	s := f.text(name)
	if s == nil {
		return ""
	}
	if !slices.Contains(words, *s) {
		f.fail(name, "must be one of "+strings.Join(words, ", "))
		return ""
	}
	return *s
}

// requiredOf is oneOf for a field that must be there.
func (f *fields) requiredOf(name string, words ...string) string {
	if _, ok := f.object[name]; !ok {
		f.fail(name, "is required")
	}
	return f.oneOf(name, words...)
}

// instant is a date-time with an offset, cut to the millisecond; nil when absent.
func (f *fields) instant(name string) *time.Time {
	s := f.text(name)
	if s == nil {
		return nil
	}
	t, ok := parseDateTime(*s)
	if !ok {
		f.fail(name, "must be a date and time with an offset, such as 2026-03-01T19:00:00Z")
		return nil
	}
	return &t
}

// parseDateTime reads RFC 3339, cut to the millisecond. time.Parse alone also
// takes one-digit hours, commas and offsets that do not exist.
func parseDateTime(s string) (time.Time, bool) {
	s = strings.ToUpper(s)
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || s[len("2006-01-02T15")] != ':' || strings.Contains(s, ",") {
		return t, false
	}
	if !strings.HasSuffix(s, "Z") {
		hours, minutes, _ := strings.Cut(s[len(s)-len("07:00"):], ":")
		if hours > "23" || minutes > "59" {
			return t, false
		}
	}
	t = time.UnixMilli(t.UnixMilli()).UTC()
	return t, t.Year() >= 0 && t.Year() <= 9999
}

// wholeNumber reads a JSON number exactly: 603, 603.0 and 6.03e2 are 603.
// It says why when the literal is no whole number within ±(2^53-1).
func wholeNumber(literal string) (n int64, why string) {
	if c := literal[0]; c != '-' && (c < '0' || c > '9') {
		return 0, "must be a whole number"
	}
	unsigned, negative := strings.CutPrefix(literal, "-")
	mantissa, power := unsigned, ""
	if i := strings.IndexAny(unsigned, "eE"); i >= 0 {
		mantissa, power = unsigned[:i], unsigned[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	kept := strings.TrimRight(digits, "0")
	if kept == "" {
		return 0, ""
	}
	zeros := exponent(power) - len(fraction) + len(digits) - len(kept)
	if zeros < 0 {
		return 0, "must be a whole number"
	}
	if len(kept)+zeros <= 16 { // the digits of 2^53-1
		n, _ = strconv.ParseInt(kept+strings.Repeat("0", zeros), 10, 64)
	}
	if n == 0 || n > maxInteger {
		return 0, "must be within 9007199254740991 of zero"
	}
	if negative {
		n = -n
	}
	return n, ""
}

// exponent is the power of ten behind the e. It is bounded, so that no
// literal can overflow: beyond the bound all numbers are out of range alike.
func exponent(s string) int {
	const bound = 1 << 30
	n, _ := strconv.Atoi(s) // digits by the JSON grammar; clamped when out of range
	return max(-bound, min(n, bound))
}
