package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// screen is a program on a terminal, with its output.
type screen struct {
	t     *testing.T
	cmd   *exec.Cmd
	ours  *os.File
	their *os.File

	mu    sync.Mutex
	shown bytes.Buffer
	news  chan struct{}
}

// atTerminal starts the program on a terminal.
func atTerminal(t *testing.T, dir string, args ...string) *screen {
	t.Helper()
	s := newScreen(t)
	path, err := exec.LookPath("filmspool")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...) // typed input ends it, or it is killed below
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "FILMSPOOL_LISTEN=127.0.0.1:0",
		"FILMSPOOL_STATE_DIR=" + filepath.Join(dir, "state"), "TZ=UTC",
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.their, s.their, s.their
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.cmd = cmd
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return s
}

// newScreen returns a terminal without a program.
func newScreen(t *testing.T) *screen {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	fd := int(ours.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err = errors.Join(err, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)); err != nil {
		t.Fatal(err)
	}
	theirs, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, ours: ours, their: theirs, news: make(chan struct{}, 1)}
	t.Cleanup(func() {
		_ = theirs.Close()
		_ = ours.Close()
	})
	go s.read()
	return s
}

// read reads the output until the terminal is closed.
func (s *screen) read() {
	part := make([]byte, 4096)
	for {
		n, err := s.ours.Read(part)
		s.mu.Lock()
		s.shown.Write(part[:n])
		s.mu.Unlock()
		select {
		case s.news <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.ReplaceAll(s.shown.String(), "\r\n", "\n")
}

// until waits for an output.
func (s *screen) until(want string) {
	s.t.Helper()
	deadline := time.After(patience)
	for !strings.Contains(s.text(), want) {
		select {
		case <-s.news:
		case <-deadline:
			s.t.Fatalf("it never showed %q:\n%s", want, s.text())
		}
	}
}

// types types a text.
func (s *screen) types(text string) {
	s.t.Helper()
	if _, err := s.ours.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// echoes reports whether the terminal shows typed text.
func (s *screen) echoes() bool {
	s.t.Helper()
	mode, err := unix.IoctlGetTermios(int(s.their.Fd()), unix.TCGETS)
	if err != nil {
		s.t.Fatal(err)
	}
	return mode.Lflag&unix.ECHO != 0
}

// hidden waits until the terminal hides typed text.
func (s *screen) hidden() {
	s.t.Helper()
	for deadline := time.Now().Add(patience); s.echoes(); {
		if time.Now().After(deadline) {
			s.t.Fatal("the terminal still shows what is typed")
		}
		time.Sleep(time.Millisecond) // there is no notification for this
	}
}

// ends waits for the end with an exit code.
func (s *screen) ends(code int) {
	s.t.Helper()
	done := make(chan error, 1)
	go func() { done <- s.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(patience):
		s.t.Fatalf("it does not end:\n%s", s.text())
	}
	if got := s.cmd.ProcessState.ExitCode(); got != code {
		s.t.Errorf("exit %d, want %d:\n%s", got, code, s.text())
	}
}

// Ctrl-C or a signal cancels a login at once and restores the terminal.
func TestLoginCanBeCancelled(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(*screen) error{
		"Ctrl-C":  func(s *screen) error { _, err := s.ours.WriteString("\x03"); return err },
		"SIGTERM": func(s *screen) error { return s.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			s := atTerminal(t, t.TempDir(), "login", "--base-url", "https://tracker.example/api/v1")
			s.until("not shown: ")
			s.hidden()
			if err := stop(s); err != nil {
				t.Fatal(err)
			}
			s.ends(exitFailed)
			s.until("nothing is changed")
			if !s.echoes() {
				t.Error("the terminal shows nothing of what is typed any more")
			}
		})
	}
}

// On a terminal the key is typed without being shown, and the user chooses a film or episode.
// Ctrl-C cancels.
func TestQuestionsOnATerminal(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	box := h.sandbox("127.0.0.1:0")
	s := atTerminal(t, h.dir, "login", "--base-url", "http://"+box.address) // the path is added
	s.until("not shown: ")
	s.hidden()
	s.types(secretKey + "\n")
	s.ends(exitDone)
	s.until("Connected to ")
	if strings.Contains(s.text(), secretKey) {
		t.Errorf("the key was shown:\n%s", s.text())
	}
	h.start("run")
	h.do("", "add", "tt9999999", "2026-03-01")
	for _, c := range []struct {
		typed, want string
		code        int
	}{
		{"\x03", "nothing was changed", exitUsage},
		{"2\n", "nothing was changed", exitUsage},
		{"1\n", `Remembered: what is reported as tt9999999 is "Dune"`, exitDone},
	} {
		s := atTerminal(t, h.dir, "fix", "1", "Dune")
		s.until("Which one, 1 to 1? ")
		s.types(c.typed)
		s.ends(c.code)
		s.until(c.want)
	}
	for answer, want := range map[string]string{"s1e2\n": "Added: show 1396 S01E02", "the second\n": "which episode?"} {
		s := atTerminal(t, h.dir, "add", "1396", "--series")
		s.until("Which episode? (S01E02) ")
		s.types(answer)
		s.until(want)
	}
}
