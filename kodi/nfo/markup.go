package nfo

import (
	"bytes"
)

// markup reads what begins with "<"; ok is false for what is passed over.
func (s *scanner) markup() (t token, ok bool) {
	for s.rest() < 2 {
		if !s.fill() {
			return s.startTag()
		}
	}
	switch s.buf[s.pos+1] {
	case '/':
		return s.endTag()
	case '?':
		return s.instruction()
	case '!':
		return s.declaration()
	default:
		return s.startTag()
	}
}

// declaration reads what begins with "<!".
func (s *scanner) declaration() (t token, ok bool) {
	switch {
	case s.begins("<!--"):
		return s.comment()
	case s.begins("<![CDATA["):
		return s.cdata()
	default:
		return s.directive()
	}
}

// until takes everything up to and with the delimiter. When it never comes,
// all the rest goes.
func (s *scanner) until(delim string, skip int) []byte {
	n := s.upTo(delim, skip)
	if n < 0 {
		s.breach("a tag is not closed")
		return s.take(s.rest())
	}
	return s.take(n + len(delim))
}

func (s *scanner) comment() (token, bool) {
	piece := s.until("-->", 4)
	if inner := bytes.TrimSuffix(piece[4:], []byte("-->")); bytes.Contains(inner, []byte("--")) || bytes.HasSuffix(inner, []byte("-")) {
		s.breach("a comment holds two dashes")
	}
	return token{}, false
}

func (s *scanner) cdata() (token, bool) {
	piece := s.until("]]>", 9)
	if s.depth == 0 {
		s.breach("a text stands outside of every tag")
	}
	return token{kind: chars, text: bytes.TrimSuffix(piece[9:], []byte("]]>")), raw: true}, true
}

// directive is a document type. One with definitions of its own is not
// trusted: it could give a text another meaning.
func (s *scanner) directive() (token, bool) {
	piece := s.until(">", 2)
	if bytes.ContainsAny(piece[1:], "[<\"'-") {
		s.breach("it has a document type with definitions")
	}
	return token{}, false
}

func (s *scanner) instruction() (token, bool) {
	piece := s.until("?>", 2)
	if name, _ := cutName(piece[2:]); len(name) == 0 {
		s.breach("a tag has no name")
	}
	return token{}, false
}

// endTag closes the element of its name, and in a broken document all that is
// open within it.
func (s *scanner) endTag() (token, bool) {
	piece := s.until(">", 2)
	name, after := cutName(piece[2:])
	if len(name) == 0 || string(skipSpace(after)) != ">" {
		s.breach("an end tag is not well-formed")
	}
	d := s.depth
	for d > 0 && string(s.name(d)) != string(name) {
		d--
	}
	switch d {
	case 0:
		s.breach("an end tag has no beginning")
		return token{}, false
	case s.depth:
	default:
		s.breach("a tag is not closed")
	}
	s.pop(d - 1)
	return token{kind: closing}, true
}

// startTag opens an element.
func (s *scanner) startTag() (token, bool) {
	piece := s.take(s.tagLength())
	name, attrs := cutName(piece[1:])
	if len(name) == 0 {
		s.breach("a < is not written as &lt;")
		return token{}, false
	}
	attrs, closed := bytes.CutSuffix(attrs, []byte(">"))
	if !closed {
		s.breach("a tag is not closed")
	}
	attrs, s.again = bytes.CutSuffix(attrs, []byte("/"))
	s.checkAttributes(attrs)
	if s.depth == maxDepth {
		s.breach("it is nested too deep")
		s.again = false
		return token{}, false
	}
	if s.depth == 0 {
		s.root = string(name)
	}
	s.marks = append(s.marks, len(s.names))
	s.names = append(s.names, name...)
	s.depth++
	return token{kind: opening, name: name, attrs: attrs}, true
}

// tagLength is the length of the tag that begins here: up to ">" outside of
// quotes, or up to the next "<", which is not allowed within.
func (s *scanner) tagLength() int {
	quote := byte(0)
	for i := 1; i <= maxToken; i++ {
		for s.rest() <= i {
			if !s.fill() {
				return s.rest()
			}
		}
		switch c := s.buf[s.pos+i]; {
		case c == '<':
			return i
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i + 1
		}
	}
	s.breach("a tag or a text is too long")
	return maxToken
}

// name is the name of the open element at a depth, from 1.
func (s *scanner) name(depth int) []byte {
	if depth == len(s.marks) {
		return s.names[s.marks[depth-1]:]
	}
	return s.names[s.marks[depth-1]:s.marks[depth]]
}

// pop closes all elements deeper than depth.
func (s *scanner) pop(depth int) {
	s.names, s.marks, s.depth = s.names[:s.marks[depth]], s.marks[:depth], depth
}

// checkAttributes checks the form of all attributes of a tag.
func (s *scanner) checkAttributes(attrs []byte) {
	for len(skipSpace(attrs)) > 0 {
		_, value, rest, ok := cutAttribute(attrs)
		if !ok {
			s.breach("an attribute is not written as name=\"value\"")
			return
		}
		s.checkReferences(value)
		attrs = rest
	}
}

// attribute is the value of one attribute, "" when it has none.
func attribute(attrs []byte, want string) string {
	for {
		name, value, rest, ok := cutAttribute(attrs)
		if !ok {
			return ""
		}
		if string(name) == want {
			return expand(value, maxValue)
		}
		attrs = rest
	}
}

// cutAttribute splits off the first attribute, which a space must precede.
func cutAttribute(attrs []byte) (name, value, rest []byte, ok bool) {
	trimmed := skipSpace(attrs)
	name, after := cutName(trimmed)
	after, equals := bytes.CutPrefix(skipSpace(after), []byte("="))
	after = skipSpace(after)
	if len(trimmed) == len(attrs) || len(name) == 0 || !equals || len(after) == 0 || after[0] != '"' && after[0] != '\'' {
		return nil, nil, nil, false
	}
	n := bytes.IndexByte(after[1:], after[0])
	if n < 0 {
		return nil, nil, nil, false
	}
	return name, after[1 : n+1], after[n+2:], true
}

// cutName splits off a name, perhaps with a namespace; those of the formats
// read here are ASCII.
func cutName(piece []byte) (name, rest []byte) {
	n := 0
	for n < len(piece) && isName(piece[n], n > 0) {
		n++
	}
	if bytes.Count(piece[:n], []byte(":")) > 1 {
		return nil, piece
	}
	return piece[:n], piece[n:]
}

func isName(c byte, inside bool) bool {
	letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
	return letter || inside && ('0' <= c && c <= '9' || c == '-' || c == '.' || c == ':')
}

func skipSpace(piece []byte) []byte { return bytes.TrimLeft(piece, " \t\r\n") }
