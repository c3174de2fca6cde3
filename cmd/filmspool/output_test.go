package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/resolve"
)

// hostile is all that a terminal would obey, or that would fool its reader.
const hostile = "A\x1b[2J\x1b]0;x\x07\x08\x7f\u009b31m\u202egnp\u2066\u200bB\u2028\u2029\r\nforged row\tC\x9b\xff"

// obeyed reports whether a terminal obeys or hides a character, other than tabs
// and the line break that ends each line.
func obeyed(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsGraphic(r) }

// What a stranger wrote comes out of the real commands harmlessly.
func TestCommandsPrintHarmlessly(t *testing.T) {
	state := t.TempDir()
	makeQueue(t, state)
	run := func(args ...string) string {
		t.Helper()
		var out bytes.Buffer
		p := &program{stdin: strings.NewReader(""), stdout: terminal.To(&out), stderr: terminal.To(&out), getenv: func(string) string { return "" }}
		p.run(t.Context(), append([]string{"--state-dir", state}, args...))
		if strings.ContainsFunc(out.String(), obeyed) || !utf8.ValidString(out.String()) {
			t.Errorf("%q printed %q", args, out.String())
		}
		return out.String()
	}
	name := strings.ToValidUTF8(hostile, "?")
	run("add", "603", "--list", name)
	table := run("diary")
	if lines := strings.Count(table, "\n"); lines != 3 || !strings.Contains(table, "forged row") {
		t.Errorf("a table of two entries has %d lines:\n%s", lines, table)
	}
	for _, args := range [][]string{
		{"diary", "--json"},
		{"show", "1"},
		{"show", "1", "--json"},
		{"export"},
		{"show", name},
		{name},
		{"add", name},
		{"config", "check", "--config", name},
		{"import", "kodi", "--since", name},
	} {
		if out := run(args...); !strings.Contains(out, `\u202e`) {
			t.Errorf("%q does not show the name: %q", args, out)
		}
	}
}

// Only package terminal prints: another way would show what strangers wrote as
// it is.
func TestAllOutputGoesThroughThePrinter(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range ways(file) {
			if name != "main.go" || found != "os.Stdout" && found != "os.Stderr" {
				t.Errorf("%s prints with %s; use p.stdout or p.stderr", name, found)
			}
		}
	}
}

// ways are the expressions by which a file could print.
func ways(file *ast.File) (found []string) {
	forbidden := []string{
		"os.Stdout", "os.Stderr", "fmt.Print", "fmt.Printf", "fmt.Println", "fmt.Fprint", "fmt.Fprintf", "fmt.Fprintln",
		"io.WriteString", "tabwriter.NewWriter", "json.NewEncoder",
	}
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok {
			if call := x.Name + "." + s.Sel.Name; slices.Contains(forbidden, call) {
				found = append(found, call)
			}
		}
		if slices.Contains([]string{"OutOrStdout", "OutOrStderr", "ErrOrStderr", "PrintErr", "PrintErrln", "PrintErrf"}, s.Sel.Name) {
			found = append(found, s.Sel.Name)
		}
		return true
	})
	return found
}

// TestOfManyThatFollowAFewAreListed, and the rest is counted.
func TestOfManyThatFollowAFewAreListed(t *testing.T) {
	var out bytes.Buffer
	f := &program{stdout: terminal.To(&out)}
	var done control.Fixed
	done.Also, done.AlsoChanged = make([]resolve.Followed, 100), 1200
	f.sayFollowing(done)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if last := lines[len(lines)-1]; len(lines) != 12 || !strings.Contains(last, "1,190 more") {
		t.Errorf("%d lines:\n%s", len(lines), out.String())
	}
}
