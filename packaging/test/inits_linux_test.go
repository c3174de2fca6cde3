package test

import (
	"cmp"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// initSystem is a service manager other than systemd.
type initSystem struct {
	root     string   // the variable that names its root file system
	shape    string   // makes that one bootable, in a shell
	up       []string // prints level once the machine is up
	level    string
	enabled  string // prints what starts at boot
	respawns bool   // brings back what was killed
}

// TestServiceOnOpenRC has the program install itself where OpenRC starts
// things, as on Alpine Linux.
func TestServiceOnOpenRC(t *testing.T) {
	initSystem{
		root: "FILMSPOOL_OPENRC_ROOT",
		// Debian's scripts of OpenRC want others, which only its init has.
		shape: "ln -s openrc-init usr/sbin/init && rm etc/runlevels/sysinit/hwclock.sh etc/runlevels/sysinit/procps",
		up:    []string{"rc-status", "-r"}, level: "default", enabled: "rc-update show default", respawns: true,
	}.life(t)
}

// TestServiceOnSysV does so under the oldest init that is left.
func TestServiceOnSysV(t *testing.T) { sysV().life(t) }

func sysV() initSystem {
	return initSystem{
		root: "FILMSPOOL_SYSV_ROOT", shape: "true",
		up: []string{"runlevel"}, level: "N 2", enabled: "ls /etc/rc2.d",
	}
}

// life is that of the service from its installation, over a crash and a new
// start of the machine, to its removal.
func (s initSystem) life(t *testing.T) {
	t.Helper()
	tar, binary := os.Getenv(s.root), os.Getenv("FILMSPOOL_BINARY")
	if tar == "" || binary == "" {
		t.Skipf("%s or FILMSPOOL_BINARY is not set; see the package comment", s.root)
	}
	root := unpack(t, tar, binary)
	shape := exec.CommandContext(t.Context(), "sh", "-c", s.shape)
	shape.Dir = root
	must(t, shape)
	i := s.boot(t, root)

	i.refuses("--system", "service", "install") // one person's own, which only systemd has
	i.says(3, "not installed", "--system", "service", "status")
	i.refuses("filmspool --system service install", "--system", "service", "start")
	i.says(0, "installed", "--system", "service", "install")
	i.says(0, "installed", "--system", "service", "install")
	i.says(3, "stopped", "--system", "service", "status")
	i.enabled(s, true)
	first := i.started()
	i.filmspool("", "add", "movie", "603", "--json")
	i.crash(s, first)
	i.run("", "truncate", "-s", "6M", "/var/log/filmspool.log") // as much as years, or strangers, write
	i.says(0, "restarted", "--system", "service", "restart")
	i.running()
	i.waits(1)
	i.run("", "sh", "-c", "[ $(stat -c %s /var/log/filmspool.log) -lt 5242880 ]")
	i.says(0, "ready", "--system", "service", "logs")

	i.off()
	i = s.boot(t, root)
	i.running()
	i.waits(1)
	i.says(0, "stopped", "--system", "service", "stop")
	i.says(0, "stopped", "--system", "service", "stop")
	i.nothingRuns()
	i.started()
	i.says(0, "removed", "--system", "service", "uninstall")
	i.says(0, "removed", "--system", "service", "uninstall")
	i.nothingRuns()
	i.enabled(s, false)
	i.says(3, "not installed", "--system", "service", "status")
	if left := i.run("", "sh", "-c", "find /etc /run -name '*filmspool*' ! -path /etc/filmspool"); left != "" {
		t.Errorf("left behind: %s", left)
	}
	i.run("", "test", "-s", "/var/lib/filmspool/filmspool.db")
}

// inited is the instance of a machine without systemd.
type inited struct{ *household }

func (s initSystem) boot(t *testing.T, root string) inited {
	t.Helper()
	m := start(t, root, func(m *machine) bool {
		out, err := m.try("", s.up...)
		return err == nil && strings.TrimSpace(out) == s.level
	}, "--volatile=no")
	return inited{&household{instance: &instance{machine: m, as: []string{"env"}, flags: []string{"--system"}}}}
}

// path is where the program stands.
func (i inited) path() string { return cmp.Or(i.program, program) }

// says wants an exit code, and a word among what is printed.
func (i inited) says(code int, word string, args ...string) {
	i.t.Helper()
	line := i.path() + " " + strings.Join(args, " ")
	out := i.run("", "sh", "-c", line+" 2>&1; echo exit $?")
	i.t.Logf("# filmspool %s\n%s", strings.Join(args, " "), out)
	if !strings.Contains(out, word) || !strings.HasSuffix(out, "exit "+strconv.Itoa(code)) {
		i.t.Errorf("%s does not say %q and exit %d:\n%s", line, word, code, out)
	}
}

// refuses wants an error with a hint that has the word.
func (i inited) refuses(word string, args ...string) {
	i.t.Helper()
	i.says(1, "error: ", args...)
	i.says(1, "hint:  ", args...)
	i.says(1, word, args...)
}

// enabled wants it among what starts at boot, or not.
func (i inited) enabled(s initSystem, want bool) {
	i.t.Helper()
	if got := i.run("", "sh", "-c", s.enabled); strings.Contains(got, "filmspool") != want {
		i.t.Errorf("it starts at boot: %v, want %v:\n%s", !want, want, got)
	}
}

// started starts it and returns its process.
func (i inited) started() string {
	i.t.Helper()
	i.says(0, "started", "--system", "service", "start")
	return i.running()
}

// running waits until it answers, and wants the manager to say that it runs.
func (i inited) running() string {
	i.t.Helper()
	eventually(i.t, "answer", 30*time.Second, func() bool {
		_, err := i.try("", i.words("queue", "list")...)
		return err == nil
	})
	i.says(0, "running", "--system", "service", "status")
	return i.run("", "pgrep", "-f", "^"+i.path()+" run")
}

// crash kills it, and brings it back where its manager does not.
func (i inited) crash(s initSystem, first string) {
	i.t.Helper()
	i.run("", "kill", "-9", first)
	eventually(i.t, "end of the killed process", 30*time.Second, func() bool {
		_, err := i.try("", "kill", "-0", first) // it ends a moment after the signal
		return err != nil
	})
	if !s.respawns {
		i.says(3, "failed", "--system", "service", "status")
		i.started()
	} else {
		i.says(3, "starting", "--system", "service", "status") // OpenRC calls it started all the while
		eventually(i.t, "respawn", 30*time.Second, func() bool {
			now, err := i.try("", "pgrep", "-f", "^"+i.path()+" run")
			return err == nil && strings.TrimSpace(now) != first
		})
	}
	i.running()
	i.waits(1)
}

func (i inited) nothingRuns() {
	i.t.Helper()
	if left, err := i.try("", "pgrep", "-af", "^"+i.path()+" run"); err == nil {
		i.t.Errorf("still running: %s", left)
	}
}
