package tracker

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"time"
)

// fields holds the members of a JSON object by their exact names; a struct would match names in any case. The last
// of several members with one name is used.
type fields map[string]json.RawMessage

// readObject parses one JSON object.
func readObject(text []byte) (f fields, ok bool) {
	err := json.Unmarshal(text, &f)
	return f, err == nil && f != nil
}

// readObjects parses a JSON array of objects.
func readObjects(text []byte) ([]fields, bool) {
	var items []fields
	err := json.Unmarshal(text, &items)
	whole := !slices.ContainsFunc(items, func(f fields) bool { return f == nil })
	return items, err == nil && items != nil && whole
}

// object returns a member that is an object.
func (f fields) object(name string) (fields, bool) { return readObject(f[name]) }

// text returns a member that is a string, else "".
func (f fields) text(name string) (s string) {
	if json.Unmarshal(f[name], &s) != nil {
		return ""
	}
	return s
}

// identifier returns a member that is a string or a number, as text. The contract requires a string, but a
// service may use numbers for its lists.
func (f fields) identifier(name string) string {
	if s := f.text(name); s != "" {
		return s
	}
	n, ok := f.number(name)
	if !ok || n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// isSet reports whether a member exists and is not null, false or "".
func (f fields) isSet(name string) bool {
	return !slices.Contains([]string{"", "null", "false", `""`}, string(f[name]))
}

// number returns a member that is a whole number, or a string with one.
func (f fields) number(name string) (int64, bool) {
	n, err := strconv.ParseInt(string(bytes.Trim(f[name], `"`)), 10, 64)
	return n, err == nil
}

// positive returns a member that is a number from 1, else 0.
func (f fields) positive(name string) int64 {
	n, _ := f.number(name)
	return max(n, 0)
}

// intPtr returns a season or episode number; nil when it is missing or negative.
func (f fields) intPtr(name string) *int {
	n, ok := f.number(name)
	if !ok || n < 0 {
		return nil
	}
	p := int(n)
	return &p
}

// boolean returns a member that is a boolean, else nil.
func (f fields) boolean(name string) (b *bool) {
	if json.Unmarshal(f[name], &b) != nil {
		return nil
	}
	return b
}

// instant returns a member that is a time, else the zero time. A date without a time is midnight UTC, and a time
// without a zone is in UTC.
func (f fields) instant(name string) time.Time {
	text := f.text(name)
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly, "2006-01-02T15:04:05", time.DateTime} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
