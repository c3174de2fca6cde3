package test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	secretKey = "sk_0123456789abcdef0123456789abcdef"
	publicKey = "pk_0123456789abcdef0123456789abcdef"
)

// instance is one installation of Filmspool in the machine, with a tracking
// service of its own.
type instance struct {
	*machine
	as      []string // puts a command into the hands of whoever it belongs to
	flags   []string // what every command of it takes
	manager []string // systemctl for its manager
	unit    string
	config  string // the folder of its configuration
	port    int    // of the tracking service
	program string // its path, if it is not the one that boot puts there
}

// TestServiceOnSystemd takes both kinds of service through their whole life.
func TestServiceOnSystemd(t *testing.T) {
	m := boot(t, nil)
	m.run("", "useradd", "--create-home", "kid")
	t.Run("user", func(t *testing.T) { testUser(t, m) })
	t.Run("system", func(t *testing.T) { testSystem(t, m) })
}

// testUser is a person's own service, handled from a shell that knows nothing
// of a session, as after su or sudo.
func testUser(t *testing.T, m *machine) {
	i := &instance{
		machine: &machine{t: t, leader: m.leader},
		as:      []string{"runuser", "-u", "kid", "--", "env", "HOME=/home/kid"},
		manager: []string{"systemctl", "--user", "-M", "kid@"},
		unit:    "/home/kid/.config/systemd/user/filmspool.service",
		config:  "/home/kid/.config/filmspool",
		port:    8101,
	}
	if _, err := i.try("", i.words("service", "install")...); err == nil || !strings.Contains(err.Error(), "loginctl enable-linger kid") {
		t.Errorf("without a manager for this person, install must say what to do: %v", err)
	}
	if _, err := i.try("", "test", "-e", i.unit); err == nil {
		t.Error("a failed install left its unit")
	}
	i.run("", "loginctl", "enable-linger", "kid")
	uid := i.run("", "id", "-u", "kid")
	eventually(t, "user manager", 30*time.Second, func() bool {
		_, err := i.try("", "systemctl", "is-active", "user@"+uid)
		return err == nil
	})
	i.life(func() {
		i.run("", "systemctl", "restart", "user@"+uid) // as after a boot
	})
}

// testSystem is the machine's service, handled by root and by a member of its
// group.
func testSystem(t *testing.T, m *machine) {
	i := &instance{
		machine: &machine{t: t, leader: m.leader},
		as:      []string{"env"},
		flags:   []string{"--system"},
		manager: []string{"systemctl"},
		unit:    "/etc/systemd/system/filmspool.service",
		config:  "/etc/filmspool",
		port:    8102,
	}
	i.life(func() {
		i.credential()
		i.run("", "systemctl", "restart", "filmspool.service")
		outsider := []string{"runuser", "-u", "kid", "--", program, "status", "--system"}
		if _, err := i.try("", outsider...); err == nil {
			t.Error("somebody outside the group was let in")
		}
		i.run("", "usermod", "-aG", "filmspool", "kid")
		eventually(t, "answer to a member of the group", 10*time.Second, func() bool {
			_, err := i.try("", outsider...)
			return err == nil
		})
		if got := i.run("", "stat", "-c", "%a %G", "/run/filmspool/control.json"); got != "640 filmspool" {
			t.Errorf("control.json: %s", got)
		}
	})
}

// life is what both kinds go through; reboot has to bring a running service
// back.
func (i *instance) life(reboot func()) {
	i.t.Helper()
	i.startTracker()
	i.filmspool("", "service", "install")
	i.filmspool("", "service", "install") // a second time changes nothing
	i.want("stopped")
	i.filmspool("", "service", "start")
	first := i.want("running")

	i.filmspool(secretKey+"\n", "login", "--key-stdin", "--base-url", fmt.Sprintf("http://127.0.0.1:%d/api/v1", i.port))
	i.filmspool("", "add", "movie", "603", "--json")
	i.delivered(1)

	i.run("", "kill", "-9", strconv.Itoa(first.PID))
	eventually(i.t, "restart after a kill", 30*time.Second, func() bool {
		s := i.status()
		return s.State == "running" && s.PID != first.PID
	})
	i.filmspool("", "add", "episode", "--show", "1396", "--season", "1", "--episode", "2", "--json")
	i.delivered(2)

	reboot()
	eventually(i.t, "service after a new start of its manager", 30*time.Second, func() bool { return i.status().State == "running" })
	i.filmspool("", "service", "stop")
	i.want("stopped")
	i.misconfigured()
	i.filmspool("", "service", "start")
	i.filmspool("", "service", "uninstall")
	i.filmspool("", "service", "uninstall") // a second time changes nothing
	i.gone()
	i.noKeyInTheJournal()
	i.delivered(2) // and nothing was sent twice on the way
}

// misconfigured: a wrong configuration fails at once and is not tried again
// and again.
func (i *instance) misconfigured() {
	i.t.Helper()
	i.run("", "sh", "-c", "mkdir -p "+i.config+" && echo 'no_such_setting = 1' >"+i.config+"/config.toml && chmod -R a+rX "+i.config)
	if out, err := i.try("", i.words("service", "start")...); err == nil {
		i.t.Errorf("started with a wrong configuration: %s", out)
	}
	if s := i.status(); s.State != "failed" || s.Restarts != 0 || !strings.Contains(s.Detail, "78") {
		i.t.Errorf("with a wrong configuration: %+v", s)
	}
	i.run("", "rm", i.config+"/config.toml")
}

// credential: a key in the machine's credential store reaches the service, and
// wins over one that somebody wants to log in with.
func (i *instance) credential() {
	i.t.Helper()
	i.run(secretKey+"\n", "sh", "-c", "install -d -m 700 /etc/credstore && cat >/etc/credstore/filmspool.key")
	i.run("", "systemctl", "restart", "filmspool.service")
	_, err := i.try(secretKey+"\n", i.words("login", "--key-stdin", "--base-url", fmt.Sprintf("http://127.0.0.1:%d/api/v1", i.port))...)
	if err == nil || !strings.Contains(err.Error(), "systemd credential") {
		i.t.Errorf("login does not name the stronger source of the key: %v", err)
	}
	i.run("", "rm", "/etc/credstore/filmspool.key")
}

// words is a filmspool command line in the right hands.
func (i *instance) words(args ...string) []string {
	words := append(append([]string{}, i.as...), cmp.Or(i.program, program))
	return append(append(words, args...), i.flags...)
}

// filmspool runs a command that has to succeed; when it does not, the
// service's log is shown too.
func (i *instance) filmspool(stdin string, args ...string) string {
	i.t.Helper()
	out, err := i.try(stdin, i.words(args...)...)
	if err != nil {
		log, _ := i.try("", "journalctl", "--no-pager", "--lines=60")
		i.t.Fatalf("%v\nThe journal:\n%s", err, log)
	}
	return out
}

// serviceStatus is what "service status --json" prints.
type serviceStatus struct {
	Installed bool
	State     string
	PID       int
	Restarts  int
	Detail    string
}

func (i *instance) status() serviceStatus {
	i.t.Helper()
	var s serviceStatus
	out, err := i.try("", i.words("service", "status", "--json")...)
	if jsonErr := json.Unmarshal([]byte(out), &s); jsonErr != nil {
		i.t.Fatalf("service status: %v, %v: %s", err, jsonErr, out)
	}
	return s
}

// want compares our word for the state with systemd's own.
func (i *instance) want(state string) serviceStatus {
	i.t.Helper()
	s := i.status()
	active := i.systemd("ActiveState")
	if s.State != state || (state == "running") != (active == "active") {
		i.t.Fatalf("service status says %q, systemd %q; want %q", s.State, active, state)
	}
	if enabled := i.systemd("UnitFileState"); enabled != "enabled" {
		i.t.Errorf("the unit is %q, not enabled", enabled)
	}
	return s
}

// systemd reads one property of the unit.
func (i *instance) systemd(property string) string {
	i.t.Helper()
	return i.run("", append(append([]string{}, i.manager...), "show", "--value", "-p", property, "filmspool.service")...)
}

// gone looks for what an uninstall may have forgotten.
func (i *instance) gone() {
	i.t.Helper()
	if s := i.status(); s.Installed || s.State != "not installed" {
		i.t.Errorf("after uninstall: %+v", s)
	}
	if load := i.systemd("LoadState"); load != "not-found" {
		i.t.Errorf("systemd still knows the unit: %s", load)
	}
	if left, err := i.try("", "pgrep", "-af", program+" run"); err == nil {
		i.t.Errorf("still running: %s", left)
	}
	left, _ := i.try("", "find", "/etc/systemd", "/run/filmspool", "/home/kid/.config/systemd", "-name", "*filmspool*")
	if left != "" {
		i.t.Errorf("left behind: %s", left)
	}
}

// noKeyInTheJournal looks at all that the service wrote. (The tracking
// service is given its key as an argument, and systemd notes that.)
func (i *instance) noKeyInTheJournal() {
	i.t.Helper()
	log := i.run("", "journalctl", "--no-pager", "--output=verbose", "SYSLOG_IDENTIFIER=filmspool")
	for line := range strings.Lines(log) {
		if strings.Contains(line, secretKey) && !strings.Contains(line, "tracker") {
			i.t.Errorf("the key stands in the journal: %s", line)
		}
	}
	if !strings.Contains(log, "ready") {
		i.t.Errorf("the journal has nothing of the service:\n%s", log)
	}
}

// startTracker starts the sandbox that stands for the tracking service.
func (i *instance) startTracker() {
	i.t.Helper()
	name := fmt.Sprintf("tracker%d", i.port)
	i.run("", "systemd-run", "--unit="+name, "-p", "DynamicUser=yes", "-p", "StateDirectory="+name, "--",
		program, "sandbox", "--listen", fmt.Sprintf("127.0.0.1:%d", i.port), "--state-dir", "/var/lib/"+name,
		"--secret-key", secretKey, "--public-key", publicKey)
	eventually(i.t, "tracking service", 30*time.Second, func() bool {
		_, err := i.history()
		return err == nil
	})
}

// history is what the tracking service has recorded.
func (i *instance) history() ([]json.RawMessage, error) {
	request, err := http.NewRequestWithContext(i.t.Context(), http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/_sandbox/records", i.port), nil)
	if err != nil {
		return nil, err
	}
	response, err := i.client().Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the tracking service answers %s", response.Status)
	}
	var records struct{ History []json.RawMessage }
	err = json.NewDecoder(response.Body).Decode(&records)
	return records.History, err
}

// delivered waits until the service has exactly n viewings.
func (i *instance) delivered(n int) {
	i.t.Helper()
	var last []json.RawMessage
	eventually(i.t, fmt.Sprintf("delivery of viewing %d", n), 60*time.Second, func() bool {
		var err error
		last, err = i.history()
		return err == nil && len(last) >= n
	})
	if len(last) != n {
		i.t.Fatalf("the service has %d viewings, want %d: %s", len(last), n, last)
	}
}
