package test

import (
	"encoding/json"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// verbs is one person, and root, typing "filmspool service …" at a machine.
type verbs struct {
	*machine
}

// TestVerbsOnSystemd looks at what each verb says when things are not as they
// should be, and at the machine's service that runs as a person.
func TestVerbsOnSystemd(t *testing.T) {
	v := verbs{boot(t, nil)}
	v.run("", "useradd", "--create-home", "kid")
	v.run("", "loginctl", "enable-linger", "kid")
	eventually(t, "user manager", 30*time.Second, func() bool {
		_, err := v.try("", "systemctl", "is-active", "user@"+v.run("", "id", "-u", "kid"))
		return err == nil
	})
	v.portHeld()
	v.asAPerson()
	v.switches()
	v.broken()
	v.upgraded()
}

// says types a command line and wants its exit code and words of its output.
func (v verbs) says(as string, code int, words []string, args ...string) {
	v.t.Helper()
	line := append([]string{program}, args...)
	if as != "root" {
		line = append([]string{"runuser", "-u", as, "--", "env", "HOME=/home/" + as}, line...)
	}
	cmd := v.command(v.t.Context(), line...)
	out, err := cmd.CombinedOutput()
	got := 0
	if exit, ok := err.(*exec.ExitError); ok {
		got = exit.ExitCode()
	} else if err != nil {
		v.t.Fatal(err)
	}
	v.t.Logf("%s# filmspool %s\n%s", as, strings.Join(args, " "), out)
	if got != code {
		v.t.Errorf("%s: exit %d, want %d", strings.Join(args, " "), got, code)
	}
	for _, word := range words {
		if !strings.Contains(string(out), word) {
			v.t.Errorf("%s does not say %q:\n%s", strings.Join(args, " "), word, out)
		}
	}
}

// portHeld: of a person's service and the machine's, one has the port, and the
// other says whose it is before it fails.
func (v verbs) portHeld() {
	v.t.Helper()
	v.says("root", 1, []string{"hint:  filmspool service install, without sudo"}, "service", "install")
	v.says("kid", 0, []string{"To start it now: filmspool service start"}, "service", "install")
	v.says("kid", 0, []string{"started"}, "service", "start")
	held := []string{"is held by another filmspool", "of kid)", "hint:  runuser -u kid -- filmspool service stop"}
	v.says("root", 0, append(held, "warning: "), "--system", "service", "install")
	v.says("root", 78, held, "--system", "service", "start")
	v.says("root", 3, append(held, "stopped\n"), "--system", "service", "status")
	if _, err := v.try("", "systemctl", "start", "filmspool"); err == nil {
		v.t.Error("two have one port")
	}
	v.says("root", 3, append(held, "failed\n"), "--system", "service", "status")
	v.says("root", 78, held, "run", "--state-dir", "/var/tmp/other")
	v.says("kid", 78, []string{"of kid)", "hint:  filmspool service stop\n"}, "run", "--state-dir", "/var/tmp/kids")
	v.says("kid", 0, []string{"warning: Filmspool is installed for the whole machine too", "hint:  sudo filmspool --system service uninstall"}, "service", "install")
	v.says("kid", 1, []string{"hint:  sudo filmspool --system service "}, "--system", "service", "stop")
	v.run("", "runuser", "-u", "kid", "--", "filmspool", "service", "stop")
	v.says("kid", 0, nil, "service", "uninstall")
}

// asAPerson: the service reads that person's Kodi folder, nothing else of
// theirs, and writes nothing there.
func (v verbs) asAPerson() {
	v.t.Helper()
	v.says("root", 2, []string{"hint:  filmspool --system service install --user kid"}, "service", "install", "--user", "kid")
	v.says("root", 1, []string{`no user "mallory"`}, "--system", "service", "install", "--user", "mallory")
	v.says("root", 1, []string{"does not run as root"}, "--system", "service", "install", "--user", "root")
	v.says("root", 0, []string{"kid has no Kodi folder yet"}, "--system", "service", "install", "--user", "kid")
	v.run("", "runuser", "-u", "kid", "--", "sh", "-c", "umask 077; mkdir -p ~/.kodi/userdata/Database; echo mine >~/.kodi/userdata/sources.xml; head -c 9000 /dev/zero | tr '\\0' x >~/.kodi/userdata/Database/MyVideos131.db; echo mine >~/diary; chmod 700 ~")
	v.says("root", 0, []string{"as kid", "It may read Kodi's folder /home/kid/.kodi/userdata", "/etc/filmspool/config.toml", `userdata = "/home/kid/.kodi/userdata"`},
		"--system", "service", "install", "--user", "kid")
	v.run("", "sh", "-c", "printf '[[kodi.libraries]]\\nuserdata = \"/home/kid/.kodi/userdata\"\\n' >/etc/filmspool/config.toml")
	v.says("root", 0, nil, "--system", "service", "start")
	home := "/proc/" + v.pid() + "/root/home/kid" // as the service has it
	if got := v.run("", "ls", "-A", home, home+"/.kodi/userdata"); !strings.Contains(got, "sources.xml") || strings.Contains(got, "diary") {
		v.t.Errorf("of the person's home the service sees: %s", got)
	}
	if mounts := v.run("", "grep", " /home/kid/.kodi/userdata ro", "/proc/"+v.pid()+"/mountinfo"); strings.Count(mounts, "\n") != 0 {
		v.t.Errorf("mounted: %s", mounts)
	}
	// It reads what others may not: all there is to say is that this is no library.
	scan := v.run("", program, "--system", "kodi", "scan", "--json")
	if strings.Contains(scan, `"denied"`) || !strings.Contains(scan, `"damaged"`) {
		v.t.Errorf("the service cannot read the folder: %s", scan)
	}
	if got := v.run("", "stat", "-c", "%U %G %a", "/var/lib/filmspool"); got != "kid filmspool 700" {
		v.t.Errorf("the state folder: %s", got)
	}
	v.run("", "systemd-analyze", "security", "--offline=true", "--threshold=15", "/etc/systemd/system/filmspool.service")
}

// switches: whoever the service runs as, what waits is there.
func (v verbs) switches() {
	v.t.Helper()
	v.run("", program, "--system", "add", "movie", "603")
	waiting := 1
	for _, user := range []string{"", "kid", ""} {
		install := []string{"--system", "service", "install"}
		if user != "" {
			install = append(install, "--user", user)
		}
		v.says("root", 0, []string{"It runs already; to use what is installed now: filmspool --system service restart"}, install...)
		v.says("root", 0, []string{"restarted"}, "--system", "service", "restart")
		v.run("", program, "--system", "add", "movie", strconv.Itoa(603+waiting))
		waiting++
		var entries []struct{ ID int }
		if err := json.Unmarshal([]byte(v.run("", program, "--system", "queue", "list", "--json")), &entries); err != nil || len(entries) != waiting {
			v.t.Fatalf("as %q: %d entries, want %d: %v", user, len(entries), waiting, err)
		}
	}
}

// broken: what keeps the program from running is told in its own words.
func (v verbs) broken() {
	v.t.Helper()
	v.run("", "sh", "-c", "mkdir -p /etc/filmspool && echo 'no_such_setting = 1' >/etc/filmspool/config.toml")
	why := []string{"no_such_setting = 1", "hint:  filmspool --system config check"}
	v.says("root", 1, append(why, "error: it did not start: "), "--system", "service", "restart")
	v.says("root", 3, append(why, "failed", "78"), "--system", "service", "status")
	v.run("", "rm", "/etc/filmspool/config.toml")
	v.says("root", 0, nil, "--system", "service", "start")

	drop := "/etc/systemd/system/filmspool.service.d"
	v.run("", "sh", "-c", "mkdir "+drop+" && printf '[Service]\nExecStart=\nExecStart=/bin/false\nNoExecPaths=\n' >"+drop+"/loop.conf && systemctl daemon-reload")
	v.says("root", 1, []string{"error: it did not start: it ended with exit code 1; systemd tries again", "hint:  filmspool --system service logs"},
		"--system", "service", "restart")
	eventually(v.t, "crash loop", 30*time.Second, func() bool {
		out, _ := v.try("", program, "--system", "service", "status")
		return strings.HasPrefix(out, "restarting\n") && strings.Contains(out, "systemd started it again")
	})
	v.run("", "sh", "-c", "rm -r "+drop+" && systemctl daemon-reload")
	v.says("root", 0, nil, "--system", "service", "start")
}

// upgraded: a program that was replaced while it ran is told of.
func (v verbs) upgraded() {
	v.t.Helper()
	v.run("", "sh", "-c", "cp "+program+" "+program+".new && mv "+program+".new "+program)
	v.says("root", 0, []string{"another program is installed than the one that runs", "hint:  filmspool --system service restart"}, "--system", "service", "status")
	v.says("root", 0, nil, "--system", "service", "restart")
	v.run("", "kill", "-STOP", v.pid())
	v.says("root", 0, []string{"it runs, but gives no answer", "hint:  filmspool --system service logs"}, "--system", "service", "status")
	v.run("", "kill", "-CONT", v.pid())
	v.says("root", 0, []string{"removed"}, "--system", "service", "uninstall")
	v.run("", "test", "-s", "/var/lib/filmspool/filmspool.db")
}

// pid is the process of the machine's service.
func (v verbs) pid() string {
	return v.run("", "systemctl", "show", "--value", "-p", "MainPID", "filmspool.service")
}
