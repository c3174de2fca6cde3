package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon/locale"
)

// inLanguage is a program that prints to a buffer in a language.
func inLanguage(tag string) (*program, *bytes.Buffer) {
	var out bytes.Buffer
	return &program{stdin: strings.NewReader(""), stdout: terminal.To(&out).In(tag), stderr: terminal.To(&out).In(tag), getenv: func(string) string { return "" }}, &out
}

// TestHelp: every command and flag has a text in every language, no text is left over, and
// the help of every command fits a screen.
func TestHelp(t *testing.T) {
	for _, tag := range []string{"en", "de"} {
		p, out := inLanguage(tag)
		speech := locale.In(tag)
		root := p.root()
		p.describe(root)
		used := map[string]bool{}
		var visit func(*cobra.Command)
		visit = func(c *cobra.Command) {
			name := strings.Join(strings.Fields(c.CommandPath())[1:], ".")
			used["help."+name], used["help."+name+".long"] = true, true
			c.LocalFlags().VisitAll(func(f *pflag.Flag) {
				own := "flag." + name + "." + f.Name
				used[own] = true
				if !speech.Has(own) {
					own = "flag." + f.Name
					used[own] = true
				}
				value, _ := pflag.UnquoteUsage(f)
				if !f.Hidden && (!speech.Has(own) || value != strings.ToUpper(value)) {
					t.Errorf("%s: --%s %s of %s has no text", tag, f.Name, value, c.CommandPath())
				}
			})
			if !speech.Has("help." + name) {
				t.Errorf("%s: %s has no text", tag, c.CommandPath())
			}
			out.Reset()
			p.run(t.Context(), append(strings.Fields(c.CommandPath())[1:], "--help"))
			lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			if widest := slices.MaxFunc(lines, func(a, b string) int { return utf8.RuneCountInString(a) - utf8.RuneCountInString(b) }); len(lines) > 24 || utf8.RuneCountInString(widest) > 80 {
				t.Errorf("%s: help of %s has %d lines, the widest %q", tag, c.CommandPath(), len(lines), widest)
			}
			for _, word := range c.Commands() {
				visit(word)
			}
		}
		visit(root)
		for _, key := range speech.Keys() {
			if (strings.HasPrefix(key, "help.") || strings.HasPrefix(key, "flag.")) && !used[key] {
				t.Errorf("%s: nothing shows %s", tag, key)
			}
		}
	}
}

// TestTypedCommands: what people type first is understood, or leads on.
func TestTypedCommands(t *testing.T) {
	state := t.TempDir()
	makeQueue(t, state)
	for line, want := range map[string]string{ // what it says, or the next step
		"status": "filmspool run", "list": "filmspool diary", "history": "filmspool diary", "ls": "filmspool diary",
		"search matrix": "filmspool diary", "queue": "filmspool diary", "queue list matrix": "filmspool diary", "stats": "filmspool diary",
		"dairy": "filmspool diary", "explain 1": "filmspool show", "retry": "filmspool send", "release --reason bulk": "filmspool send",
		"doctor": "filmspool status", "support": "filmspool status", "whoami": "filmspool status", "accounts": "filmspool status", "statsu": "filmspool status",
		"stop": "filmspool service stop", "start": "filmspool service start", "restart": "filmspool service restart",
		"uninstall": "filmspool service uninstall", "logs": "filmspool service logs", "update": "filmspool --help",
		"remove 309": "filmspool drop", "delete 309": "filmspool drop", "unwatch 309": "filmspool undo",
		"watchlist add Dune": "filmspool add", "watch Dune": "filmspool add", "log Heat": "filmspool add", "list add Noir 289": "filmspool diary",
		"clients": "filmspool sources", "pair": "filmspool sources pair", "kodi add ~/.kodi": "filmspool sources kodi", "devices": "filmspool sources",
		"sources list": "filmspool sources --help", "setup": "filmspool open", "rules": "filmspool fix", "resolve": "filmspool fix", "edit 1": "filmspool fix",
		"import netflix.csv": "filmspool import", "config": "Usage: filmspool config", "config get replay.grace": "filmspool config set", "config set": "KEY is missing",
		"config set grace 10m": "replay.grace", "config set replay.grace soon": "is not a duration", "config set replay.grace 10min": "replay.grace is now 10m", "show": "ID is missing", "show first": "filmspool diary",
		"add": "TITLE|NUMBER|ADDRESS is missing", "add 155 --at 20:15": "filmspool add --help", "add 603 --date yesterday": "filmspool add --help",
		"undo": "ID is missing", "drop": "filmspool drop --help", "login sk_x": "A key must not be typed", "logout": "filmspool login",
		"pause 1 hour": "until 23:00", "export a b": `Unexpected argument "b"`, "--verbose": "There is no option --verbose", "-x": "There is no option -x",
		"help add": "Usage: filmspool add", "help nothing": "has no command", "add 603 yesterday": "Added: movie 603, watched",
		"add 603 last night": "Added: movie 603, watched", "add 1399 s1e2": "Added: show 1399 S01E02", "add tt0133093 20/11/2024": "filmspool show",
		"add The Matrix": "No match for", "add Breaking Bad S01E02 yesterday": "No match for", "add movie 603": "No match for",
		"add 155 yesterday 20:15": "watched", "add 603 --watchlist": "Added: movie 603", "add 1396 --series": "which episode",
		"diary matrix": "No entries.", "diary --since lately": "is not a time", "diary --limit x": `--limit cannot be "x"`, "diary --since": "--since needs a value",
	} {
		p, out := inLanguage("en")
		p.getenv = func(name string) string { return map[string]string{"FILMSPOOL_STATE_DIR": state}[name] }
		p.run(t.Context(), strings.Fields(line))
		if !strings.Contains(out.String(), want) {
			t.Errorf("filmspool %s\nsays %s\nwithout %q", line, out, want)
		}
	}
}
