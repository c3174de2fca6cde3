package daemon_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The tests in the files house*_test.go hold the rules of the house for every
// package at once. Each rule is a function from a room to its faults, so that
// the rules themselves are tested, on rooms made up for it.

const module = "github.com/filmspool/filmspool"

// The bounds on length, in lines. Test files are free of them.
const (
	maxFile     = 400
	maxFunction = 50
)

// room is one package: its folder below the repository's top, and its files
// by name.
type room struct {
	dir   string
	set   *token.FileSet
	files map[string]*ast.File
	texts map[string]string
}

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

// shipped are the names of the files that are no tests, sorted.
func (r room) shipped() []string {
	var names []string
	for name := range r.files {
		if !isTest(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// makeRoom parses a room from text.
func makeRoom(dir string, files map[string]string) (room, error) {
	r := room{dir: dir, set: token.NewFileSet(), files: map[string]*ast.File{}, texts: files}
	for name, text := range files {
		f, err := parser.ParseFile(r.set, filepath.Join(dir, name), text, parser.ParseComments)
		if err != nil {
			return r, err
		}
		r.files[name] = f
	}
	return r, nil
}

// house is the whole repository.
func house(t *testing.T) (rooms []room, scripts map[string]string) {
	t.Helper()
	texts, scripts := map[string]map[string]string{}, map[string]string{}
	err := fs.WalkDir(os.DirFS(".."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			hidden := path != "." && strings.HasPrefix(d.Name(), ".")
			if hidden || d.Name() == "testdata" || d.Name() == "node_modules" {
				return fs.SkipDir
			}
			return nil
		}
		ext := filepath.Ext(path)
		if ext != ".go" && ext != ".js" {
			return nil
		}
		text, err := os.ReadFile(filepath.Join("..", path))
		if err != nil {
			return err
		}
		if ext == ".js" {
			scripts[path] = string(text)
			return nil
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		if texts[dir] == nil {
			texts[dir] = map[string]string{}
		}
		texts[dir][d.Name()] = string(text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, files := range texts {
		r, err := makeRoom(dir, files)
		if err != nil {
			t.Fatal(err)
		}
		rooms = append(rooms, r)
	}
	slices.SortFunc(rooms, func(a, b room) int { return strings.Compare(a.dir, b.dir) })
	return rooms, scripts
}

// TestHouse is every rule over every room.
func TestHouse(t *testing.T) {
	rooms, scripts := house(t)
	if len(rooms) < 10 {
		t.Fatalf("only %d packages found; is this the repository?", len(rooms))
	}
	var found []string
	for _, r := range rooms {
		found = append(found, faults(r)...)
	}
	for path, text := range scripts {
		found = append(found, scriptFaults(path, text)...)
	}
	for _, fault := range append(found, tableFaults(rooms, table())...) {
		t.Error(fault)
	}
}

// faults are the faults of one room by all rules.
func faults(r room) []string {
	return slices.Concat(docFaults(r), importFaults(r), lengthFaults(r), variableFaults(r, variables()), nameFaults(r), sentenceFaults(r))
}

// docFaults: a package has one doc comment, and it opens with the package's
// name.
func docFaults(r room) []string {
	names := r.shipped()
	if len(names) == 0 {
		return nil
	}
	var docs []string
	opening := ""
	for _, name := range names {
		f := r.files[name]
		opening = "Package " + f.Name.Name + " "
		if f.Name.Name == "main" {
			opening = "Command " + filepath.Base(r.dir) + " "
		}
		if f.Doc != nil {
			docs = append(docs, f.Doc.Text())
		}
	}
	switch {
	case len(docs) == 0:
		return []string{r.dir + ": no package comment"}
	case len(docs) > 1:
		return []string{fmt.Sprintf("%s: %d package comments, want one", r.dir, len(docs))}
	case !strings.HasPrefix(strings.ReplaceAll(docs[0], "\n", " "), opening):
		return []string{fmt.Sprintf("%s: the package comment does not open with %q", r.dir, strings.TrimSpace(opening))}
	}
	return nil
}

// lengthFaults: what is too long to be read in one go.
func lengthFaults(r room) (found []string) {
	for _, name := range r.shipped() {
		f := r.files[name]
		if n := r.set.File(f.FileStart).LineCount(); n > maxFile {
			found = append(found, fmt.Sprintf("%s/%s: %d lines, at most %d", r.dir, name, n, maxFile))
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := r.set.Position(fn.End()).Line - r.set.Position(fn.Pos()).Line + 1; n > maxFunction {
				found = append(found, fmt.Sprintf("%s/%s: %s has %d lines, at most %d", r.dir, name, fn.Name.Name, n, maxFunction))
			}
		}
	}
	return found
}

// scriptFaults is lengthFaults for a JavaScript file.
func scriptFaults(path, text string) []string {
	test := strings.Contains(path, ".test.") || strings.Contains(path, "/test/")
	if n := strings.Count(text, "\n"); n > maxFile && !test {
		return []string{fmt.Sprintf("%s: %d lines, at most %d", path, n, maxFile)}
	}
	return nil
}

// variables are the package-level variables that are neither sentinel errors
// nor embedded files, each with its reason.
func variables() map[string]string {
	return map[string]string{
		"cmd/filmspool.version": "a release gives it another one when it is linked, and the linker knows only variables",
	}
}

// variableFaults: state belongs to values that somebody made, not to packages.
func variableFaults(r room, allowed map[string]string) (found []string) {
	for _, name := range r.shipped() {
		for _, d := range r.files[name].Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.VAR {
				continue
			}
			for _, spec := range decl.Specs {
				v := spec.(*ast.ValueSpec)
				if embedded(decl.Doc) || embedded(v.Doc) || sentinel(v) {
					continue
				}
				for _, id := range v.Names {
					if id.Name != "_" && allowed[r.dir+"."+id.Name] == "" {
						found = append(found, fmt.Sprintf("%s/%s: package-level variable %s", r.dir, name, id.Name))
					}
				}
			}
		}
	}
	return found
}

func embedded(doc *ast.CommentGroup) bool {
	return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//go:embed ")
	})
}

// sentinel reports whether every value is made by errors.New or fmt.Errorf.
func sentinel(v *ast.ValueSpec) bool {
	made := func(e ast.Expr) bool {
		call, ok := e.(*ast.CallExpr)
		if !ok {
			return false
		}
		fn, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		pkg, ok := fn.X.(*ast.Ident)
		return ok && (pkg.Name == "errors" && fn.Sel.Name == "New" || pkg.Name == "fmt" && fn.Sel.Name == "Errorf")
	}
	return len(v.Values) > 0 && !slices.ContainsFunc(v.Values, func(e ast.Expr) bool { return !made(e) })
}

// nameFaults: a name that says nothing gathers everything.
func nameFaults(r room) (found []string) {
	empty := []string{"util", "utils", "common", "helper", "helpers", "misc", "shared", "base"}
	for part := range strings.SplitSeq(r.dir, "/") {
		if slices.Contains(empty, part) {
			found = append(found, r.dir+": a folder's name says what it holds")
		}
	}
	for name := range r.files {
		stem, _, _ := strings.Cut(strings.TrimSuffix(name, ".go"), "_")
		if slices.Contains(empty, stem) {
			found = append(found, fmt.Sprintf("%s/%s: a file's name says what it holds", r.dir, name))
		}
	}
	return found
}

// TestTop holds the top folder, whose names are settled.
func TestTop(t *testing.T) {
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !topName(e.Name()) {
			t.Errorf("%s has no place at the top", e.Name())
		}
	}
}

func topName(name string) bool {
	names := []string{
		"cmd", "connector", "daemon", "kodi", "packaging", "queue", "README.md", "LICENSE", "go.mod", "go.sum",
		"filmspool", "filmspool.exe", // where "go build ./cmd/filmspool" puts it; not in git
	}
	return strings.HasPrefix(name, ".") || slices.Contains(names, name)
}

// TestHouseRules shows that each rule can be broken.
func TestHouseRules(t *testing.T) {
	long := "package guard\nfunc f() {\n" + strings.Repeat("\tg()\n", maxFunction) + "}\n"
	for _, c := range []struct {
		name, dir string
		files     map[string]string
		rule      func(room) []string
		want      string // part of the only fault; empty for none
	}{
		{"no comment", "daemon/guard", map[string]string{"a.go": "package guard\n"}, docFaults, "no package comment"},
		{"two comments", "daemon/guard", map[string]string{"a.go": "// Package guard a.\npackage guard\n", "b.go": "// Package guard b.\npackage guard\n"}, docFaults, "2 package comments"},
		{"a licence taken for a comment", "daemon/guard", map[string]string{"a.go": "// Copyright\npackage guard\n"}, docFaults, "does not open with"},
		{"another's name", "daemon/guard", map[string]string{"a.go": "// Package guards is\npackage guard\n"}, docFaults, "does not open with"},
		{"a command's comment", "cmd/filmspool", map[string]string{"a.go": "// Command filmspool is\npackage main\n"}, docFaults, ""},
		{"a command called a package", "cmd/filmspool", map[string]string{"a.go": "// Package main is\npackage main\n"}, docFaults, "does not open with"},
		{"a test's comment does not count", "daemon/guard", map[string]string{"a.go": "package guard\n", "a_test.go": "// Package guard is\npackage guard\n"}, docFaults, "no package comment"},
		{"a name broken over lines", "daemon/guard", map[string]string{"a.go": "// Package guard\n// is\npackage guard\n"}, docFaults, ""},

		{"a long file", "daemon/guard", map[string]string{"a.go": "package guard\n" + strings.Repeat("\n", maxFile)}, lengthFaults, "401 lines"},
		{"a long function", "daemon/guard", map[string]string{"a.go": long}, lengthFaults, "f has 52 lines"},
		{"a long test", "daemon/guard", map[string]string{"a_test.go": long}, lengthFaults, ""},

		{"a variable", "daemon/guard", map[string]string{"a.go": "package guard\nvar n int\n"}, noVariables, "variable n"},
		{"a variable in a group", "daemon/guard", map[string]string{"a.go": "package guard\nvar (\n\tErrA = errors.New(\"a\")\n\tm = map[int]int{}\n)\n"}, noVariables, "variable m"},
		{"a compiled pattern", "daemon/guard", map[string]string{"a.go": "package guard\nvar p = regexp.MustCompile(`a`)\n"}, noVariables, "variable p"},
		{"sentinel errors", "daemon/guard", map[string]string{"a.go": "package guard\nvar ErrA, ErrB = errors.New(\"a\"), fmt.Errorf(\"b\")\n"}, noVariables, ""},
		{"an embedded file", "daemon/guard", map[string]string{"a.go": "package guard\n//go:embed a.txt\nvar a string\n"}, noVariables, ""},
		{"an assertion", "daemon/guard", map[string]string{"a.go": "package guard\nvar _ error = (*E)(nil)\n"}, noVariables, ""},
		{"an exception", "daemon/guard", map[string]string{"a.go": "package guard\nvar known int\n"}, noVariables, ""},

		{"a folder for anything", "queue/util", map[string]string{"a.go": "package util\n"}, nameFaults, "folder's name"},
		{"a file for anything", "queue", map[string]string{"helpers.go": "package queue\n"}, nameFaults, "file's name"},
		{"a test file for anything", "queue", map[string]string{"common_test.go": "package queue\n"}, nameFaults, "file's name"},
		{"a telling name", "queue", map[string]string{"lease.go": "package queue\n"}, nameFaults, ""},
	} {
		r, err := makeRoom(c.dir, c.files)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		expect(t, c.name, c.rule(r), c.want)
	}
	expect(t, "a long script", scriptFaults("connector/extension/a.js", strings.Repeat("\n", maxFile+1)), "401 lines")
	expect(t, "a long test script", scriptFaults("connector/extension/a.test.js", strings.Repeat("\n", maxFile+1)), "")
	if topName("internal") || topName("docs") || !topName(".ci") || !topName("kodi") {
		t.Error("the top's names are not held")
	}
}

func noVariables(r room) []string {
	return variableFaults(r, map[string]string{"daemon/guard.known": "a reason"})
}

// expect wants one fault that holds the text want, or none if that is empty.
func expect(t *testing.T, name string, got []string, want string) {
	t.Helper()
	switch {
	case want == "" && len(got) > 0:
		t.Errorf("%s: %q", name, got)
	case want != "" && (len(got) != 1 || !strings.Contains(got[0], want)):
		t.Errorf("%s: got %q, want one fault with %q", name, got, want)
	}
}

// The pins that go.mod must keep: a newer libc breaks the SQLite that is
// translated against it.
func TestPins(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, pin := range []string{"modernc.org/sqlite v1.60.1", "modernc.org/libc v1.77.1"} {
		if !bytes.Contains(mod, []byte(pin+"\n")) && !bytes.Contains(mod, []byte(pin+" ")) {
			t.Errorf("go.mod does not require %s", pin)
		}
	}
}
