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

// inLanguage returns a program that prints to a buffer in a language.
func inLanguage(tag string) (*program, *bytes.Buffer) {
	var out bytes.Buffer
	return &program{stdin: strings.NewReader(""), stdout: terminal.To(&out).In(tag), stderr: terminal.To(&out).In(tag), getenv: func(string) string { return "" }}, &out
}

// Every command and flag has a text in every language, no text is unused, and the help of every
// command fits a screen.
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

// Commands that people are likely to type first work, or fail with a helpful suggestion.
func TestTypedCommands(t *testing.T) {
	state := t.TempDir()
	makeQueue(t, state)
	run := func(line string) (string, int) {
		p, out := inLanguage("en")
		p.getenv = func(name string) string { return map[string]string{"FILMSPOOL_STATE_DIR": state}[name] }
		code := p.run(t.Context(), strings.Fields(line))
		return out.String(), code
	}
	for line, want := range map[string]string{ // the error or the hint
		"list": "filmspool diary", "history": "filmspool diary", "ls": "filmspool diary", "frobnicate": "filmspool --help", "foo": "filmspool --help",
		"search matrix": "filmspool diary", "queue": "filmspool diary", "queue list matrix": "filmspool diary", "stats": "filmspool open",
		"dairy": "filmspool diary", "explain 1": "filmspool show", "retry": "filmspool send", "release --reason bulk": "filmspool send",
		"doctor": "filmspool status", "support": "filmspool status", "whoami": "filmspool status", "accounts": "filmspool status", "statsu": "filmspool status",
		"stop": "filmspool service stop", "start": "filmspool service start", "restart": "filmspool service restart",
		"uninstall": "filmspool service uninstall", "logs": "filmspool service logs", "update": "filmspool --help",
		"remove 309": "filmspool drop", "delete 309": "filmspool drop", "unwatch 309": "filmspool undo",
		"watchlist add Dune": "filmspool add", "watch Dune": "filmspool add", "log Heat": "filmspool add", "list add Noir 289": "filmspool diary",
		"clients": "filmspool sources", "pair": "filmspool sources pair", "kodi add ~/.kodi": "filmspool sources kodi", "devices": "filmspool sources",
		"sources list": "filmspool sources --help", "setup": "filmspool open", "rules": "filmspool fix", "resolve": "filmspool fix", "edit 1": "filmspool fix",
		"import netflix.csv": "Add --yes", "import": "FILE is missing", "config get replay.grace": "filmspool config show", "config set": "KEY is missing",
		"config set grace 10m": "replay.grace", "config set replay.grace soon": "is not a duration", "show": "ID is missing", "show first": "filmspool diary",
		"add": "TITLE|NUMBER|ADDRESS is missing", "add 155 --at 20:15": "filmspool add --help", "add 603 --date yesterday": "filmspool add --help",
		"undo": "ID is missing", "drop": "filmspool drop --help", "login sk_x": "A key must not be typed", "logout": "filmspool login",
		"pause 1 hour": "until 23:00", "export a b": `Unexpected argument "b"`, "--verbose": "There is no option --verbose", "-x": "There is no option -x",
		"help nothing": "has no command", "status --jason": "filmspool status --help", "status --all --report": "--all, --report cannot be used together",
		"add The Matrix": `"The Matrix" (film)`, "add film The Matrix": `"The Matrix" (film)`, "add themoviedb.org/movie/603 S01E01": "a series is needed",
		"add themoviedb.org/tv/1396": `filmspool add themoviedb.org/tv/1396 S01E02`, "add 603 --watchlist yesterday": "without episode or time",
		"add 603 --watchlist --list Noir": "cannot be used together", "add 9007199254740993": "is not a number", "add 700 2026-02-30": "could be more than one",
		"add 603-x 1/2/2026": "is not a time", "diary --state lost": "must be one of pending", "diary --since lately": "is not a time",
		"diary --limit x": `--limit cannot be "x"`, "diary --since": "--since needs a value", "sandbox --listen 0.0.0.0:0": "must be an address of this computer",
		"--system service install --linger": "--linger is for your own service", "send --may-double": "or use --all", "drop 1 --all": "or use --all",
		"drop 1 --state held": "or use --all", "add 700 2999-01-01 20:15 --series": "which episode",
	} {
		if said, code := run(line); code != exitUsage || !strings.Contains(said, "error: ") || !strings.Contains(said, want) {
			t.Errorf("filmspool %s\nexit %d, says %s\nwithout %q", line, code, said, want)
		}
	}
	for line, want := range map[string]string{
		"help add": "Usage: filmspool add", "config": "Usage: filmspool config", "--version": "filmspool 0", "diary matrix": "No entries.",
		"add movie 603": "Added: movie 603", "add 603 yesterday": "Added: movie 603, watched", "add 603 last night": "Added: movie 603, watched", "add 1399 s1e2": "Added: show 1399 S01E02", "add 1399 1x3": "Added: show 1399 S01E03",
		"add 155 yesterday 20:15": "watched", "add 603 --watchlist": "Added: movie 603", "add 603 --list Noir": "movie 603", "add tt0133093 20/11/2024": "Added: movie tt0133093",
		"add Breaking Bad S01E02 yesterday": "Added: Breaking Bad S01E02",
		"config set replay.grace 10 min":    "replay.grace is now 10m.",
	} {
		if said, code := run(line); code != exitDone || !strings.Contains(said, want) {
			t.Errorf("filmspool %s\nexit %d, says %s\nwithout %q", line, code, said, want)
		}
	}
}
