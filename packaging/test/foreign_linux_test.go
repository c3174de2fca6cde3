package test

import (
	"os"
	"strings"
	"testing"
)

// packageTool is another distribution's tool, on a Debian: none of what it
// knows is installed, so that it is told not to look for what a package needs.
type packageTool struct {
	older, newer    string // the variables that name the packages
	install, remove []string
}

// TestRpmOnSystemd takes the package for Fedora and openSUSE through its life.
func TestRpmOnSystemd(t *testing.T) {
	packageTool{
		older: "FILMSPOOL_OLD_RPM", newer: "FILMSPOOL_RPM",
		install: []string{"rpm", "--nodeps", "-U"},
		remove:  []string{"rpm", "-e", "filmspool"},
	}.life(t)
}

// TestPacmanOnSystemd takes the package for Arch Linux through its life.
func TestPacmanOnSystemd(t *testing.T) {
	packageTool{
		older: "FILMSPOOL_OLD_ARCH", newer: "FILMSPOOL_ARCH",
		install: []string{"pacman", "--noconfirm", "-dd", "-U"},
		remove:  []string{"pacman", "--noconfirm", "-R", "filmspool"},
	}.life(t)
}

// life is that of TestDebOnSystemd, without what only apt and dpkg do.
func (p packageTool) life(t *testing.T) {
	t.Helper()
	older, newer := os.Getenv(p.older), os.Getenv(p.newer)
	if older == "" || newer == "" {
		t.Skipf("%s or %s is not set; see the package comment", p.older, p.newer)
	}
	const first, second = "/srv/old.pkg.tar.zst", "/srv/new.pkg.tar.zst" // rpm minds no name
	m := boot(t, map[string]string{first: older, second: newer})
	m.run("", "ln", "-sf", "bash", "/usr/bin/sh") // as there; scripts may say so
	m.run("", "useradd", "--create-home", "kid")
	m.run("", "loginctl", "enable-linger", "kid")
	kid, all := households(m)
	both := []*household{kid, all}

	said := p.run(m, p.install, first)
	before := map[string]int{}
	for _, i := range both {
		if !strings.Contains(said, i.start) {
			t.Errorf("the package does not say %q: %s", i.start, said)
		}
		i.freshlyInstalled()
		i.begin()
		before[i.unit] = i.status().PID
		i.fill()
	}

	p.run(m, p.install, second)
	for _, i := range both {
		i.upgraded(before[i.unit])
		i.startTracker()
		i.delivered(waiting)
	}

	said = p.run(m, p.remove)
	for _, named := range []string{"/var/lib/private/filmspool", "/etc/filmspool", ".local/state/filmspool", ".config/filmspool"} {
		if !strings.Contains(said, named) {
			t.Errorf("the removal does not name %s: %s", named, said)
		}
	}
	for _, i := range both {
		i.removed()
	}
	if left := m.run("", "find", "/etc/systemd", "/usr/bin", "/usr/lib", "/usr/share", "-name", "*filmspool*"); left != "" {
		t.Errorf("the removal left %s", left)
	}
}

// run is one call of the tool, with what it prints.
func (p packageTool) run(m *machine, words []string, more ...string) string {
	m.t.Helper()
	words = append(append([]string{}, words...), more...)
	said := m.run("", "sh", "-c", strings.Join(words, " ")+" 2>&1")
	m.t.Logf("%s\n%s", strings.Join(words, " "), said)
	if strings.Contains(strings.ToLower(said), "warning") {
		m.t.Error("it warns")
	}
	return said
}
