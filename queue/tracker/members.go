package tracker

import (
	"bytes"
	"encoding/json"
	"iter"
	"strconv"
	"time"
)

// fields is a whole JSON object as it came. Nothing is copied out of it: a
// member is found by going through it, so an object of a million members costs
// no memory. Names are exact; of a member that stands twice the last one counts.
type fields []byte

// maxMembers bounds the members of an object that is read. The largest that is
// asked for has one for each of fifty items.
const maxMembers = 1000

// readObject takes a text that is one JSON object.
func readObject(text []byte) (fields, bool) {
	text = bytes.TrimSpace(text)
	if !json.Valid(text) {
		return nil, false
	}
	return asObject(text)
}

// asObject takes a valid value that is an object of not too many members.
func asObject(raw json.RawMessage) (fields, bool) {
	if len(raw) == 0 || raw[0] != '{' {
		return nil, false
	}
	n := 0
	for range fields(raw).members() {
		if n++; n > maxMembers {
			return nil, false
		}
	}
	return fields(raw), true
}

// members are the names, in quotes, and the values.
func (f fields) members() iter.Seq2[[]byte, json.RawMessage] {
	return func(yield func([]byte, json.RawMessage) bool) {
		for rest := within(f); len(rest) > 0; {
			n := step(rest)
			name := rest[:n]
			rest = next(rest[n:], ':')
			n = step(rest)
			if !yield(name, json.RawMessage(rest[:n])) {
				return
			}
			rest = next(rest[n:], ',')
		}
	}
}

// elements are the values of a JSON array; none of anything else.
func elements(raw json.RawMessage) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		if len(raw) == 0 || raw[0] != '[' {
			return
		}
		for rest := within(raw); len(rest) > 0; {
			n := step(rest)
			if !yield(rest[:n]) {
				return
			}
			rest = next(rest[n:], ',')
		}
	}
}

// within is what stands between the brackets of a valid object or array.
func within(raw []byte) []byte {
	if len(raw) < 2 {
		return nil
	}
	return next(raw[1:len(raw)-1], ' ')
}

// next is a text without the blanks and the sign that it begins with.
func next(text []byte, sign byte) []byte {
	for i, c := range text {
		if !blank(c) && c != sign {
			return text[i:]
		}
	}
	return nil
}

// blank reports what may stand between two tokens.
func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// step is the length of the first value of a valid JSON text.
func step(text []byte) int {
	for i, depth := 0, 0; i < len(text); {
		switch text[i] {
		case '"':
			i += quoted(text[i:])
		case '{', '[':
			i, depth = i+1, depth+1
			continue
		case '}', ']':
			i, depth = i+1, depth-1
		default:
			if depth == 0 {
				return plain(text)
			}
			i++
			continue
		}
		if depth == 0 {
			return i
		}
	}
	return len(text)
}

// quoted is the length of the string that a text begins with.
func quoted(text []byte) int {
	for i := 1; i < len(text); {
		n := bytes.IndexByte(text[i:], '"')
		if n < 0 {
			break
		}
		i += n + 1
		slashes := 0
		for slashes < n && text[i-2-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i
		}
	}
	return len(text)
}

// plain is the length of the number or the word that a text begins with.
func plain(text []byte) int {
	for i, c := range text {
		if blank(c) || c == ',' || c == ']' || c == '}' {
			return i
		}
	}
	return len(text)
}

// get is a member as it stands; nil when there is none.
func (f fields) get(name string) (found json.RawMessage) {
	for key, value := range f.members() {
		if reads(key, name) {
			found = value
		}
	}
	return found
}

// reads reports whether a JSON string says name.
func reads(quoted []byte, name string) bool {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1:len(quoted)-1]) == name
	}
	var s string
	return len(quoted) <= 6*len(name)+2 && json.Unmarshal(quoted, &s) == nil && s == name
}

// object is a member that is an object.
func (f fields) object(name string) (fields, bool) { return asObject(f.get(name)) }

// text is a member that is a string, else "".
func (f fields) text(name string) string { return textOf(f.get(name)) }

func textOf(raw json.RawMessage) (s string) {
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// brief is a member that is a string of at most so many bytes; "" and false
// when it is longer. It is not read then.
func (f fields) brief(name string, most int) (string, bool) {
	raw := f.get(name)
	if len(raw) > 6*most+2 { // each byte may stand as \u00xx
		return "", false
	}
	s := textOf(raw)
	if len(s) > most {
		return "", false
	}
	return s, true
}

// identifier is a member that is a string or a whole number, as text. The
// contract has strings; a service that counts its lists has made one all the
// same.
func (f fields) identifier(name string) string {
	raw := f.get(name)
	if s := textOf(raw); s != "" {
		return s
	}
	var n int64
	if json.Unmarshal(raw, &n) != nil || n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// says reports whether a member is there and more than null, false or "".
func (f fields) says(name string) bool {
	switch string(f.get(name)) {
	case "", "null", "false", `""`:
		return false
	}
	return true
}

// maxNumber bounds a number that is read, in bytes as it stands.
const maxNumber = 64

// number is a member that is a whole number, or one written as text.
func (f fields) number(name string) (int64, bool) {
	raw := f.get(name)
	if len(raw) > maxNumber {
		return 0, false
	}
	text := textOf(raw)
	if text == "" {
		text = string(raw)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// positive is a member that is a number from 1, else 0.
func (f fields) positive(name string) int64 {
	n, _ := f.number(name)
	return max(n, 0)
}

// place is a season or episode number; nil when it is not told.
func (f fields) place(name string) *int {
	n, ok := f.number(name)
	if !ok || n < 0 {
		return nil
	}
	p := int(n)
	return &p
}

// truth is a member that is a boolean; nil when it is none.
func (f fields) truth(name string) *bool {
	raw := f.get(name)
	if s := string(raw); s != "true" && s != "false" {
		return nil
	}
	b := raw[0] == 't'
	return &b
}

// maxStamp bounds a time that is read, in bytes.
const maxStamp = 64

// instant is a member that is a time; the zero time when it is none. A day
// alone is its begin in UTC, and so is a time without a zone.
func (f fields) instant(name string) time.Time {
	text, _ := f.brief(name, maxStamp)
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly, "2006-01-02T15:04:05.999999999", time.DateTime} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
