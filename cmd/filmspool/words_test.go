package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/packaging/readme"
)

// fault says what is wrong with a command line, by the program's own tables:
// a verb or a flag that does not exist, an argument too many or too few.
func fault(words []string) error {
	root := (&program{}).root()
	root.InitDefaultCompletionCmd()
	c, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	if err := c.ParseFlags(rest); err != nil {
		return err
	}
	if c.HasSubCommands() && c.Flags().NArg() > 0 {
		return fmt.Errorf("%s has no %q", c.CommandPath(), c.Flags().Arg(0))
	}
	if c.Args == nil {
		return nil
	}
	return c.Args(c, c.Flags().Args())
}

// prose are the words that stand behind the name where a sentence is about the
// program.
func prose(word string) bool {
	return slices.Contains([]string{"already", "and", "came", "database", "first", "has", "is", "may", "running?", "runs"}, word)
}

// mentionFault is fault for a command in the middle of a sentence, where the
// words behind the verb may be the sentence's. A word with a % is known only
// when the program runs.
func mentionFault(words []string) error {
	if prose(words[0]) {
		return nil
	}
	c, flags := (&program{}).root(), []string(nil)
	c.InitDefaultCompletionCmd()
	leaf, value := false, false
	for _, word := range words {
		switch {
		case value:
			value = false
		case strings.HasPrefix(word, "-"):
			flags = append(flags, word)
			f := c.Flag(strings.TrimLeft(word, "-"))
			value = f != nil && f.NoOptDefVal == ""
		case leaf:
		case strings.Contains(word, unknown):
			leaf = true
		default:
			next := slices.IndexFunc(c.Commands(), func(sub *cobra.Command) bool { return sub.Name() == word || sub.HasAlias(word) })
			if next < 0 {
				return fmt.Errorf("%s has no %q", c.CommandPath(), word)
			}
			c = c.Commands()[next]
			leaf = !c.HasSubCommands()
		}
	}
	c.InitDefaultHelpFlag()
	for _, flag := range flags {
		name, _, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		if long := strings.HasPrefix(flag, "--"); long && c.Flag(name) == nil || !long && c.Flags().ShorthandLookup(name) == nil {
			return fmt.Errorf("%s has no flag %s", c.CommandPath(), flag)
		}
	}
	return nil
}

func TestFaults(t *testing.T) {
	for line, good := range map[string]bool{
		"status": true, "--system status": true, "queue show 7": true, "add episode --show 1 --season 2 --episode 3": true,
		"state": false, "status --jason": false, "queue show": false, "queue shew 7": false, "status now": false,
	} {
		if err := fault(strings.Fields(line)); (err == nil) != good {
			t.Errorf("filmspool %s: %v", line, err)
		}
	}
	for line, good := range map[string]bool{
		"is not running": true, "--state-dir %s add movie 5": true, "service %s --system": true, "--config run status": true,
		"status says so": true, "--system service install": true, "queue": true, "queue explain ID tells": true, "service logs -f": true,
		"more": false, "queue of things": false, "queue drop --al": false, "status -x": false,
	} {
		if err := mentionFault(strings.Fields(line)); (err == nil) != good {
			t.Errorf("filmspool %s, in a sentence: %v", line, err)
		}
	}
}

// own are the command lines of the program in a line of shell.
func own(line string) (found [][]string) {
	for _, mark := range []string{"&&", "||", "|", ";"} {
		line = strings.ReplaceAll(line, mark, "\n")
	}
	for part := range strings.Lines(line) {
		words := strings.Fields(part)
		for len(words) > 0 && (words[0] == "sudo" || strings.Contains(words[0], "=")) {
			words = words[1:]
		}
		if end := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, ">") || strings.HasPrefix(w, "<") }); end >= 0 {
			words = words[:end]
		}
		if len(words) > 0 && words[0] == "filmspool" {
			found = append(found, words[1:])
		}
	}
	return found
}

// TestReadmeCommandsExist: every command of the program that a page names has
// that verb, those flags and as many arguments.
func TestReadmeCommandsExist(t *testing.T) {
	pages, err := readme.Pages("../..")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, page := range pages {
		for _, c := range readme.Commands(page.Text) {
			for _, words := range own(c.Text) {
				n++
				if err := fault(words); err != nil {
					t.Errorf("%s:%d: %s: %v", page.Name, c.Line, c.Text, err)
				}
			}
		}
	}
	if n < 40 {
		t.Errorf("only %d commands found", n)
	}
}

// TestReadmeSettingsAreGood: every block of settings that a page shows is a
// configuration without a fault.
func TestReadmeSettingsAreGood(t *testing.T) {
	pages, err := readme.Pages("../..")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, page := range pages {
		for _, b := range readme.Blocks(page.Text, "toml") {
			n++
			file := filepath.Join(t.TempDir(), "config.toml")
			if err := os.WriteFile(file, []byte(b.Text), 0o600); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			p := &program{stdin: strings.NewReader(""), stdout: terminal.To(&out), stderr: terminal.To(&out), getenv: func(string) string { return "" }}
			if got := p.run(t.Context(), []string{"--state-dir", t.TempDir(), "--config", file, "config", "check"}); got != exitDone {
				t.Errorf("%s:%d: exit %d\n%s", page.Name, b.Line, got, out.String())
			}
		}
	}
	if n < 5 {
		t.Fatalf("only %d blocks found", n)
	}
}

// TestShellsAreToldWhatMayCome: no command and no flag offers files that takes none.
func TestShellsAreToldWhatMayCome(t *testing.T) {
	takeFiles := []string{"queue export", "queue import", "queue backup", "manual"}
	for _, c := range leaves((&program{}).root()) {
		name := strings.TrimPrefix(c.CommandPath(), "filmspool ")
		if told := c.ValidArgsFunction != nil; told == slices.Contains(takeFiles, name) {
			t.Errorf("filmspool %s: completes its words %v", name, told)
		}
		for _, flag := range usage.Flags(c) {
			if _, told := c.GetFlagCompletionFunc(flag); told == (flag == "config" || flag == "state-dir") {
				t.Errorf("filmspool %s --%s: completes its value %v", name, flag, told)
			}
		}
	}
}

// TestReadingCommandsSpeakJSON: every command that tells a script something has
// --json. The others change something and tell that in words, or write a form of
// their own.
func TestReadingCommandsSpeakJSON(t *testing.T) {
	without := []string{
		"run", "sandbox", // they go on until they are told to end
		"login", "clients revoke", "rules remove", "service install", "service uninstall", "service start", "service stop", "service restart", "config reload", "kodi add", "kodi remove", "setup", // they act
		"queue backup", "queue export", "config example", "service logs", "man", // they write a file, lines of JSON, TOML, a log and roff
	}
	for _, c := range leaves((&program{}).root()) {
		name := strings.TrimPrefix(c.CommandPath(), "filmspool ")
		if has := c.Flags().Lookup("json") != nil; has == slices.Contains(without, name) && !c.Hidden {
			t.Errorf("filmspool %s: --json %v", name, has)
		}
	}
}

// TestManualIsComplete: its front page has every exit code, and every variable
// that a program which ships asks for.
func TestManualIsComplete(t *testing.T) {
	page, err := os.ReadFile("manual/front.roff")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []int{exitDone, exitFailed, exitUsage, exitNotRunning, exitAttention, exitConfig} {
		if !strings.Contains(string(page), fmt.Sprintf("\n\\fB%d\\fP\n", code)) {
			t.Errorf("the manual lacks exit code %d", code)
		}
	}
	n := 0
	for _, dir := range []string{".", "../../daemon", "../../daemon/config", "../../queue", "../../kodi", "../../connector"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, asked := range regexp.MustCompile(`(?:g|G)etenv\("(FILMSPOOL_\w+)"`).FindAllSubmatch(text, -1) {
				n++
				if !bytes.Contains(page, asked[1]) {
					t.Errorf("%s asks for %s, which the manual lacks", file, asked[1])
				}
			}
		}
	}
	if n < 5 {
		t.Errorf("only %d variables found", n)
	}
}

// TestHintsNameCommandsThatExist: wherever a text that ships names a command of
// the program, there is one: hints, helps, notices, the words of packages and
// installers, comments in units, the extension's pages.
func TestHintsNameCommandsThatExist(t *testing.T) {
	n := 0
	check := func(path string, line int, text string) {
		for _, m := range readme.Mentions(text) {
			n++
			if err := mentionFault(m.Words); err != nil {
				t.Errorf("%s:%d: %q: %v", path, line+m.Line-1, m, err)
			}
		}
	}
	err := fs.WalkDir(os.DirFS("../.."), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (path != "." && strings.HasPrefix(d.Name(), ".") || d.Name() == "test" || d.Name() == "testdata" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		if filepath.Ext(path) == ".go" {
			return literals(path, check)
		}
		if d.Name() != "README.md" && filepath.Ext(path) != ".roff" && !strings.HasPrefix(path, "packaging/") && !strings.HasPrefix(path, "connector/extension/") {
			return nil
		}
		text, err := os.ReadFile(filepath.Join("../..", path))
		if err == nil && !bytes.ContainsRune(text, 0) {
			check(path, 1, string(text))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 100 {
		t.Errorf("only %d commands found", n)
	}
}

// unknown stands for what is only known when the program runs.
const unknown = "%"

// literals calls check for each string in a Go file, joined where they are
// added up.
func literals(path string, check func(path string, line int, text string)) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, filepath.Join("../..", path), nil, 0)
	if err != nil {
		return err
	}
	var whole func(e ast.Expr) string
	whole = func(e ast.Expr) string {
		switch e := e.(type) {
		case *ast.BasicLit:
			text, _ := strconv.Unquote(e.Value)
			return text
		case *ast.BinaryExpr:
			return whole(e.X) + whole(e.Y)
		case *ast.CallExpr:
			return composed(e, whole)
		default:
			return unknown
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.CallExpr:
			if text := composed(n, whole); text != unknown {
				check(path, set.Position(n.Pos()).Line, text)
				return false
			}
		case *ast.BinaryExpr:
			check(path, set.Position(n.Pos()).Line, whole(n))
			return false
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				check(path, set.Position(n.Pos()).Line, whole(n))
			}
		}
		return true
	})
	return nil
}

// composed is the text of Command(system, "service start"), which puts the
// program's name and --system before it.
func composed(call *ast.CallExpr, whole func(ast.Expr) string) string {
	name := ""
	switch f := call.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	if len(call.Args) != 2 || !strings.EqualFold(name, "command") {
		return unknown
	}
	if first, ok := call.Args[0].(*ast.BasicLit); ok && first.Kind == token.STRING {
		return unknown // another program's
	}
	return "filmspool " + whole(call.Args[1])
}
