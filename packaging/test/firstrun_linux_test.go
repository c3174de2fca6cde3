package test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What a desktop has beside Filmspool: the tool that opens files, and a browser. This
// browser notes what it is told to open, for the one that runs beside the machine.
const (
	opener   = "/usr/bin/xdg-open"
	browser  = "/srv/browser"
	told     = "/home/kid/told"
	menu     = "/home/kid/menu"
	newcomer = "../../connector/extension/test/browser/newcomer.js"
)

// TestFirstRunFromDeb has root install the package, and somebody else choose
// Filmspool in their menu. By the page alone they come to a delivered episode, in a
// real Chromium with the real extension.
func TestFirstRunFromDeb(t *testing.T) {
	deb := os.Getenv("FILMSPOOL_DEB")
	if deb == "" {
		t.Skip("FILMSPOOL_DEB is not set; see the package comment")
	}
	wants(t, "chromium", "xdg-open")
	m := boot(t, map[string]string{"/srv/new.deb": deb, opener: opener})
	m.run("", "chmod", "755", opener)
	m.run("#!/bin/sh\nprintf '%s\\n' \"$1\" >>"+told+"\n", "sh", "-c", "cat >"+browser+" && chmod 755 "+browser)
	m.run("", "useradd", "--create-home", "kid")
	kid, _ := households(m)
	kid.startTracker()
	screen := m.besideABrowser(kid.port)
	m.apt("install", "/srv/new.deb")

	kid.logsIn()
	kid.chooses("filmspool")
	screen.open(filepath.Join("/proc", m.leader, "root", kid.told()))
	screen.hear("delivered")
	screen.leave()
	kid.want("running")
	kid.oneEpisode()

	m.run("", "loginctl", "terminate-user", "kid")
	eventually(t, "end of the session", 30*time.Second, func() bool {
		_, err := m.try("", "pgrep", "-u", "kid")
		return err != nil
	})
	kid.logsIn()
	eventually(t, "start with the login", 30*time.Second, func() bool { return kid.status().State == "running" })
	kid.oneEpisode()
}

// wants skips the test where this computer lacks one of these programs, or what
// drives the browser.
func wants(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range append(programs, "node") {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%v: install the package that has it", err)
		}
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(newcomer), "../node_modules/playwright-core")); err != nil {
		t.Skip("what drives a browser is missing: type npm ci in connector/extension/test")
	}
}

// logsIn opens a session as a login screen does. In it runs a menu, which starts
// what it is told to, as the menus of desktops do: without a terminal.
func (h *household) logsIn() {
	h.t.Helper()
	const waits = `rm -f menu; mkfifo menu; while read -r entry; do setsid sh -c "exec $entry" </dev/null >>said 2>&1 & done <>menu`
	h.run("", "systemd-run", "--collect", "--unit=desktop", "-p", "User=kid", "-p", "PAMName=login", "-p", "WorkingDirectory=/home/kid",
		"-p", "Environment=XDG_SESSION_TYPE=wayland XDG_SESSION_CLASS=user BROWSER="+browser, "--", "sh", "-c", waits)
	eventually(h.t, "session", 30*time.Second, func() bool {
		out, _ := h.try("", append(h.as, "XDG_RUNTIME_DIR=/run/user/"+h.run("", "id", "-u", "kid"), "systemctl", "--user", "is-system-running")...)
		_, err := h.try("", "test", "-p", menu)
		return err == nil && (strings.HasPrefix(out, "running") || strings.HasPrefix(out, "degraded"))
	})
}

// chooses takes that entry of the menu, and does what the entry says.
func (h *household) chooses(entry string) {
	h.t.Helper()
	text := h.run("", "cat", "/usr/share/applications/"+entry+".desktop")
	_, command, found := strings.Cut(text, "\nExec=")
	command, _, _ = strings.Cut(command, "\n")
	if !found || strings.Contains(command, "%") || !strings.Contains(text, "\nTerminal=false\n") {
		h.t.Fatalf("the entry in the menu is %s", text)
	}
	h.run(command+"\n", "sh", "-c", "cat >"+menu)
}

// told is what the browser is told to open.
func (h *household) told() (name string) {
	h.t.Helper()
	h.t.Cleanup(func() {
		if h.t.Failed() {
			said, _ := os.ReadFile(filepath.Join("/proc", h.leader, "root/home/kid/said"))
			h.t.Logf("what was chosen in the menu said:\n%s", said)
		}
	})
	eventually(h.t, "browser that is told what to open", time.Minute, func() bool {
		text, err := h.try("", "cat", told)
		name = strings.TrimSpace(text)
		return err == nil && name != ""
	})
	return name
}

// oneEpisode is all that the tracking service has.
func (i *instance) oneEpisode() {
	i.t.Helper()
	i.delivered(1)
	history, err := i.history()
	if err != nil {
		i.t.Fatal(err)
	}
	var one struct {
		Type                                  string
		TVShowID, SeasonNumber, EpisodeNumber int
	}
	if err := json.Unmarshal(history[0], &one); err != nil || one.Type != "episode" || one.TVShowID != 1396 || one.SeasonNumber != 1 || one.EpisodeNumber != 2 {
		i.t.Errorf("the service has %s: %v", history[0], err)
	}
}

// screen is somebody at a browser of this computer, in the machine's network.
type screen struct {
	t     *testing.T
	cmd   *exec.Cmd
	says  *bufio.Scanner
	hears io.Writer
}

// besideABrowser starts the browser, and waits until it is there. Whoever sits there
// has a key for the tracking service at that port.
func (m *machine) besideABrowser(port int) *screen {
	m.t.Helper()
	cmd := exec.CommandContext(m.t.Context(), "nsenter", "-n", "-t", m.leader, "node", newcomer, fmt.Sprintf("http://127.0.0.1:%d", port), secretKey)
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(unix.SIGTERM) } // it closes the browser then
	cmd.WaitDelay = 30 * time.Second
	says, err := cmd.StdoutPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	hears, err := cmd.StdinPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _, _ = hears.Close(), cmd.Wait() })
	s := &screen{t: m.t, cmd: cmd, says: bufio.NewScanner(says), hears: hears}
	s.hear("ready")
	return s
}

// hear waits for that line.
func (s *screen) hear(line string) {
	s.t.Helper()
	if !s.says.Scan() || s.says.Text() != line {
		s.t.Fatalf("at the browser it says %q, not %q", s.says.Text(), line)
	}
}

// leave waits until the browser is closed.
func (s *screen) leave() {
	s.t.Helper()
	if err := s.cmd.Wait(); err != nil {
		s.t.Error(err)
	}
}

// open has the browser open a copy of that file: a browser does not see which kind of
// file it is where the file lies beyond its own root folder.
func (s *screen) open(name string) {
	s.t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		s.t.Fatal(err)
	}
	into := filepath.Join(s.t.TempDir(), filepath.Base(name))
	if err := os.WriteFile(into, text, 0o600); err != nil {
		s.t.Fatal(err)
	}
	if _, err := fmt.Fprintln(s.hears, into); err != nil {
		s.t.Fatal(err)
	}
}
