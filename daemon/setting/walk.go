package setting

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// BOM is what some editors put before a text.
const BOM = "\xef\xbb\xbf"

// expression is one header or one setting of a TOML text.
type expression struct {
	path       []string // all of its names; the last one of an array's table is as "libraries[0]"
	table      []string // the table that it stands in; a header's own is its path
	header     bool
	start, end int // of its text, without the spaces and the comment behind it
	value      int // where a setting's value begins
}

// walk finds the expressions of a text, in its order. It ends where the text is
// no TOML.
func walk(text []byte) (all []expression) {
	skip := len(text) - len(bytes.TrimPrefix(text, []byte(BOM)))
	var p unstable.Parser
	p.Reset(text[skip:])
	var table []string
	counts := map[string]int{}
	for p.NextExpression() {
		e := p.Expression()
		var path []string
		first, last := 0, 0
		for keys := e.Key(); keys.Next(); {
			key := keys.Node()
			path = append(path, string(key.Data))
			last = skip + int(key.Raw.Offset+key.Raw.Length)
			if len(path) == 1 {
				first = skip + int(key.Raw.Offset)
			}
		}
		x := expression{header: e.Kind != unstable.KeyValue}
		if x.header {
			x.start = bytes.LastIndexByte(text[:first], '\n') + 1
			x.start += bytes.IndexByte(text[x.start:], '[')
			x.end = last + bytes.IndexByte(text[last:], ']') + 1
			if e.Kind == unstable.ArrayTable {
				x.end++
				name := strings.Join(path, "\x00")
				path[len(path)-1] += fmt.Sprintf("[%d]", counts[name])
				counts[name]++
			}
			table, x.table, x.path = path, path, path
		} else {
			x.start, x.end = first, skip+int(e.Raw.Offset+e.Raw.Length)
			x.value = last + bytes.IndexByte(text[last:], '=') + 1
			x.value += len(text[x.value:]) - len(bytes.TrimLeft(text[x.value:], " \t"))
			x.table, x.path = table, slices.Concat(table, path)
		}
		all = append(all, x)
	}
	return all
}

// Lines are the lines of a TOML text where headers and settings stand, from 1:
// "kodi.libraries[0].userdata" → 7. Of two with one name the first counts.
func Lines(text []byte) map[string]int {
	lines := map[string]int{}
	for _, x := range walk(text) {
		if name := strings.Join(x.path, "."); lines[name] == 0 {
			lines[name] = 1 + bytes.Count(text[:x.start], []byte("\n"))
		}
	}
	return lines
}
