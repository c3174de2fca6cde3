package setting

import (
	"bytes"
	"slices"
	"strings"
)

// splice puts other text into the place of one part.
func splice(text []byte, start, end int, other string) []byte {
	return slices.Concat(text[:start], []byte(other), text[end:])
}

// add adds a setting that is not there.
func add(text []byte, all []expression, names []string, value string) []byte {
	table, name := names[:len(names)-1], names[len(names)-1]
	var last *expression // of its table, else the header
	for i, x := range all {
		sibling := !x.header && slices.Equal(x.path[:len(x.path)-1], table)
		if sibling || x.header && slices.Equal(x.path, table) && last == nil {
			last = &all[i]
		}
	}
	switch {
	case last != nil && last.header:
		return behind(text, last.end, name+" = "+value)
	case last != nil: // it may stand in a table above, as in classes.live = "send"
		own := slices.Concat(table[len(last.table):], []string{name})
		return behind(text, last.end, indent(text, last.start)+strings.Join(own, ".")+" = "+value)
	case len(table) == 0:
		return first(text, name+" = "+value)
	default:
		return atEnd(text, "["+strings.Join(table, ".")+"]", name+" = "+value)
	}
}

// indent is the white space before what stands first in its line.
func indent(text []byte, start int) string {
	line := text[bytes.LastIndexByte(text[:start], '\n')+1 : start]
	return string(bytes.TrimPrefix(line, []byte(BOM)))
}

// newline is how the text ends its lines.
func newline(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// behind puts a line behind the one that a place is in.
func behind(text []byte, place int, line string) []byte {
	end := bytes.IndexByte(text[place:], '\n')
	if end < 0 {
		return slices.Concat(text, []byte(newline(text)+line+newline(text)))
	}
	return splice(text, place+end+1, place+end+1, line+newline(text))
}

// first puts a line before all tables, be they comments: behind the paragraph
// that comes before the first one.
func first(text []byte, line string) []byte {
	place, blank := len(BOM), 0
	if !bytes.HasPrefix(text, []byte(BOM)) {
		place = 0
	}
	for l := range bytes.Lines(text[place:]) {
		words := bytes.TrimSpace(l)
		if bytes.HasPrefix(bytes.TrimLeft(words, "# \t"), []byte("[")) {
			break
		}
		blank++
		if len(words) > 0 {
			blank = 0
		}
		place += len(l)
	}
	for ; blank > 0; blank-- {
		place = bytes.LastIndexByte(bytes.TrimSuffix(text[:place], []byte("\n")), '\n') + 1
	}
	if place > 0 && text[place-1] != '\n' && !bytes.Equal(text[:place], []byte(BOM)) {
		line = newline(text) + line
	}
	return splice(text, place, place, line+newline(text))
}

// atEnd puts lines behind all others, with a blank one before them.
func atEnd(text []byte, lines ...string) []byte {
	nl := newline(text)
	block := strings.Join(lines, nl) + nl
	switch {
	case len(bytes.TrimPrefix(text, []byte(BOM))) == 0, bytes.HasSuffix(text, []byte("\n"+nl)):
	case bytes.HasSuffix(text, []byte("\n")):
		block = nl + block
	default:
		block = nl + nl + block
	}
	return slices.Concat(text, []byte(block))
}

// cut takes an expression out, and its line where that holds nothing else.
func cut(text []byte, x expression) []byte {
	start, end := x.start-len(indent(text, x.start)), x.end
	rest := text[end:]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i+1]
	}
	if comment := bytes.IndexByte(rest, '#'); comment >= 0 {
		return splice(text, start, end+comment, "")
	}
	return splice(text, start, end+len(rest), "")
}
