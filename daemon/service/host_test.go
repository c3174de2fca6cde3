package service

import (
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

func TestTrimLog(t *testing.T) {
	launchd := []string{"filmspool", "run", "--service-host=launchd"}
	for _, c := range []struct {
		name    string
		args    []string
		size    int64
		emptied bool
	}{
		{"large", launchd, maxLog + 1, true},
		{"not too large", launchd, maxLog, false},
		{"large, but no log of launchd's", []string{"filmspool", "run"}, maxLog + 1, false},
	} {
		path := filepath.Join(t.TempDir(), "log")
		log, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if err := log.Truncate(c.size); err != nil {
			t.Fatal(err)
		}
		if err := TrimLog(c.args, log); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if emptied := strings.HasPrefix(string(text), "the log had 5242881 bytes"); emptied != c.emptied || !emptied && int64(len(text)) != c.size {
			t.Errorf("%s: %d bytes", c.name, len(text))
		}
	}
}
