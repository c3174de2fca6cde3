package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds nesting; messages of version 1 need 4.
const maxDepth = 16

// errDepth goes to the client after "the message".
var errDepth = fmt.Errorf("is nested deeper than %d", maxDepth)

// parse reads one JSON text whose objects have no key twice, into the types
// of encoding/json with numbers as [json.Number]. encoding/json's own reading
// would take the last of two equal keys, and "TMDB" for "tmdb".
func parse(frame []byte) (any, error) {
	if !utf8.Valid(frame) {
		return nil, errors.New("is not UTF-8")
	}
	if !json.Valid(frame) {
		return nil, errors.New("is not one JSON text")
	}
	c := cursor{text: frame}
	return c.value(0)
}

// cursor walks over a text that is known to be valid JSON, and so looks only
// for where things end.
type cursor struct {
	text []byte
	at   int
}

// next skips white space and, where wanted, a comma or colon, and returns the
// byte it stands on.
func (c *cursor) next() byte {
	for {
		switch b := c.text[c.at]; b {
		case ' ', '\t', '\r', '\n', ',', ':':
			c.at++
		default:
			return b
		}
	}
}

func (c *cursor) value(depth int) (any, error) {
	first := c.next()
	switch first {
	case '{', '[':
		if depth >= maxDepth {
			return nil, errDepth
		}
		c.at++
		if first == '{' {
			return c.object(depth + 1)
		}
		return c.array(depth + 1)
	case '"':
		return c.string()
	case 't':
		c.at += len("true")
		return true, nil
	case 'f':
		c.at += len("false")
		return false, nil
	case 'n':
		c.at += len("null")
		return nil, nil
	}
	return c.number(), nil
}

func (c *cursor) object(depth int) (map[string]any, error) {
	values := map[string]any{}
	for c.next() != '}' {
		key, err := c.string()
		if err != nil {
			return nil, err
		}
		if _, twice := values[key]; twice {
			return nil, fmt.Errorf("has the key %.60q twice", key)
		}
		if values[key], err = c.value(depth); err != nil {
			return nil, err
		}
	}
	c.at++
	return values, nil
}

func (c *cursor) array(depth int) ([]any, error) {
	values := []any{}
	for c.next() != ']' {
		value, err := c.value(depth)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	c.at++
	return values, nil
}

// string reads from one quote to the next. What has escapes is left to
// encoding/json, which also knows about surrogates.
func (c *cursor) string() (string, error) {
	start, escaped := c.at, false
	for c.at++; c.text[c.at] != '"'; c.at++ {
		if c.text[c.at] == '\\' {
			escaped = true
			c.at++ // whatever it is, it ends nothing
		}
	}
	c.at++
	quoted := c.text[start:c.at]
	if !escaped {
		return string(quoted[1 : len(quoted)-1]), nil
	}
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		return "", fmt.Errorf("has a text that cannot be read: %w", err)
	}
	return text, nil
}

// number reads up to what cannot be a number's.
func (c *cursor) number() json.Number {
	start := c.at
	for c.at < len(c.text) && strings.IndexByte("0123456789+-.eE", c.text[c.at]) >= 0 {
		c.at++
	}
	return json.Number(c.text[start:c.at])
}
