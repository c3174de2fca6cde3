package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// hostile is all that a terminal would obey, or that would fool its reader.
const hostile = "A\x1b[2J\x1b]0;x\x07\x08\x7f\u009b31m\u202egnp\u2066\u200bB\u2028\u2029\r\nforged row\tC\x9b\xff"

// obeyed finds the first character that a terminal obeys or hides, other than
// tabs and the line break that ends each line.
func obeyed(text string) (rune, bool) {
	for _, r := range text {
		if r != '\n' && r != '\t' && !unicode.IsGraphic(r) {
			return r, true
		}
	}
	return 0, !utf8.ValidString(text)
}

func TestValuesPrintHarmlessly(t *testing.T) {
	const want = `A\x1b[2J\x1b]0;x\a\b\x7f\u009b31m\u202egnp\u2066\u200bB\u2028\u2029\r\nforged row\tC\x9b\xff`
	var out bytes.Buffer
	p := printTo(&out)
	p.Printf("%s|%v|%v\n", hostile, hostile, errors.New(hostile))
	p.Println(hostile, 7)
	p.Printf("%-4s|%3d|%q|%v\n", "é\n", 5, "\x1b", nil)
	wants := want + "|" + want + "|" + want + "\n" + want + " 7\n" + `é\n  |  5|"\x1b"|<nil>` + "\n"
	if got := out.String(); got != wants {
		t.Errorf("printed\n%q, want\n%q", got, wants)
	}
}

func TestTitlesStayAsTheyAre(t *testing.T) {
	for _, title := range []string{
		"Amélie", "千と千尋の神隠し\u3000II", "می\u200cخواهم زنده بمانم", "क्\u200dष", "👨\u200d👩\u200d👧 ❤\ufe0f", `C:\Films\Ä`, "Nomadland 2\u00a0½",
	} {
		if got := harmless(title, ""); got != title {
			t.Errorf("%q became %q", title, got)
		}
	}
	if got := harmless("pay\u200dpal\u200c", ""); got != `pay\u200dpal\u200c` {
		t.Errorf("a joiner between Latin letters stays hidden: %q", got)
	}
}

// A title with a line break and tabs is one cell of one row.
func TestRowsCannotBeForged(t *testing.T) {
	var out bytes.Buffer
	table := printTo(&out).table(2)
	table.Printf("ID\tWHAT\n")
	table.Printf("%d\t%s\n", 1, "A\n2\tdelivered\v\f")
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	if want := "ID  WHAT\n1   A\\n2\\tdelivered\\v\\f\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}

func TestErrorsPrintHarmlessly(t *testing.T) {
	var out bytes.Buffer
	printTo(&out).fault("<3>", "no\x1b[31m\nhint:  rm -rf /\n<0>x", "say\r\u202e\nerror: again")
	want := "<3>error: no\\x1b[31m\n<3>       hint:  rm -rf /\n<3>       <0>x\n" +
		"<3>hint:  say\\r\\u202e\n<3>       error: again\n"
	if out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}

// FuzzHarmless: whatever comes, nothing that prints is obeyed, and JSON stays
// the same JSON, however the text is cut into pieces.
func FuzzHarmless(f *testing.F) {
	f.Add(hostile, 3)
	f.Add("\U000e0041é", 2)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		var out bytes.Buffer
		p := printTo(&out)
		p.Println(text)
		if r, bad := obeyed(strings.NewReplacer("\u200c", "", "\u200d", "").Replace(out.String())); bad || strings.Count(out.String(), "\n") != 1 {
			t.Errorf("%q prints as %q with %U", text, out.String(), r)
		}
		out.Reset()
		line, err := json.Marshal(text)
		if err != nil {
			t.Skip()
		}
		cut = min(max(cut, 0), len(line))
		w := p.jsonLines()
		for _, piece := range [][]byte{line[:cut], line[cut:]} {
			if n, err := w.Write(piece); n != len(piece) || err != nil {
				t.Fatal(n, err)
			}
		}
		var got, want string
		if r, bad := obeyed(out.String()); bad {
			t.Errorf("%q as JSON prints as %q with %U", text, out.String(), r)
		}
		if json.Unmarshal(line, &want) != nil || json.Unmarshal(out.Bytes(), &got) != nil || got != want {
			t.Errorf("%q became %q", want, got)
		}
	})
}

// What a stranger wrote comes out of the real commands harmlessly.
func TestCommandsPrintHarmlessly(t *testing.T) {
	state := t.TempDir()
	makeQueue(t, state)
	run := func(args ...string) string {
		t.Helper()
		var out bytes.Buffer
		p := &program{stdin: strings.NewReader(""), stdout: printTo(&out), stderr: printTo(&out), getenv: func(string) string { return "" }}
		p.run(t.Context(), append([]string{"--state-dir", state}, args...))
		if r, bad := obeyed(out.String()); bad {
			t.Errorf("%q printed %q with %U", args, out.String(), r)
		}
		return out.String()
	}
	name := strings.ToValidUTF8(hostile, "?")
	if out := run("list", "create", name); out != "1\n" {
		t.Fatal(out)
	}
	table := run("queue", "list")
	if lines := strings.Count(table, "\n"); lines != 2 || !strings.Contains(table, "forged row") {
		t.Errorf("a table of one entry has %d lines:\n%s", lines, table)
	}
	for _, args := range [][]string{
		{"queue", "list", "--json"},
		{"queue", "show", "1"},
		{"queue", "show", "1", "--json"},
		{"queue", "export"},
		{"queue", "show", name},
		{name},
		{"add", "movie", name},
		{"config", "check", "--config", name},
		{"kodi", "import", "--since", name},
	} {
		if out := run(args...); !strings.Contains(out, `\u202e`) {
			t.Errorf("%q does not show the name: %q", args, out)
		}
	}
}

// Only output.go prints: another way would show what strangers wrote as it is.
func TestAllOutputGoesThroughThePrinter(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || name == "output.go" {
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
