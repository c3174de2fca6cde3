package test

import (
	"fmt"
	"strings"
)

// fromTheMenu starts a person's own service by the entry in the menu, and takes it
// back: what the entry does is enough to come from an installed package to the page.
func (h *household) fromTheMenu() {
	h.t.Helper()
	entry := h.run("", "cat", "/usr/share/applications/filmspool.desktop")
	if !strings.Contains(entry, "\nExec=filmspool open --start\n") || h.run("", "ls", "/usr/share/icons/hicolor/scalable/apps/filmspool.svg") == "" {
		h.t.Errorf("the entry in the menu is %s", entry)
	}
	if said := h.filmspool("", "open", "--start", "--print"); !strings.HasPrefix(said, "http://filmspool-") {
		h.t.Errorf("opened from the menu, it says %q", said)
	}
	h.want("running")
	h.filmspool("", "service", "uninstall")
	h.freshlyInstalled()
}

// guest is somebody who may not speak to the machine's service, which runs: they get
// to know what to do, and no second service.
func (m *machine) guest() {
	m.t.Helper()
	m.run("", "useradd", "--create-home", "guest")
	out, err := m.try("", "runuser", "-u", "guest", "--", "env", "HOME=/home/guest", packaged, "open", "--start", "--print")
	said := fmt.Sprint(out, err)
	if err == nil || !strings.Contains(said, "you may not control this instance") || !strings.Contains(said, "usermod -aG filmspool $USER") {
		m.t.Errorf("a guest opens the page: %s", said)
	}
	if left, _ := m.try("", "find", "/home/guest", "-name", "*filmspool*"); left != "" {
		m.t.Errorf("a guest got %s", left)
	}
}
