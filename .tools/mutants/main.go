// Command mutants changes a package in small ways, one at a time, and runs its tests
// on each: a change that no test notices is a survivor.
//
//	mutants [-every n] [-run pattern] [-file name] [-timeout duration] PACKAGE
//
// Tests that do not end in time count as having noticed: on a busy machine the
// timeout must be generous. Files must not be edited while it runs.
//
// Changes that cannot be noticed are listed in equivalent.txt beside this file,
// each with the reason; whoever adds a line there has looked.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// mutant is one change of one file.
type mutant struct {
	file     string // from the root of the clone
	line     int
	from, to int // bytes of the file that are replaced
	text     string
	what     string
	source   string // the line as it stands
}

func (m mutant) String() string {
	return fmt.Sprintf("%s:%d: %s   // %s", m.file, m.line, m.what, m.source)
}

// key names a change without its line's number, which moves.
func (m mutant) key() string { return m.file + " | " + m.source + " | " + m.what }

func main() {
	every := flag.Int("every", 1, "try one of so many mutants, evenly spread")
	pattern := flag.String("run", "", "the tests to run; all when empty")
	only := flag.String("file", "", "the file to change; all when empty")
	limit := flag.Duration("timeout", 5*time.Minute, "for the tests of one mutant")
	flag.Parse()
	if flag.NArg() != 1 || *every < 1 {
		log.Fatal("usage: mutants [-every n] [-run pattern] [-file name] [-timeout duration] PACKAGE")
	}
	folder := filepath.Clean(flag.Arg(0))
	t := trial{[]string{"-count=1", "-failfast", "-vet=off", "-ldflags=-s -w", "-timeout=" + limit.String(), "-run=" + *pattern, "./" + folder}, *limit}
	if err := t.run(folder, *only, *every); err != nil {
		log.Fatal("error: ", err)
	}
}

// trial is how mutants are tried: what the go command is told, and for how long.
type trial struct {
	args  []string
	limit time.Duration
}

const noticed, survived, unbuilt = "noticed", "SURVIVED", "does not build"

// run tries the mutants of a folder and prints what came of them.
func (t trial) run(folder, only string, every int) error {
	all, err := mutantsOf(folder, only)
	equivalent, fault := equivalents(filepath.Join(".tools", "mutants", "equivalent.txt"))
	if err = errors.Join(err, fault); err != nil {
		return err
	}
	found := len(all)
	all = slices.DeleteFunc(all, func(m mutant) bool { return equivalent[m.key()] })
	same := found - len(all)
	if end, out := t.try(nil); end != survived {
		return fmt.Errorf("the tests fail without any change:\n%s", out)
	}
	defer os.RemoveAll(filepath.Join(folder, "testdata", "rapid")) // notes of failures that are ours
	var mu sync.Mutex
	var group sync.WaitGroup
	ends, slots := map[string]int{}, make(chan struct{}, runtime.NumCPU())
	for i, m := range all {
		if i%every != 0 {
			continue
		}
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			end, _ := t.try(&m)
			mu.Lock()
			defer mu.Unlock()
			if ends[end]++; end == survived {
				fmt.Println(end, m)
			}
		})
	}
	group.Wait()
	tried := ends[noticed] + ends[survived]
	fmt.Printf("%s: %d of %d noticed (%d %%); %d more do not build; %d listed as equivalent; %d in all, one of %d tried\n",
		folder, ends[noticed], tried, 100*ends[noticed]/max(1, tried), ends[unbuilt], same, found, every)
	return nil
}

// try runs the tests with a mutant in place; nil is the code as it is.
func (t trial) try(m *mutant) (end, out string) {
	args := append([]string{"test"}, t.args...)
	if m != nil {
		overlay, remove, err := m.overlay()
		if err != nil {
			return unbuilt, err.Error()
		}
		defer remove()
		args = append([]string{"test", "-overlay=" + overlay}, t.args...)
	}
	ctx, cancel := context.WithTimeout(context.Background(), t.limit+5*time.Minute) // it builds, too
	defer cancel()
	said, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	switch {
	case err == nil:
		return survived, ""
	case bytes.Contains(said, []byte("[build failed]")) || bytes.Contains(said, []byte("[setup failed]")):
		return unbuilt, string(said)
	default:
		return noticed, string(said)
	}
}

// overlay writes the changed file where the go command takes it from.
func (m mutant) overlay() (path string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return "", nil, err
	}
	source, err := os.ReadFile(m.file)
	changed := slices.Concat(source[:m.from], []byte(m.text), source[m.to:])
	file, _ := filepath.Abs(m.file)
	list, _ := json.Marshal(map[string]map[string]string{"Replace": {file: filepath.Join(dir, "mutant.go")}})
	path = filepath.Join(dir, "overlay.json")
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, "mutant.go"), changed, 0o600), os.WriteFile(path, list, 0o600))
	return path, func() { os.RemoveAll(dir) }, err
}

// equivalents reads the list: file | line | change | reason.
func equivalents(path string) (map[string]bool, error) {
	text, err := os.ReadFile(path)
	all := map[string]bool{}
	for n, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cut := strings.LastIndex(line, " | ")
		if cut < 0 || strings.Count(line, " | ") < 3 {
			return nil, fmt.Errorf("%s:%d: must be file | line | change | reason", path, n+1)
		}
		all[line[:cut]] = true
	}
	return all, err
}

// mutantsOf finds the mutants of a folder's files, without those of tests.
func mutantsOf(folder, only string) (all []mutant, err error) {
	p, err := build.ImportDir(folder, 0)
	if err != nil {
		return nil, err
	}
	for _, name := range p.GoFiles {
		if only != "" && name != only {
			continue
		}
		s := &scan{path: filepath.Join(folder, name), files: token.NewFileSet()}
		if s.source, err = os.ReadFile(s.path); err != nil {
			return nil, err
		}
		tree, err := parser.ParseFile(s.files, s.path, s.source, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		ast.Inspect(tree, s.visit)
		all = append(all, s.found...)
	}
	return all, nil
}

// scan collects the mutants of one file.
type scan struct {
	path   string
	source []byte
	files  *token.FileSet
	found  []mutant
}

func (s *scan) offset(p token.Pos) int { return s.files.Position(p).Offset }

func (s *scan) text(n ast.Node) string { return string(s.source[s.offset(n.Pos()):s.offset(n.End())]) }

// change notes that the bytes from one place to another become text.
func (s *scan) change(from, to token.Pos, text, what string) {
	line := s.files.Position(from).Line
	source := strings.TrimSpace(strings.Split(string(s.source), "\n")[line-1])
	s.found = append(s.found, mutant{
		file: filepath.ToSlash(s.path), line: line, from: s.offset(from), to: s.offset(to), text: text, what: what, source: source,
	})
}

func (s *scan) negate(cond ast.Expr) {
	if cond != nil {
		s.change(cond.Pos(), cond.End(), "!("+s.text(cond)+")", "condition negated: "+short(s.text(cond)))
	}
}

// others are the operators that stand in for one another.
func others() map[token.Token]string {
	return map[token.Token]string{
		token.LAND: "||", token.LOR: "&&", token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">",
		token.ADD: "-", token.SUB: "+", token.MUL: "/", token.QUO: "*", token.EQL: "!=", token.NEQ: "==",
	}
}

func (s *scan) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.IfStmt:
		s.negate(n.Cond)
	case *ast.SwitchStmt:
		for _, c := range n.Body.List {
			if of := c.(*ast.CaseClause).List; n.Tag == nil && len(of) == 1 {
				s.negate(of[0])
			}
		}
	case *ast.BinaryExpr:
		if other, ok := others()[n.Op]; ok {
			s.change(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), other, fmt.Sprintf("%s becomes %s", n.Op, other))
		}
	case *ast.BasicLit:
		if value, err := strconv.ParseInt(n.Value, 0, 64); n.Kind == token.INT && err == nil {
			s.change(n.Pos(), n.End(), strconv.FormatInt(value+1, 10), fmt.Sprintf("%d becomes %d", value, value+1))
		}
	case *ast.BlockStmt:
		s.removals(n.List)
	case *ast.CaseClause:
		s.removals(n.Body)
	case *ast.FuncDecl:
		s.returns(n)
	}
	return true
}

// removals takes each statement away that the code may build without.
func (s *scan) removals(list []ast.Stmt) {
	for _, n := range list {
		switch n := n.(type) {
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.SendStmt, *ast.DeferStmt, *ast.AssignStmt:
			if a, ok := n.(*ast.AssignStmt); !ok || a.Tok != token.DEFINE {
				s.change(n.Pos(), n.End(), "", "removed: "+short(s.text(n)))
			}
		}
	}
}

// returns has a function return early, or return another truth or no error.
func (s *scan) returns(f *ast.FuncDecl) {
	if f.Body == nil || len(f.Body.List) == 0 {
		return
	}
	if f.Type.Results == nil {
		s.change(f.Body.Lbrace+1, f.Body.Lbrace+1, "if true { return };", f.Name.Name+" does nothing")
		return
	}
	last := f.Type.Results.List[len(f.Type.Results.List)-1].Type
	ast.Inspect(f.Body, func(n ast.Node) bool {
		r, ok := n.(*ast.ReturnStmt)
		if _, closure := n.(*ast.FuncLit); closure || !ok || len(r.Results) == 0 {
			return !closure
		}
		e := r.Results[len(r.Results)-1]
		switch kind, value := s.text(last), s.text(e); {
		case len(r.Results) < f.Type.Results.NumFields():
		case kind == "error" && value != "nil":
			s.change(e.Pos(), e.End(), "nil", "no error: "+short(value))
		case kind == "bool":
			s.negate(e)
		}
		return true
	})
}

func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return text[:min(len(text), 60)]
}
