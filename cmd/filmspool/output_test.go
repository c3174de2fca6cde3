package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
)

// hostile contains everything that controls a terminal or misleads its reader.
const hostile = "A\x1b[2J\x1b]0;x\x07\x08\x7f\u009b31m\u202egnp\u2066\u200bB\u2028\u2029\r\nforged row\tC\x9b\xff"

// obeyed reports whether a character controls the terminal or is invisible, except tabs and the
// line break at the end of each line.
func obeyed(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsGraphic(r) }

// The output of real commands is sanitized.
func TestCommandsSanitizeOutput(t *testing.T) {
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
