package test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// TestDoctorOnSystemd: what only a service manager can show is told by the doctor, mended
// by the command that it names, and gone.
func TestDoctorOnSystemd(t *testing.T) {
	m := boot(t, nil)
	m.run("", "useradd", "--create-home", "kid")
	uid := m.linger("kid")
	i := userInstance(t, m, 0)
	i.run("", "systemd-run", "--unit=by-hand", "--uid="+uid, "--setenv=HOME=/home/kid", program, "run")
	i.told("service-missing", "service", "install")
	i.run("", "systemctl", "stop", "by-hand")

	i.told("service-stopped", "service", "start")

	i.ctl("disable", "filmspool")
	i.told("service-manual", "service", "install")

	i.run("", "rm", "/var/lib/systemd/linger/kid")
	i.told("service-logout", "service", "install", "--linger")

	i.run("", "sh", "-c", "cp "+program+" /tmp/next && mv /tmp/next "+program)
	i.told("outdated", "service", "restart")

	dropIn := "/home/kid/.config/systemd/user/filmspool.service.d"
	i.run("", "runuser", "-u", "kid", "--", "sh", "-c", "mkdir -p "+dropIn+` && printf '[Service]\nExecStart=\nExecStart=/bin/false\n' >`+dropIn+"/broken.conf")
	i.ctl("daemon-reload")
	if _, err := i.try("", append(i.manager, "restart", "filmspool")...); err == nil {
		t.Error("a program that ends at once counts as started")
	}
	i.shows("service-failed", "service", "logs")
	if log := i.filmspool("", "service", "logs"); !strings.Contains(log, "status=1/FAILURE") {
		t.Errorf("the log does not say how it ended: %s", log)
	}
	i.run("", "rm", "-r", dropIn)
	i.ctl("daemon-reload")
	i.filmspool("", "service", "start")
	i.ends("service-failed")
}

// told is a problem that its own command mends. Where that needs an administrator, it
// says what the administrator is to type.
func (i *instance) told(code string, mends ...string) {
	i.t.Helper()
	i.shows(code, mends...)
	if _, err := i.try("", i.words(mends...)...); err != nil {
		_, hint, ok := strings.Cut(err.Error(), "hint:")
		if typed := strings.Fields(strings.ReplaceAll(hint, ",", " ,")); ok && len(typed) > 3 && typed[0] == "sudo" {
			i.run("", typed[1:4]...)
		} else {
			i.t.Fatalf("%s: %v", code, err)
		}
	}
	i.ends(code)
}

// shows waits for a problem that names this command.
func (i *instance) shows(code string, mends ...string) {
	i.t.Helper()
	command := "none"
	eventually(i.t, code, 30*time.Second, func() (ok bool) {
		command, ok = i.problems()[code]
		return ok
	})
	if want := "filmspool " + strings.Join(mends, " "); command != want {
		i.t.Errorf("%s: %q mends it, want %q", code, command, want)
	}
}

// ends waits until the doctor does not tell of a problem any more.
func (i *instance) ends(code string) {
	i.t.Helper()
	eventually(i.t, "end of "+code, 30*time.Second, func() bool {
		_, there := i.problems()[code]
		return !there
	})
}

// problems are the commands that mend what the doctor tells of, by its code.
func (i *instance) problems() map[string]string {
	i.t.Helper()
	out, _ := i.try("", i.words("doctor", "--json")...) // with problems its code is not 0
	var said []struct {
		Code string
		Act  struct{ Command string }
	}
	if err := json.Unmarshal([]byte(out), &said); err != nil {
		i.t.Fatalf("doctor: %v: %s", err, out)
	}
	found := map[string]string{}
	for _, p := range said {
		found[p.Code] = p.Act.Command
	}
	return found
}
