package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
)

// programmers are words that only who made the program understands.
func programmers() []string {
	return []string{
		"strconv", "invalid syntax", "value out of range", "struct", "json:", "looking for beginning", "EOF", "panic", "goroutine",
		"%!", "Go value", "unmarshal", "toml:", "github.com", "export.Record", "runtime error", "nil pointer", "no such file or directory",
		"is a directory", "not a directory", "sql:", "SQLITE", "shorthand",
	}
}

// wrongWords are arguments of which no command can make anything good, or which
// name nothing that is there.
func wrongWords(dir string) []string {
	return []string{
		"", " ", "x", "-5", "0", "99999999999999999999", "1e3", "1.5", "%s%n", "nul\x00byte", "\xff\xfe", strings.Repeat("long ", 4000),
		dir, filepath.Join(dir, "table.csv"), filepath.Join(dir, "none", "file"), filepath.Join(dir, "empty"), "https://", "://", "sk_abcdefgh",
	}
}

// leaves are the commands that do something.
func leaves(c *cobra.Command) (all []*cobra.Command) {
	if len(c.Commands()) == 0 {
		return []*cobra.Command{c}
	}
	for _, sub := range c.Commands() {
		if sub.Name() != "help" && sub.Name() != "completion" {
			all = append(all, leaves(sub)...)
		}
	}
	return all
}

// mistakes are command lines of a command, each with something wrong.
func mistakes(c *cobra.Command, words []string) (lines [][]string) {
	path := strings.Fields(strings.TrimPrefix(c.CommandPath(), "filmspool"))
	line := func(more ...string) { lines = append(lines, append(path[:len(path):len(path)], more...)) }
	line("--nonsense")
	line("-9")
	for _, word := range words {
		line(word)
		line("--", word)
		line("1", word)
		if c.Name() == "add" && strings.Contains(c.CommandPath(), "watchlist") {
			line("movie", word)
		}
	}
	for _, name := range strings.Fields(c.Flags().FlagUsages()) {
		f := c.Flags().Lookup(strings.TrimPrefix(name, "--"))
		if strings.HasPrefix(name, "--") && f != nil && f.Name != "config" && f.Name != "state-dir" { // of every command the same
			for _, word := range []string{"", "x", "-5", "99999999999999999999", "%s%n"} {
				line("1", "--"+f.Name+"="+word)
			}
		}
	}
	return lines
}

// TestNoCommandSpeaksToProgrammers feeds every command what is wrong, and looks
// for words that only a programmer understands. A mistake in the command line
// exits 2.
func TestNoCommandSpeaksToProgrammers(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(t.TempDir()) // some words are good names of files
	for name, text := range map[string]string{"table.csv": "Title,Date\nA,B\n", "empty": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h := newHousehold(t)
	h.start("run") // who asks a daemon need not open the queue each time
	words, n := wrongWords(dir), 0
	for _, c := range leaves((&program{}).root()) {
		switch c.CommandPath() {
		case "filmspool run", "filmspool demo", "filmspool sandbox":
			continue // they go on until they are told to end; see below
		}
		if strings.Contains(c.CommandPath(), " service ") {
			continue // it would touch the machine; package daemon/service has its own words
		}
		for _, line := range mistakes(c, words) {
			n++
			said, code := mistaken(t, h.dir, line)
			if word := spoken(said); word != "" {
				t.Errorf("%.200q says %q:\n%.600s", line, word, said)
			}
			if strings.Contains(said, "usage:") && strings.HasPrefix(said, "error:") && code != exitUsage {
				t.Errorf("%.200q exits %d for a mistake in the command line:\n%.600s", line, code, said)
			}
		}
	}
	for _, line := range [][]string{
		{"sandbox", "--listen", "x"},
		{"sandbox", "--listen", "127.0.0.1:99999"},
		{"run", "--listen", "127.0.0.1:99999"},
		{"run", "x"},
		{"run", "--config", dir},
		{"run", "--config", filepath.Join(dir, "table.csv")},
		{"config", "check", "--config", filepath.Join(dir, "none")},
		{"config", "check", "--config", "nul\x00byte"},
		{"queue", "list", "--state-dir", "nul\x00byte"},
		{"demo", "x"},
		{"service", "install", "x"},
		{"service", "x"},
		{"queue", "list", "--state-dir", filepath.Join(dir, "table.csv")},
		{"queue", "list", "--config", filepath.Join(dir, "table.csv")},
	} {
		n++
		if said, code := mistaken(t, h.dir, line); spoken(said) != "" || code == exitDone {
			t.Errorf("%q exits %d and says %q:\n%s", line, code, spoken(said), said)
		}
	}
	if n < 800 {
		t.Errorf("only %d mistakes were made", n)
	}
}

// spoken is the first word for programmers in a text.
func spoken(said string) string {
	for _, word := range programmers() {
		if strings.Contains(said, word) {
			return word
		}
	}
	return ""
}

// mistaken runs a command line with a mistake in a state folder of its own, and
// returns what it said without what it repeats of the line.
func mistaken(t *testing.T, dir string, line []string) (string, int) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), patience, errors.New("it went on for too long"))
	defer cancel()
	var out bytes.Buffer
	p := &program{stdin: strings.NewReader(""), stdout: terminal.To(&out), stderr: terminal.To(&out), getenv: func(name string) string {
		return map[string]string{"HOME": dir, "FILMSPOOL_STATE_DIR": filepath.Join(dir, "state"), "FILMSPOOL_CONFIG": os.DevNull}[name]
	}}
	begun := time.Now()
	code := p.run(ctx, line)
	if ctx.Err() != nil {
		t.Fatalf("%.200q went on for %s", line, time.Since(begun))
	}
	said := out.String()
	for _, word := range line {
		if len(word) > 3 {
			said = strings.ReplaceAll(said, word, "WORD")
		}
	}
	return said, code
}
