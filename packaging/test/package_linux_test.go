package test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// packaged is where a package puts the program.
const packaged = "/usr/bin/filmspool"

// waiting is how many viewings wait while the package is upgraded.
const waiting = 3

// TestDebOnSystemd takes the real package through its life, while one person
// and the machine each have a service from it.
func TestDebOnSystemd(t *testing.T) {
	older, newer := os.Getenv("FILMSPOOL_OLD_DEB"), os.Getenv("FILMSPOOL_DEB")
	if older == "" || newer == "" {
		t.Skip("FILMSPOOL_OLD_DEB or FILMSPOOL_DEB is not set; see the package comment")
	}
	m := boot(t, map[string]string{"/srv/old.deb": older, "/srv/new.deb": newer})
	m.run("", "useradd", "--create-home", "kid")
	m.run("", "loginctl", "enable-linger", "kid")
	kid, all := households(m)
	both := []*household{kid, all}

	said := m.apt("install", "/srv/old.deb")
	for _, i := range both {
		if !strings.Contains(said, i.start) {
			t.Errorf("the package does not say %q: %s", i.start, said)
		}
		i.freshlyInstalled()
		i.begin()
	}
	m.guest()
	before := map[string]int{}
	for _, i := range both {
		before[i.unit] = i.status().PID
		i.fill()
	}
	kid.place(1) // which has as many waiting

	m.apt("install", "/srv/new.deb")
	for _, i := range both {
		i.upgraded(before[i.unit])
		i.startTracker() // with the records that it had
		i.delivered(waiting)
	}
	kid.migrated()
	kid.downgraded()

	said = m.apt("remove", "filmspool")
	for _, named := range []string{"/var/lib/private/filmspool", "/etc/filmspool", ".local/state/filmspool", ".config/filmspool"} {
		if !strings.Contains(said, named) {
			t.Errorf("the removal does not name %s: %s", named, said)
		}
	}
	for _, i := range both {
		i.removed()
	}
	said = m.apt("install", "/srv/new.deb")
	for _, i := range both {
		if !strings.Contains(said, i.idle) {
			t.Errorf("the package does not say %q: %s", i.idle, said)
		}
		i.again()
	}
	m.run("", "systemctl", "--global", "enable", "filmspool.service")

	said = m.apt("purge", "filmspool")
	for _, named := range []string{"/var/lib/private/filmspool", "/etc/filmspool", " rm -r ~/.local/state/filmspool ~/.config/filmspool"} {
		if !strings.Contains(said, named) {
			t.Errorf("the purge does not name %s: %s", named, said)
		}
	}
	for _, i := range both {
		i.removed()
	}
	if left := m.run("", "find", "/etc/systemd", "/usr/bin", "/usr/lib", "/usr/share", "/var/lib/systemd", "-name", "*filmspool*"); left != "" {
		t.Errorf("the purge left %s", left)
	}
}

// apt does what README.md has a person type.
func (m *machine) apt(verb, what string) string {
	m.t.Helper()
	said := m.run("", "env", "DEBIAN_FRONTEND=noninteractive", "apt", "-y", "-o", "Dpkg::Use-Pty=0", verb, what)
	m.t.Logf("apt %s %s\n%s", verb, what, said)
	return said
}

// household is an instance that a package has brought.
type household struct {
	*instance
	listen string
	state  string // its folder
	start  string // how the package says that it is started
	idle   string // and how again, where it does not run
}

// households are those of a person and of the machine.
func households(m *machine) (kid, all *household) {
	kid = &household{
		instance: &instance{
			machine: m, as: []string{"runuser", "-u", "kid", "--", "env", "HOME=/home/kid"}, program: packaged,
			manager: []string{"systemctl", "--user", "-M", "kid@"}, unit: "/usr/lib/systemd/user/filmspool.service",
			config: "/home/kid/.config/filmspool", port: 8103,
		},
		listen: "127.0.0.1:43456", state: "/home/kid/.local/state/filmspool",
		start: "choose Filmspool in your menu, or type:\n    filmspool open --start\n",
		idle:  "Filmspool does not run for kid now. To start it, or to see why not, they type:\n    filmspool service start",
	}
	all = &household{
		instance: &instance{
			machine: m, as: []string{"env"}, flags: []string{"--system"}, program: packaged,
			manager: []string{"systemctl"}, unit: "/usr/lib/systemd/system/filmspool.service",
			config: "/etc/filmspool", port: 8104,
		},
		listen: "127.0.0.1:43457", state: "/var/lib/private/filmspool",
		start: "sudo filmspool --system service install && sudo filmspool --system service start\n",
		idle:  "Filmspool does not run for the whole machine now. To start it, or to see why not:\n    sudo filmspool --system service start",
	}
	return kid, all
}

// ctl is systemctl of the right manager.
func (h *household) ctl(args ...string) (string, error) {
	out, err := h.try("", append(append([]string{}, h.manager...), args...)...)
	return strings.TrimSpace(out), err
}

// freshlyInstalled: a package starts nothing by itself.
func (h *household) freshlyInstalled() {
	h.t.Helper()
	if got, _ := h.ctl("is-enabled", "filmspool.service"); got != "disabled" {
		h.t.Errorf("%v: freshly installed, the service is %q", h.manager, got)
	}
	if got := h.systemd("FragmentPath"); got != h.unit && "/usr"+got != h.unit {
		h.t.Errorf("systemd reads %q, not %s", got, h.unit)
	}
	if got := h.run("", "getent", "group", "filmspool"); got == "" {
		h.t.Error("there is no group filmspool")
	}
}

// begin configures and starts it as the package's own words say.
func (h *household) begin() {
	h.t.Helper()
	h.startTracker()
	h.run("", append(append([]string{}, h.as...), "mkdir", "-p", h.config)...)
	h.run(fmt.Sprintf("listen = %q\n", h.listen), "sh", "-c", "cat >"+h.config+"/config.toml && chmod -R a+rX "+h.config)
	if len(h.flags) == 0 {
		h.fromTheMenu()
	}
	// Either way of saying it is the other's equal.
	if len(h.flags) > 0 {
		h.filmspool("", "service", "install")
		h.filmspool("", "service", "start")
	} else if out, err := h.ctl("enable", "--now", "filmspool.service"); err != nil {
		h.t.Fatalf("%v\n%s", err, out)
	}
	h.want("running")
	if got := h.systemd("FragmentPath"); got != h.unit && "/usr"+got != h.unit {
		h.t.Errorf("the package's unit is hidden by %q", got)
	}
	h.filmspool(secretKey+"\n", "login", "--key-stdin", "--base-url", fmt.Sprintf("http://127.0.0.1:%d/api/v1", h.port))
}

// fill leaves viewings waiting: their service is away.
func (h *household) fill() {
	h.t.Helper()
	h.run("", "systemctl", "stop", fmt.Sprintf("tracker%d.service", h.port))
	for id := range waiting {
		h.filmspool("", "add", "movie", fmt.Sprint(603+id), "--json")
	}
	h.waits(waiting)
}

// waits wants so many viewings that have not been delivered.
func (h *household) waits(n int) {
	h.t.Helper()
	var s struct {
		Counts struct{ Pending, Sending int }
	}
	out, _ := h.try("", h.words("status", "--json")...) // its exit code says that the service is away
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		h.t.Fatalf("status: %v: %s", err, out)
	}
	if s.Counts.Pending+s.Counts.Sending != n {
		h.t.Errorf("%d viewings wait, want %d: %s", s.Counts.Pending+s.Counts.Sending, n, out)
	}
}

// upgraded: another process of the new program has the old queue.
func (h *household) upgraded(from int) {
	h.t.Helper()
	eventually(h.t, "service after the upgrade", 30*time.Second, func() bool {
		s := h.status()
		return s.State == "running" && s.PID != from && s.PID != 0
	})
	request, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, "http://"+h.listen+"/v1/health", nil)
	if err != nil {
		h.t.Fatal(err)
	}
	response, err := h.client().Do(request)
	if err != nil {
		h.t.Fatal(err)
	}
	defer response.Body.Close()
	var health struct{ Version string }
	if err := json.NewDecoder(response.Body).Decode(&health); err != nil {
		h.t.Fatal(err)
	}
	if own := h.run("", packaged, "version"); !strings.Contains(own, " "+health.Version+" ") {
		h.t.Errorf("%s is what runs, %s what is installed", health.Version, own)
	}
	h.waits(waiting)
}

// removed: nothing runs, and everything that is the user's is there.
func (h *household) removed() {
	h.t.Helper()
	if got := h.systemd("ActiveState"); got == "active" {
		h.t.Errorf("%v: it still runs", h.manager)
	}
	for _, kept := range []string{h.state + "/filmspool.db", h.config + "/config.toml"} {
		if _, err := h.try("", "test", "-s", kept); err != nil {
			h.t.Errorf("%s is gone", kept)
		}
	}
}

// again: installed once more it is enabled as before, and goes on.
func (h *household) again() {
	h.t.Helper()
	if got, _ := h.ctl("is-enabled", "filmspool.service"); got != "enabled" {
		h.t.Errorf("%v: installed again, the service is %q", h.manager, got)
	}
	if out, err := h.ctl("start", "filmspool.service"); err != nil {
		h.t.Fatalf("%v\n%s", err, out)
	}
	h.want("running")
	h.waits(0)
	h.delivered(waiting)
}
