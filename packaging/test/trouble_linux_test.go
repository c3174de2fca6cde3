package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestTroubleOnSystemd has two instances on one machine, and does to them what
// happens to services: they meet, are killed, hang, fail again and again, and
// the machine is switched off.
func TestTroubleOnSystemd(t *testing.T) {
	tar, binary := os.Getenv("FILMSPOOL_NSPAWN_ROOT"), os.Getenv("FILMSPOOL_BINARY")
	if tar == "" || binary == "" {
		t.Skip("FILMSPOOL_NSPAWN_ROOT or FILMSPOOL_BINARY is not set; see the package comment")
	}
	root := unpack(t, tar, binary)
	m := start(t, root, systemdIsUp, "--volatile=no")
	m.run("", "useradd", "--create-home", "kid")
	m.linger("kid")
	own, all := userInstance(t, m, 8121), systemInstance(t, m, 8122)
	meet(own, all)
	for _, i := range []*instance{own, all} {
		i.startTracker()
		i.filmspool(secretKey+"\n", "login", "--key-stdin", "--base-url", i.tracker())
		i.filmspool("", "add", "movie", "603")
		i.delivered(1)
		i.killed()
		i.hung()
		i.failing()
	}
	member(t, all)
	switchedOff(m, root, own, all)
}

// tracker is the address of its tracking service.
func (i *instance) tracker() string { return fmt.Sprintf("http://127.0.0.1:%d/api/v1", i.port) }

// stateDir is where it keeps everything.
func (i *instance) stateDir() string {
	if len(i.flags) > 0 {
		return "/var/lib/private/filmspool"
	}
	return kidsHome + "/.local/state/filmspool"
}

// meet: of two that want the same port the second says who has it, and is not
// started again and again. Each has a database of its own.
func meet(own, all *instance) {
	t := own.t
	all.filmspool("", "service", "install")
	all.filmspool("", "service", "start")
	own.filmspool("", "service", "install")
	all.want("running")
	if _, err := own.try("", append(own.manager, "start", "filmspool.service")...); err == nil {
		t.Error("two instances run on one port")
	}
	if s := own.status(); s.State != "failed" || s.Restarts != 0 || !strings.Contains(s.Detail, "held by") {
		t.Errorf("the second of two: %+v", s)
	}
	log := own.run("", "journalctl", "--no-pager", "_UID="+own.run("", "id", "-u", "kid"), "SYSLOG_IDENTIFIER=filmspool")
	// Whose process that is, a person cannot see of another's.
	if !strings.Contains(log, "127.0.0.1:43456 is held by another filmspool") || !strings.Contains(log, `listen = "127.0.0.1:43457"`) {
		t.Errorf("the journal does not say who has the port and what to do:\n%s", log)
	}
	all.run("listen = \"127.0.0.1:43457\"\n", "sh", "-c", "mkdir -p /etc/filmspool && cat >/etc/filmspool/config.toml")
	all.filmspool("", "service", "restart")
	own.filmspool("", "service", "start")
	for _, i := range []*instance{own, all} {
		i.want("running")
		if open := i.run("", "sh", "-c", "ls -l /proc/"+strconv.Itoa(i.status().PID)+"/fd"); !strings.Contains(open, i.stateDir()+"/filmspool.db") {
			t.Errorf("%s is not what is open: %s", i.stateDir(), open)
		}
	}
}

// killed: it is back after the pause that its unit sets.
func (i *instance) killed() {
	i.t.Helper()
	first := i.status()
	began := time.Now()
	i.run("", "kill", "-9", strconv.Itoa(first.PID))
	eventually(i.t, "restart after a kill", 30*time.Second, func() bool {
		s := i.status()
		return s.State == "running" && s.PID != first.PID
	})
	took := time.Since(began)
	i.t.Logf("%v: ready again %v after kill -9 (RestartSec=5)", i.manager, took.Round(10*time.Millisecond))
	if took > 10*time.Second {
		i.t.Errorf("that took %v", took)
	}
}

// hung: as long as it moves it gives signs of life; stopped, it is killed and
// started again.
func (i *instance) hung() {
	i.t.Helper()
	i.dropIn("WatchdogSec=1", "TimeoutStopSec=1", "RestartSec=100ms")
	i.filmspool("", "service", "restart")
	first := i.want("running")
	for sign := range 3 {
		last := i.systemd("WatchdogTimestampMonotonic")
		eventually(i.t, fmt.Sprintf("sign of life %d", sign+1), 10*time.Second, func() bool {
			return i.systemd("WatchdogTimestampMonotonic") != last
		})
	}
	if s := i.status(); s.PID != first.PID {
		i.t.Errorf("a service that moved was started again: %+v, %+v", first, s)
	}
	i.run("", "kill", "-STOP", strconv.Itoa(first.PID))
	began := time.Now()
	eventually(i.t, "restart of what hung", 30*time.Second, func() bool {
		s := i.status()
		return s.State == "running" && s.PID != first.PID && s.Restarts > 0
	})
	i.t.Logf("%v: ready again %v after it hung (WatchdogSec=1)", i.manager, time.Since(began).Round(10*time.Millisecond))
	if log := i.run("", "journalctl", "--no-pager", "--lines=1000"); !strings.Contains(log, "Watchdog timeout") {
		i.t.Errorf("it was not the watchdog:\n%s", log)
	}
	i.dropIn()
}

// failing: with something else in the place of its database it never runs; that
// is told, counted and given up, and is over once it is mended.
func (i *instance) failing() {
	i.t.Helper()
	i.dropIn("RestartSec=200ms")
	i.filmspool("", "service", "stop")
	i.run("", "sh", "-c", `cd "$0" && mkdir aside && mv filmspool.db* aside && mkdir filmspool.db && chown -R --reference=. .`, i.stateDir())
	if out, err := i.try("", i.words("service", "start")...); err == nil {
		i.t.Errorf("it started on a folder: %s", out)
	}
	most, seen := 0, map[string]bool{}
	eventually(i.t, "end of the attempts", 60*time.Second, func() bool {
		s := i.status()
		most, seen[s.State] = max(most, s.Restarts), true
		return s.State == "failed"
	})
	if seen["running"] || !seen["restarting"] || most < 3 {
		i.t.Errorf("of a service that fails again and again, the states %v were told, and %d restarts", seen, most)
	}
	out, _ := i.try("", i.words("service", "status")...) // exit code 3
	i.t.Logf("%v: service status says:\n%s", i.manager, out)
	if want := fmt.Sprintf("failed\nit was started again %d times, and ended each time\n", most); !strings.HasPrefix(out, want) {
		i.t.Errorf("service status does not say %q", want)
	}
	i.run("", "sh", "-c", `cd "$0" && rm -r filmspool.db* && mv aside/* . && rmdir aside`, i.stateDir())
	i.dropIn()
	i.filmspool("", "service", "start")
	i.want("running")
}

// dropIn changes the unit until it is called again; without lines it is as
// it was.
func (i *instance) dropIn(lines ...string) {
	i.t.Helper()
	file := i.unit + ".d/test.conf"
	if len(lines) == 0 {
		i.run("", "rm", file)
	} else {
		i.run("[Service]\n"+strings.Join(lines, "\n")+"\n", "sh", "-c", `mkdir -p "$(dirname "$0")" && cat >"$0"`, file)
	}
	i.ctl("daemon-reload")
}

// member: whoever is in the group may do with the machine's instance what its
// owner may; others are told how to get there.
func member(t *testing.T, all *instance) {
	kid := *all
	kid.as = []string{"runuser", "-u", "kid", "--", "env", "HOME=" + kidsHome}
	for _, words := range [][]string{{"status"}, {"pair"}, {"add", "movie", "604"}} {
		_, err := kid.try("", kid.words(words...)...)
		if err == nil || !strings.Contains(err.Error(), "usermod -aG filmspool") {
			t.Errorf("%q, from outside of the group: %v", words, err)
		}
	}
	kid.run("", "usermod", "-aG", "filmspool", "kid")
	if out := kid.filmspool("", "pair", "--json"); !strings.Contains(out, `"code"`) {
		t.Errorf("pair: %s", out)
	}
	kid.filmspool(secretKey+"\n", "login", "--key-stdin", "--base-url", kid.tracker())
	kid.filmspool("", "add", "movie", "604", "--json")
	kid.filmspool("", "status", "--json")
	kid.delivered(2)
}

// switchedOff: what waits is still there after an orderly end of the machine,
// and leaves after its next start without anybody's help.
func switchedOff(m *machine, root string, both ...*instance) {
	t := m.t
	for _, i := range both {
		i.run("", "systemctl", "stop", fmt.Sprintf("tracker%d.service", i.port))
		i.filmspool("", "add", "episode", "--show", "1396", "--season", "1", "--episode", "2")
		i.filmspool("", "add", "episode", "--show", "1396", "--season", "1", "--episode", "3")
	}
	before := m.leader
	m.run("", "systemctl", "poweroff")
	eventually(t, "end of the machine", 60*time.Second, func() bool {
		_, err := os.Stat(filepath.Join("/proc", before))
		return err != nil
	})
	m.off()
	began := time.Now()
	again := start(t, root, systemdIsUp, "--volatile=no")
	had := []int{1, 2}
	for n, i := range both {
		i.machine = &machine{t: t, leader: again.leader}
		eventually(t, "service after a new start of the machine", 30*time.Second, func() bool { return i.status().State == "running" })
		t.Logf("%v: ready %v after the machine's start", i.manager, time.Since(began).Round(10*time.Millisecond))
		i.startTracker() // with the records that it had
		i.delivered(had[n] + 2)
	}
}
