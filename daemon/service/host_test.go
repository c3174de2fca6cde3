package service

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// launchd would start a program with a wrong configuration again and again.
func TestExitCode(t *testing.T) {
	launchd := []string{"filmspool", "run", "--service-host=launchd"}
	for _, c := range []struct {
		args       []string
		code, want int
	}{
		{launchd, 78, 0},
		{launchd, 1, 1},
		{launchd, 0, 0},
		{[]string{"filmspool", "run"}, 78, 78},
		{[]string{"filmspool", "run", "--service-host=scm"}, 78, 78},
	} {
		if got := ExitCode(c.args, c.code); got != c.want {
			t.Errorf("%v with %d: got %d, want %d", c.args, c.code, got, c.want)
		}
	}
}

// A log to which the manager appends for ever stays small, whoever makes the
// program write. A log that somebody else keeps is left alone.
func TestBoundLog(t *testing.T) {
	line := []byte(strings.Repeat("x", 1<<20-1) + "\n")
	for _, c := range []struct {
		name    string
		args    []string
		size    int64 // before the start
		lines   int   // that are written then
		want    int64
		emptied bool
	}{
		{"launchd, large before", []string{"filmspool", "run", "--service-host=launchd"}, maxLog + 1, 0, 42, true},
		{"init, large before", []string{"filmspool", "run", "--system", "--service-host=init"}, maxLog + 1, 0, 42, true},
		{"not too large", []string{"filmspool", "run", "--service-host=launchd"}, maxLog, 0, maxLog, false},
		{"just full", []string{"filmspool", "run", "--service-host=init"}, 0, 5, maxLog, false},
		{"launchd, made large", []string{"filmspool", "run", "--service-host=launchd"}, 0, 6, 42 + 1<<20, true},
		{"init, made large", []string{"filmspool", "run", "--service-host=init"}, 1, 24, 42 + 4<<20, true},
		{"somebody else's", []string{"filmspool", "run"}, maxLog + 1, 2, maxLog + 1 + 2<<20, false},
	} {
		path := filepath.Join(t.TempDir(), "log")
		log, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if err := log.Truncate(c.size); err != nil {
			t.Fatal(err)
		}
		bounded := BoundLog(c.args, log)
		for range c.lines {
			if n, err := bounded.Write(line); n != len(line) || err != nil {
				t.Errorf("%s: wrote %d, %v", c.name, n, err)
			}
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if emptied := strings.HasPrefix(string(text), "the log had "); emptied != c.emptied || int64(len(text)) != c.want {
			t.Errorf("%s: %d bytes, want %d; emptied: %v", c.name, len(text), c.want, emptied)
		}
	}
}

// What is no file cannot be emptied, and is written to all the same.
func TestBoundLogOfAPipe(t *testing.T) {
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	_, err = BoundLog([]string{"filmspool", "run", "--service-host=init"}, in).Write([]byte("line"))
	if err := errors.Join(err, in.Close()); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(out); string(text) != "line" {
		t.Errorf("%q, %v", text, err)
	}
}
