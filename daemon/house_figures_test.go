package daemon_test

import (
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/scanner"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The bounds on the whole house. They are ratchets: whoever gets below one
// lowers it.
const (
	maxCode     = 56600 // lines of Go that hold code, outside tests
	maxRoom     = 3550  // of these, in one package
	maxFiles    = 30    // of one package
	maxUpward   = 38    // references between its files that run upwards
	maxCommon   = 30    // lines of a function: 95 of 100 have no more
	maxChain    = 6     // packages that import each other, one below the other
	maxSentence = 25    // words in a sentence of a package comment
	maxColumn   = 120   // of a line of a package comment
)

// codeLines counts the lines of a room that hold code.
func codeLines(r room) (n int) {
	for _, name := range r.shipped() {
		text := []byte(r.texts[name])
		set := token.NewFileSet()
		file := set.AddFile(name, -1, len(text))
		var s scanner.Scanner
		s.Init(file, text, nil, 0)
		last := 0
		for pos, tok, word := s.Scan(); tok != token.EOF; pos, tok, word = s.Scan() {
			first := file.Line(pos)
			end := first
			if tok == token.STRING {
				end += strings.Count(word, "\n")
			}
			n += end - max(first-1, last)
			if end < last {
				n += last - end
			}
			last = max(last, end)
		}
	}
	return n
}

// functions are the lengths of a room's functions, in lines.
func functions(r room) (lengths []int) {
	for _, name := range r.shipped() {
		for _, d := range r.files[name].Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				lengths = append(lengths, r.set.Position(fn.End()).Line-r.set.Position(fn.Pos()).Line+1)
			}
		}
	}
	return lengths
}

// chain is the longest way from a room down its imports.
func chain(dir string, imports map[string][]string) []string {
	var longest []string
	for _, below := range imports[dir] {
		if way := chain(below, imports); len(way) > len(longest) {
			longest = way
		}
	}
	return append([]string{dir}, longest...)
}

// imports are what each room imports of the house, outside tests.
func imports(rooms []room) map[string][]string {
	all := map[string][]string{}
	for _, r := range rooms {
		for _, name := range r.shipped() {
			for _, spec := range r.files[name].Imports {
				path, _ := strconv.Unquote(spec.Path.Value) // it was parsed
				if ours, ok := strings.CutPrefix(path, module+"/"); ok && !slices.Contains(all[r.dir], ours) {
					all[r.dir] = append(all[r.dir], ours)
				}
			}
		}
	}
	return all
}

// upward counts the references between files of a room that run upwards, when
// the files are put in the best order that a greedy search finds, and all.
// What a name means is told by the name alone: one that two files declare
// counts for neither.
func upward(r room) (up, all int) {
	uses := references(r)
	left := r.shipped()
	place := map[string]int{}
	score := func(f string) (n int) { // how much more it uses than it is used
		for _, g := range left {
			n += uses[[2]string{f, g}] - uses[[2]string{g, f}]
		}
		return n
	}
	for len(left) > 0 {
		top := slices.MaxFunc(left, func(a, b string) int { return score(a) - score(b) })
		place[top] = len(place)
		left = slices.DeleteFunc(left, func(f string) bool { return f == top })
	}
	for pair := range uses {
		all++
		if place[pair[0]] > place[pair[1]] {
			up++
		}
	}
	return up, all
}

// references tells which file of a room uses what another one declares.
func references(r room) map[[2]string]int {
	home := map[string]string{}
	for _, name := range r.shipped() {
		for _, d := range r.files[name].Decls {
			for _, id := range declared(d) {
				if home[id] != "" {
					home[id] = "-"
					continue
				}
				home[id] = name
			}
		}
	}
	uses := map[[2]string]int{}
	for _, name := range r.shipped() {
		ast.Inspect(r.files[name], func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && home[id.Name] != "" && home[id.Name] != "-" && home[id.Name] != name {
				uses[[2]string{name, home[id.Name]}] = 1
			}
			return true
		})
	}
	return uses
}

// declared are the names that a declaration gives to the package.
func declared(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		names = append(names, d.Name.Name)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					names = append(names, id.Name)
				}
			}
		}
	}
	return names
}

// sentenceFaults: a stranger reads a package comment once.
func sentenceFaults(r room) (found []string) {
	for _, name := range r.shipped() {
		doc := r.files[name].Doc
		if doc == nil {
			continue
		}
		for line := range strings.Lines(doc.Text()) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > maxColumn {
				found = append(found, fmt.Sprintf("%s/%s: a line of the package comment has %d columns, at most %d", r.dir, name, n, maxColumn))
			}
		}
		for _, s := range sentences(new(comment.Parser).Parse(doc.Text()).Content) {
			if n := len(strings.Fields(s)); n > maxSentence {
				found = append(found, fmt.Sprintf("%s/%s: a sentence has %d words, at most %d: %s", r.dir, name, n, maxSentence, s))
			}
		}
	}
	return found
}

// sentences are those of paragraphs and lists; tables have none.
func sentences(blocks []comment.Block) (found []string) {
	end := regexp.MustCompile(`[.!?](\s|$)`)
	for _, b := range blocks {
		switch b := b.(type) {
		case *comment.Paragraph:
			text := string(new(comment.Printer).Text(&comment.Doc{Content: []comment.Block{b}}))
			found = append(found, end.Split(strings.Join(strings.Fields(text), " "), -1)...)
		case *comment.List:
			for _, item := range b.Items {
				found = append(found, sentences(item.Content)...)
			}
		}
	}
	return found
}

// TestFigures prints the figures of the house and holds their bounds.
func TestFigures(t *testing.T) {
	rooms, _ := house(t)
	t.Logf("%-26s %6s %6s %9s %7s", "package", "files", "code", "functions", "upward")
	total, lengths := 0, []int{}
	for _, r := range rooms {
		code, files, fns := codeLines(r), len(r.shipped()), functions(r)
		up, all := upward(r)
		total += code
		lengths = append(lengths, fns...)
		t.Logf("%-26s %6d %6d %9d %3d/%3d", r.dir, files, code, len(fns), up, all)
		if code > maxRoom || files > maxFiles || up > maxUpward {
			t.Errorf("%s has %d lines of code in %d files, at most %d in %d, %d references upwards", r.dir, code, files, maxRoom, maxFiles, maxUpward)
		}
	}
	slices.Sort(lengths)
	common := lengths[len(lengths)*95/100]
	way := chain("cmd/filmspool", imports(rooms))
	t.Logf("%d lines of code; functions: median %d, 95 of 100 have at most %d, longest %d", total, lengths[len(lengths)/2], common, lengths[len(lengths)-1])
	t.Logf("longest chain of imports, %d: %s", len(way), strings.Join(way, " > "))
	if total > maxCode || common > maxCommon || len(way) > maxChain {
		t.Errorf("at most %d lines of code, %d lines in 95 of 100 functions, %d in a chain", maxCode, maxCommon, maxChain)
	}
}

// TestSentenceRule shows that a package comment can be too long to read once.
func TestSentenceRule(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a long sentence", strings.Repeat("a ", 26) + ".", "26 words"},
		{"two sentences", strings.Repeat("a ", 25) + ". " + strings.Repeat("a ", 25), ""},
		{"a long line", strings.Repeat("wordwordwo ", 11) + ".", "122 columns"},
		{"a table", "Text.\n//\n//\t" + strings.Repeat("a ", 40) + "\n//", ""},
	} {
		r, err := makeRoom("daemon/guard", map[string]string{"a.go": "// " + c.text + "\npackage guard\n"})
		if err != nil {
			t.Fatal(err)
		}
		expect(t, c.name, sentenceFaults(r), c.want)
	}
}

// TestFiguresCount shows that the figures are counted as they say.
func TestFiguresCount(t *testing.T) {
	r, err := makeRoom("queue", map[string]string{
		"a.go":      "// Package queue a.\npackage queue\n\n// one\nfunc one() { two() } // two\n\nconst text = `a\nb\n\nc`\n",
		"b.go":      "package queue\n\nfunc two() {\n\tone()\n\tthree()\n}\n",
		"c.go":      "package queue\n\nfunc three() {}\n",
		"a_test.go": "package queue\n\nfunc four() { one() }\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := codeLines(r); n != 6+5+2 {
		t.Errorf("%d lines of code, want 13", n)
	}
	if up, all := upward(r); up != 1 || all != 3 {
		t.Errorf("%d of %d references run upwards, want 1 of 3", up, all)
	}
	below := map[string][]string{"a": {"b", "d"}, "b": {"c"}, "d": nil}
	if way := chain("a", below); strings.Join(way, " ") != "a b c" {
		t.Errorf("the longest chain is %q", way)
	}
}
