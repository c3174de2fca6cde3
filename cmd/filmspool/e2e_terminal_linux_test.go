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

// screen is a program at a terminal, and what it showed there.
type screen struct {
	t     *testing.T
	cmd   *exec.Cmd
	ours  *os.File
	their *os.File

	mu    sync.Mutex
	shown bytes.Buffer
	news  chan struct{}
}

// atTerminal starts the program as a person does who sits before it.
func atTerminal(t *testing.T, dir string, args ...string) *screen {
	t.Helper()
	s := newScreen(t)
	path, err := exec.LookPath("filmspool")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...) // it is ended by what is typed, or killed below
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

// newScreen is a terminal at which no program runs yet.
func newScreen(t *testing.T) *screen {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("this machine has no terminals to give: ", err)
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
	go s.look()
	return s
}

// look reads what is shown until the terminal goes away.
func (s *screen) look() {
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

// until waits until something is shown.
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

// echoes reports whether the terminal shows what is typed.
func (s *screen) echoes() bool {
	s.t.Helper()
	mode, err := unix.IoctlGetTermios(int(s.their.Fd()), unix.TCGETS)
	if err != nil {
		s.t.Fatal(err)
	}
	return mode.Lflag&unix.ECHO != 0
}

// hidden waits until the terminal shows nothing of what is typed.
func (s *screen) hidden() {
	s.t.Helper()
	for deadline := time.Now().Add(patience); s.echoes(); {
		if time.Now().After(deadline) {
			s.t.Fatal("the terminal still shows what is typed")
		}
		time.Sleep(time.Millisecond) // nothing tells of it
	}
}

// ends waits for the end, and wants an exit code.
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

// TestLoginIsBrokenOffAtOnce, by Ctrl-C or by a signal, and leaves the terminal
// as it was.
func TestLoginIsBrokenOffAtOnce(t *testing.T) {
	for name, stop := range map[string]func(*screen) error{
		"Ctrl-C":  func(s *screen) error { _, err := s.ours.WriteString("\x03"); return err },
		"SIGTERM": func(s *screen) error { return s.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			s := atTerminal(t, t.TempDir(), "login", "--base-url", "https://tracker.example/api/v1")
			s.until("Secret key (sk_…) for https://tracker.example/api/v1, not shown: ")
			s.hidden()
			if err := stop(s); err != nil {
				t.Fatal(err)
			}
			s.ends(exitFailed)
			s.until("error: no key was given; nothing is changed")
			if !s.echoes() {
				t.Error("the terminal shows nothing of what is typed any more")
			}
		})
	}
}

// TestLoginSaysFirstWhatIsMissing: nobody types a key in vain.
func TestLoginSaysFirstWhatIsMissing(t *testing.T) {
	s := atTerminal(t, t.TempDir(), "login")
	s.ends(exitFailed)
	s.until("hint:  filmspool login --base-url https://…/api/v1")
	if strings.Contains(s.text(), "Secret key") {
		t.Errorf("it asks for the key:\n%s", s.text())
	}
	s = atTerminal(t, t.TempDir(), "login", "--base-url", "tracker.example")
	s.ends(exitFailed)
	s.until("hint:  did you mean: filmspool login --base-url https://tracker.example/api/v1")
}

// TestLoginAtATerminal: the key is typed, and never shown.
func TestLoginAtATerminal(t *testing.T) {
	h := newHousehold(t)
	box := h.start("sandbox", "--listen", "127.0.0.1:0", "--state-dir", filepath.Join(t.TempDir(), "box"), "--secret-key", secretKey)
	s := atTerminal(t, h.dir, "login", "--base-url", "http://"+box.address) // /api/v1 is put behind a host
	s.until("not shown: ")
	s.hidden()
	if _, err := s.ours.WriteString(secretKey + "\n"); err != nil {
		t.Fatal(err)
	}
	s.ends(exitDone)
	s.until("The key is good: account default at http://" + box.address + "/api/v1")
	if strings.Contains(s.text(), secretKey) {
		t.Errorf("the key was shown:\n%s", s.text())
	}
}

// TestFixAsksAPerson which one they mean. Ctrl-C is no answer.
func TestFixAsksAPerson(t *testing.T) {
	h := newHousehold(t)
	box := h.start("sandbox", "--listen", "127.0.0.1:0", "--state-dir", filepath.Join(t.TempDir(), "box"), "--secret-key", secretKey)
	s := atTerminal(t, h.dir, "login", "--base-url", "http://"+box.address)
	s.until("not shown: ")
	s.hidden()
	if _, err := s.ours.WriteString(secretKey + "\n"); err != nil {
		t.Fatal(err)
	}
	s.ends(exitDone)
	h.start("run")
	atTerminal(t, h.dir, "add", "movie", "tt9999999", "--watched-at", "2026-03-01").ends(exitDone)
	for _, c := range []struct {
		typed, want string
		code        int
	}{
		{"\x03", "is not a number from 1 to 1; nothing is changed", exitUsage},
		{"2\n", `"2" is not a number from 1 to 1; nothing is changed`, exitUsage},
		{"1\n", `Remembered: what is told as film tt9999999 is "Dune"`, exitDone},
	} {
		s := atTerminal(t, h.dir, "fix", "1", "Dune")
		s.until("Which one, 1 to 1? ")
		if _, err := s.ours.WriteString(c.typed); err != nil {
			t.Fatal(err)
		}
		s.ends(c.code)
		s.until(c.want)
		s.until("841")
	}
}

// TestAddTellsAPersonWhereItGoes: a script gets the id alone, a person gets words.
func TestAddTellsAPersonWhereItGoes(t *testing.T) {
	dir := t.TempDir()
	makeQueue(t, filepath.Join(dir, "state"))
	for _, c := range []struct {
		args  []string
		shows []string
	}{
		{[]string{"add", "movie", "603", "--watched-at", "2026-03-01 20:15"}, []string{
			"Queued as entry 1: movie 603, watched 2026-03-01 20:15.\n",
			"Filmspool is not running: 1 entry waits until it does.\nhint:  ", "filmspool run\n",
		}},
		{[]string{"add", "movie", "603", "--watched-at", "2999-01-01"}, []string{
			"Held (future) as entry 2: movie 603, watched 2999-01-01 12:00.\nhint:  its time lies ahead; to correct it: filmspool queue edit 2 --watched-at TIME",
		}},
		{[]string{"watchlist", "add", "tv", "1396"}, []string{"Queued as entry 3: tv 1396.\n", "2 entries wait until"}},
		{[]string{"watchlist", "add", "tv", "1396"}, []string{"tv 1396 is queued already: entry 3, pending. Nothing is added.\n"}},
	} {
		s := atTerminal(t, dir, c.args...)
		s.ends(exitDone)
		for _, want := range c.shows {
			s.until(want)
		}
	}
}

// TestReleaseShowsAPersonFirst what it lets go. What comes while they think stays,
// and a no changes nothing.
func TestReleaseShowsAPersonFirst(t *testing.T) {
	h := newHousehold(t)
	h.start("run")
	for _, number := range []string{"601", "602"} {
		atTerminal(t, h.dir, "add", "movie", number, "--watched-at", "2026-03-01").ends(exitDone)
	}
	atTerminal(t, h.dir, "queue", "hold", "--all").ends(exitDone)
	for _, c := range []struct {
		verb, question, typed, want string
		code                        int
	}{
		{"release", "Release 2 entries? [y/N] ", "n\n", "you did not agree, so nothing is changed", exitUsage},
		{"release", "Release 2 entries? [y/N] ", "y\n", "Released 2 entries (2 held): 2, 1.", exitDone},
		{"drop", "Drop 3 entries? [y/N] ", "y\n", "Dropped 3 entries", exitDone},
	} {
		filter := []string{"queue", c.verb, "--reason", "user"}
		if c.verb == "drop" {
			filter = []string{"queue", c.verb, "--all"}
		}
		s := atTerminal(t, h.dir, filter...)
		s.until("movie 602")
		s.until(c.question)
		if c.code == exitDone {
			number := map[string]string{"release": "603", "drop": "604"}[c.verb]
			atTerminal(t, h.dir, "add", "movie", number, "--watched-at", "2026-03-02").ends(exitDone)
			if c.verb == "release" {
				atTerminal(t, h.dir, "queue", "hold", "3").ends(exitDone)
			}
		}
		if _, err := s.ours.WriteString(c.typed); err != nil {
			t.Fatal(err)
		}
		s.ends(c.code)
		s.until(c.want)
	}
	s := atTerminal(t, h.dir, "queue", "list", "--state", "pending")
	s.until("4   pending")
	s.ends(exitDone)
}

// TestReleaseLetsGoWhatItShowed: what becomes as the others while a person thinks
// stays, older entries too.
func TestReleaseLetsGoWhatItShowed(t *testing.T) {
	h := newHousehold(t)
	h.start("run")
	for _, number := range []string{"601", "602", "603"} {
		atTerminal(t, h.dir, "add", "movie", number, "--watched-at", "2026-03-01").ends(exitDone)
	}
	atTerminal(t, h.dir, "queue", "hold", "2", "3").ends(exitDone)
	s := atTerminal(t, h.dir, "queue", "release", "--reason", "user")
	s.until("Release 2 entries? [y/N] ")
	atTerminal(t, h.dir, "queue", "hold", "1").ends(exitDone)
	if _, err := s.ours.WriteString("y\n"); err != nil {
		t.Fatal(err)
	}
	s.ends(exitDone)
	s.until("Released 2 entries (2 held): 3, 2.")

	// What moves on meanwhile is not changed, and nothing else is.
	atTerminal(t, h.dir, "queue", "hold", "2", "3").ends(exitDone)
	s = atTerminal(t, h.dir, "queue", "drop", "--reason", "user")
	s.until("Drop 3 entries? [y/N] ")
	atTerminal(t, h.dir, "queue", "drop", "2").ends(exitDone)
	if _, err := s.ours.WriteString("y\n"); err != nil {
		t.Fatal(err)
	}
	s.ends(exitUsage)
	s.until("something of it has changed meanwhile, so nothing is changed now")

	// A script at a terminal is asked nothing, and reads JSON alone.
	s = atTerminal(t, h.dir, "queue", "drop", "--reason", "user", "--json")
	s.ends(exitUsage)
	s.until("this would drop 2 entries")
	s = atTerminal(t, h.dir, "queue", "release", "--reason", "user", "--json")
	s.ends(exitDone)
	s.until(`"changed": 2,`)
	if said := s.text(); strings.Contains(said, "movie") || strings.Contains(said, "[y/N]") {
		t.Errorf("%q", said)
	}
}

// TestWatchGoesOnOverARestart, says so, and ends by Ctrl-C as by a wish.
func TestWatchGoesOnOverARestart(t *testing.T) {
	h := newHousehold(t)
	atTerminal(t, h.dir, "watch").ends(exitNotRunning)
	daemon := h.start("run")
	s := atTerminal(t, h.dir, "watch")
	s.until("needs you: ")
	h.do("", "add", "movie", "601")
	s.until("1  pending  movie 601\n")
	daemon.end(syscall.SIGTERM)
	s.until("  " + gone + "\n")
	daemon = h.start("run")
	h.do("", "add", "movie", "602")
	s.until("2  pending  movie 602\n")
	daemon.kill()
	h.start("run")
	h.do("", "queue", "hold", "2")
	s.until("2  held  user  movie 602\n")
	if said := s.text(); strings.Count(said, gone) != 2 || strings.Count(said, "movie 602") != 2 {
		t.Errorf("not each thing once:\n%s", said)
	}
	if _, err := s.ours.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	s.ends(exitDone)
}
