//go:build unix

package notify

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
)

// script writes a program that a shell reads.
func script(t *testing.T, lines string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "tell")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+lines), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestACommandGetsTheNoticeAndNoSecret(t *testing.T) {
	t.Setenv("FILMSPOOL_KEY", "sk_secret")
	t.Setenv("CREDENTIALS_DIRECTORY", "/run/credentials")
	out := filepath.Join(t.TempDir(), "out")
	tell := script(t, `{ echo "$1|$2|$FILMSPOOL_CODE|$FILMSPOOL_SEVERITY"; cat; env; } >"$1"`)
	n := Notice{Text: "It's $(false) & `wrong`.\nAnd that.", Codes: []string{"a", "b"}, Severity: control.NeedsYou}
	if err := Command([]string{tell, out, "$HOME; x"})(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil || !strings.HasPrefix(string(text), out+"|$HOME; x|a b|needs you\n"+n.Text+"\n") {
		t.Errorf("%v\n%s", err, text)
	}
	if strings.Contains(string(text), "sk_secret") || strings.Contains(string(text), "CREDENTIALS") || !strings.Contains(string(text), "PATH=") {
		t.Errorf("its environment is\n%s", text)
	}
}

func TestACommandThatFailsSaysWhy(t *testing.T) {
	for want, words := range map[string][]string{
		"tell failed: exit status 3":     {script(t, "exit 3")},
		"tell failed: signal: killed":    {script(t, "kill -9 $$")},
		"none cannot be started":         {"/nowhere/none"},
		"does not matter, it reads none": {script(t, "exec true"), ""},
	} {
		err := Command(words)(t.Context(), Notice{Text: strings.Repeat("text ", 1<<18)})
		if len(words) == 2 {
			if err != nil {
				t.Errorf("a program that reads nothing: %v", err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestACommandEndsWithAllThatItStarted when its time is over.
func TestACommandEndsWithAllThatItStarted(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pid")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	tell := script(t, "sleep 1000 & echo $! >\"$1\"\nwait\n")
	go func() { ended <- Command([]string{tell, pipe})(ctx, Notice{}) }()
	text, err := os.ReadFile(pipe)
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "tell did not end within 30s") {
		t.Error(err)
	}
	for begun := time.Now(); !errors.Is(syscall.Kill(child, 0), syscall.ESRCH); time.Sleep(10 * time.Millisecond) {
		if state, _ := os.ReadFile("/proc/" + strconv.Itoa(child) + "/stat"); strings.Contains(string(state), ") Z ") {
			break // it has ended, and nobody has asked how
		}
		if time.Since(begun) > 30*time.Second {
			_ = syscall.Kill(child, syscall.SIGKILL)
			t.Fatal("what it has started goes on")
		}
	}
}
