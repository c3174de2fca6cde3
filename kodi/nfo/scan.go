package nfo

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of what is read.
const (
	maxToken = 1 << 20 // bytes of one tag or one text
	maxDepth = 256     // elements within each other
)

// token is one piece of a document. Its bytes hold until the next call.
type token struct {
	kind  tokenKind
	name  []byte // of a start
	attrs []byte // of a start, unread
	text  []byte // of a text
	raw   bool   // the text stands as it is: CDATA
}

type tokenKind byte

const (
	ending  tokenKind = iota // of the document
	opening                  // of an element; scanner.depth counts it
	closing                  // of one or more elements; scanner.depth is what is left
	chars
)

// scanner splits a document into tokens. It keeps to the form of XML without
// entities of a document's own, and allows several root elements. At the
// first breach it notes a fault and goes on as well as it can.
type scanner struct {
	src   io.Reader // nil when buf is the whole document
	err   error     // of src, other than its end
	buf   []byte
	pos   int
	fault string // the first breach of form, one clause with its line
	begun int    // where in buf the current token begins
	lines int    // that ended before buf begins
	depth int
	names []byte // of the open elements, one after the other
	marks []int  // where each begins
	again bool   // an empty element is to be closed
	root  string // the name of the last element that stood alone
}

// breach notes a fault; the first one counts.
func (s *scanner) breach(what string) { s.breachAt(s.begun, what) }

// breachAt notes a fault at a place of buf.
func (s *scanner) breachAt(at int, what string) {
	if s.fault == "" {
		line := 1 + s.lines + bytes.Count(s.buf[:min(at, len(s.buf))], []byte("\n"))
		s.fault = fmt.Sprintf("line %d: %s", line, what)
	}
}

// fill reads on, moving what is unread to the front.
func (s *scanner) fill() bool {
	if s.src == nil || s.err != nil {
		return false
	}
	if s.pos > 0 {
		s.lines += bytes.Count(s.buf[:s.pos], []byte("\n"))
		s.begun = max(0, s.begun-s.pos)
		s.buf = s.buf[:copy(s.buf, s.buf[s.pos:])]
		s.pos = 0
	}
	if len(s.buf) == cap(s.buf) {
		s.buf = append(s.buf, make([]byte, max(len(s.buf), 1<<16))...)[:len(s.buf)]
	}
	n, err := s.src.Read(s.buf[len(s.buf):cap(s.buf)])
	s.buf = s.buf[:len(s.buf)+n]
	if err != nil {
		s.src = nil
		if err != io.EOF {
			s.err = err
		}
	}
	return n > 0 || s.src != nil
}

// upTo is the place of delim after the next skip bytes, or -1.
func (s *scanner) upTo(delim string, skip int) int {
	for from := skip; ; {
		if len(s.buf)-s.pos >= from {
			if i := bytes.Index(s.buf[s.pos+from:], []byte(delim)); i >= 0 {
				return from + i
			}
			from = max(from, len(s.buf)-s.pos-len(delim)+1)
		}
		if len(s.buf)-s.pos > maxToken {
			s.breach("a tag or a text is too long")
			return -1
		}
		if !s.fill() {
			return -1
		}
	}
}

// take moves on by n bytes and returns them.
func (s *scanner) take(n int) []byte {
	piece := s.buf[s.pos : s.pos+n]
	s.pos += n
	return piece
}

// rest is the number of bytes at hand.
func (s *scanner) rest() int { return len(s.buf) - s.pos }

// begins reports whether the unread part begins with prefix.
func (s *scanner) begins(prefix string) bool {
	for s.rest() < len(prefix) {
		if !s.fill() {
			return false
		}
	}
	return bytes.HasPrefix(s.buf[s.pos:], []byte(prefix))
}

// next is the next token.
func (s *scanner) next() token {
	if s.again {
		s.again = false
		s.pop(s.depth - 1)
		return token{kind: closing}
	}
	for {
		for s.rest() == 0 {
			if !s.fill() {
				return s.finish()
			}
		}
		s.begun = s.pos
		if s.buf[s.pos] != '<' {
			return s.characters()
		}
		if t, ok := s.markup(); ok {
			return t
		}
	}
}

// finish ends the document; what is still open then is closed.
func (s *scanner) finish() token {
	s.begun = len(s.buf)
	if s.depth > 0 {
		s.breach("it ends before its last tag is closed")
	}
	return token{kind: ending}
}

// characters is the text up to the next tag.
func (s *scanner) characters() token {
	n := s.upTo("<", 0)
	if n < 0 {
		n = s.rest()
	}
	t := token{kind: chars, text: s.take(n)}
	if s.depth > 0 {
		s.checkText(t.text)
	}
	return t
}

func (s *scanner) checkText(piece []byte) {
	s.checkReferences(piece)
	if bytes.Contains(piece, []byte("]]>")) {
		s.breach("a text holds ]]>")
	}
}

// checkReferences allows the five names that every document knows, and
// numbers.
func (s *scanner) checkReferences(piece []byte) {
	for {
		i := bytes.IndexByte(piece, '&')
		if i < 0 {
			return
		}
		piece = piece[i+1:]
		if _, n := reference(piece); n == 0 {
			s.breachAt(cap(s.buf)-cap(piece)-1, "an & is not written as &amp;") // a piece is a part of buf
		}
	}
}

// reference reads what follows an "&"; n is its length, 0 when it is none.
func reference(piece []byte) (r rune, n int) {
	i := bytes.IndexByte(piece[:min(len(piece), 12)], ';')
	if i < 1 {
		return 0, 0
	}
	switch name := string(piece[:i]); {
	case name == "amp":
		r = '&'
	case name == "lt":
		r = '<'
	case name == "gt":
		r = '>'
	case name == "quot":
		r = '"'
	case name == "apos":
		r = '\''
	case name[0] == '#':
		r = numbered(name[1:])
	}
	if r == 0 {
		return 0, 0
	}
	return r, i + 1
}

// numbered is the character of a number, or 0.
func numbered(digits string) rune {
	base := 10
	if rest, hex := strings.CutPrefix(digits, "x"); hex {
		digits, base = rest, 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) || control(rune(n)) {
		return 0
	}
	return rune(n)
}

// expand is a text with its references replaced, at most limit bytes long.
func expand(piece []byte, limit int) string {
	var out strings.Builder
	for len(piece) > 0 && out.Len() < limit {
		i := bytes.IndexByte(piece, '&')
		if i < 0 {
			out.Write(piece)
			break
		}
		out.Write(piece[:i])
		piece = piece[i+1:]
		r, n := reference(piece)
		if n == 0 {
			r = '&'
		}
		out.WriteRune(r)
		piece = piece[n:]
	}
	return out.String()[:min(out.Len(), limit)]
}
