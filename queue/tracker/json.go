package tracker

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"time"
)

// maxMembers bounds the members of an object that is read. The largest that is asked for has one for each of
// fifty items.
const maxMembers = 1000

// fields are the members of a JSON object by their exact names, of which encoding/json takes any case when it
// fills a struct. Of a member that stands twice the last one counts.
type fields map[string]json.RawMessage

// readObject reads a text that is one JSON object of at most maxMembers members.
func readObject(text []byte) (fields, bool) {
	f := fields{}
	ok := readEach(text, '{', maxMembers, func(d *json.Decoder) bool {
		name, err := d.Token()
		key, isName := name.(string)
		var value json.RawMessage
		if err != nil || !isName || d.Decode(&value) != nil {
			return false
		}
		f[key] = value
		return true
	})
	if !ok {
		return nil, false
	}
	return f, true
}

// readObjects reads a text that is one JSON array of at most limit objects.
func readObjects(text []byte, limit int) ([]fields, bool) {
	items := []fields{}
	ok := readEach(text, '[', limit, func(d *json.Decoder) bool {
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return false
		}
		item, ok := readObject(value)
		items = append(items, item)
		return ok
	})
	return items, ok
}

// readEach calls read for each element of a text that is one JSON object or array, and stops at the limit: a
// hostile answer cannot fill the memory with empty ones.
func readEach(text []byte, open json.Delim, limit int, read func(*json.Decoder) bool) bool {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != open {
		return false
	}
	for n := 0; d.More(); n++ {
		if n == limit || !read(d) {
			return false
		}
	}
	if _, err := d.Token(); err != nil {
		return false
	}
	_, err := d.Token()
	return errors.Is(err, io.EOF)
}

// object is a member that is an object.
func (f fields) object(name string) (fields, bool) { return readObject(f[name]) }

// text is a member that is a string, else "".
func (f fields) text(name string) (s string) {
	if json.Unmarshal(f[name], &s) != nil {
		return ""
	}
	return s
}

// identifier is a member that is a string or a whole number, as text. The contract has strings; a service that
// counts its lists has made one all the same.
func (f fields) identifier(name string) string {
	if s := f.text(name); s != "" {
		return s
	}
	var n int64
	if json.Unmarshal(f[name], &n) != nil || n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// isSet reports whether a member is there and more than null, false or "".
func (f fields) isSet(name string) bool {
	switch string(f[name]) {
	case "", "null", "false", `""`:
		return false
	}
	return true
}

// number is a member that is a whole number, or one written as text.
func (f fields) number(name string) (int64, bool) {
	n, err := strconv.ParseInt(string(bytes.Trim(f[name], `"`)), 10, 64)
	return n, err == nil
}

// positive is a member that is a number from 1, else 0.
func (f fields) positive(name string) int64 {
	n, _ := f.number(name)
	return max(n, 0)
}

// intPtr is a season or episode number; nil when it is absent.
func (f fields) intPtr(name string) *int {
	n, ok := f.number(name)
	if !ok || n < 0 {
		return nil
	}
	p := int(n)
	return &p
}

// boolean is a member that is a boolean, else nil.
func (f fields) boolean(name string) (b *bool) {
	if json.Unmarshal(f[name], &b) != nil {
		return nil
	}
	return b
}

// instant is a member that is a time; the zero time when it is not. A day alone is its beginning in UTC, and a
// time without a zone is in UTC.
func (f fields) instant(name string) time.Time {
	text := f.text(name)
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly, "2006-01-02T15:04:05.999999999", time.DateTime} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
