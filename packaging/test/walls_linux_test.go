package test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/kodi/kodisim"
)

const (
	kidsHome     = "/home/kid"
	kidsUserdata = kidsHome + "/.kodi/userdata"
)

// TestWallsOnSystemd reads a Kodi library from within the walls of either unit,
// and finds that they stand.
func TestWallsOnSystemd(t *testing.T) {
	tar, binary := os.Getenv("FILMSPOOL_NSPAWN_ROOT"), os.Getenv("FILMSPOOL_BINARY")
	if tar == "" || binary == "" {
		t.Skip("FILMSPOOL_NSPAWN_ROOT or FILMSPOOL_BINARY is not set; see the package comment")
	}
	// Kodi's folder lies out here, where the test can play Kodi.
	outside := t.TempDir()
	m := start(t, unpack(t, tar, binary), systemdIsUp, "--volatile=overlay", "--bind="+outside+":/srv/kodi")
	t.Log(strings.Split(m.run("", "systemctl", "--version"), "\n")[0])
	m.run("", "useradd", "--create-home", "kid")
	m.run("", "sh", "-c", "mkdir "+kidsHome+"/.kodi && chmod 700 "+kidsHome+" && mount --bind /srv/kodi "+kidsHome+"/.kodi")
	m.linger("kid")
	t.Run("user", func(t *testing.T) {
		i := userInstance(t, m, 8111)
		i.fresh()
		i.walled(outside, 40)
		i.otherFolder()
	})
	t.Run("plain", func(t *testing.T) { withoutNamespaces(t, m) })
	t.Run("system", func(t *testing.T) {
		i := systemInstance(t, m, 8112)
		i.run("[Service]\nBindReadOnlyPaths=-"+kidsUserdata+"\n", "sh", "-c",
			"mkdir -p /etc/systemd/system/filmspool.service.d && cat >/etc/systemd/system/filmspool.service.d/kodi.conf")
		i.walled(outside, 15)
	})
}

func userInstance(t *testing.T, m *machine, port int) *instance {
	return &instance{
		machine: &machine{t: t, leader: m.leader}, as: []string{"runuser", "-u", "kid", "--", "env", "HOME=" + kidsHome},
		manager: []string{"systemctl", "--user", "-M", "kid@"}, unit: kidsHome + "/.config/systemd/user/filmspool.service",
		config: kidsHome + "/.config/filmspool", port: port,
	}
}

func systemInstance(t *testing.T, m *machine, port int) *instance {
	return &instance{
		machine: &machine{t: t, leader: m.leader}, as: []string{"env"}, flags: []string{"--system"},
		manager: []string{"systemctl"}, unit: "/etc/systemd/system/filmspool.service", config: "/etc/filmspool", port: port,
	}
}

// linger gives a person a manager that runs without their being there.
func (m *machine) linger(name string) (uid string) {
	m.t.Helper()
	m.run("", "loginctl", "enable-linger", name)
	uid = m.run("", "id", "-u", name)
	eventually(m.t, "user manager", 30*time.Second, func() bool {
		_, err := m.try("", "systemctl", "is-active", "user@"+uid)
		return err == nil
	})
	return uid
}

// ctl is systemctl of the right manager.
func (i *instance) ctl(args ...string) {
	i.t.Helper()
	i.run("", append(append([]string{}, i.manager...), args...)...)
}

// fresh: in a home that has neither folder, the service makes its own.
func (i *instance) fresh() {
	i.t.Helper()
	i.run("", "rm", "-rf", kidsHome+"/.local", kidsHome+"/.config")
	i.filmspool("", "service", "install")
	i.filmspool("", "service", "start")
	i.want("running")
	if got := i.run("", "stat", "-c", "%a %U", kidsHome+"/.local/state/filmspool"); got != "700 kid" {
		i.t.Errorf("the state folder: %s", got)
	}
	i.filmspool("", "service", "stop")
}

// walled has the service watch the library in a folder out here, and tries its
// walls; the unit's exposure is at most so many tenths.
func (i *instance) walled(outside string, tenths int) {
	i.t.Helper()
	library := i.library(outside)
	i.startTracker()
	i.run(fmt.Sprintf("[[kodi.libraries]]\nuserdata = %q\n", kidsUserdata), "sh", "-c",
		"mkdir -p "+i.config+" && cat >"+i.config+"/config.toml && chmod -R a+rX "+i.config)
	i.filmspool("", "service", "install")
	i.filmspool("", "service", "start")
	i.filmspool(secretKey+"\n", "login", "--key-stdin", "--base-url", fmt.Sprintf("http://127.0.0.1:%d/api/v1", i.port))
	i.stand()
	i.score(tenths)
	i.watches()
	if err := library.PlayFile(film, time.Now().UTC()); err != nil {
		i.t.Fatal(err)
	}
	played := time.Now()
	i.delivered(1)
	i.t.Logf("from the play to its delivery: %v", time.Since(played).Round(10*time.Millisecond))
	i.filmspool("", "service", "uninstall")
}

// film is the one that the library holds.
const film = "/srv/films/Alpha One (1999).mkv"

// library makes a Kodi library in Kodi's folder. All may read the files; the
// home around them is closed.
func (i *instance) library(outside string) *kodisim.Sim {
	i.t.Helper()
	userdata := filepath.Join(outside, "userdata")
	if err := errors.Join(os.RemoveAll(userdata), os.Mkdir(userdata, 0o755)); err != nil {
		i.t.Fatal(err)
	}
	sim, err := kodisim.Create(userdata, 131)
	if err != nil {
		i.t.Fatal(err)
	}
	i.t.Cleanup(func() { _ = sim.Close() }) // its file goes with the machine
	f := kodisim.Film{Title: "Alpha One", Path: film, Duration: 2 * time.Hour}
	f.IDs.TMDB = 603
	if _, err := sim.AddFilm(f, time.Now().UTC().Add(-48*time.Hour)); err != nil {
		i.t.Fatal(err)
	}
	i.run("", "chown", "-R", "kid:", kidsHome+"/.kodi")
	i.run("", "chmod", "-R", "a+rX", kidsHome+"/.kodi")
	return sim
}

// watches waits until the service has read the library for the first time and
// has a watch on its folder, so that what follows is heard of by inotify alone.
func (i *instance) watches() {
	i.t.Helper()
	var s struct {
		Sources []struct{ Kind, State string }
	}
	eventually(i.t, "reading of the library", 30*time.Second, func() bool {
		out, _ := i.try("", i.words("status", "--json")...) // its exit code is about other things
		if json.Unmarshal([]byte(out), &s) != nil {
			return false
		}
		for _, source := range s.Sources {
			if source.Kind == "kodi" && source.State == "ok" {
				return true
			}
		}
		return false
	})
	pid := strconv.Itoa(i.status().PID)
	eventually(i.t, "watch on the folder", 10*time.Second, func() bool {
		out, _ := i.try("", "sh", "-c", "cat /proc/"+pid+"/fdinfo/* | grep -c '^inotify wd'")
		return strings.TrimSpace(out) != "0" && out != ""
	})
}

// stand looks from where the service stands: what root himself could not
// write there, and what the kernel lets the process do.
func (i *instance) stand() {
	i.t.Helper()
	pid := strconv.Itoa(i.status().PID)
	for _, dir := range []string{"/usr", "/etc", "/var/lib", "/srv", kidsUserdata, kidsUserdata + "/Database"} {
		if err := i.touch(pid, dir); err == nil || !strings.Contains(err.Error(), "Read-only file system") {
			i.t.Errorf("%s can be written: %v", dir, err)
		}
	}
	state := "/var/lib/private/filmspool"
	if len(i.flags) == 0 {
		state = kidsHome + "/.local/state/filmspool"
		if err := i.touch(pid, kidsHome); err == nil {
			i.t.Error("the home can be written")
		}
		i.run("", "sh", "-c", "mkdir -p /media/disk && mount -t tmpfs disk /media/disk && touch /media/disk/film")
		if _, err := i.try("", "ls", "/proc/"+pid+"/root/media/disk/film"); err != nil {
			i.t.Errorf("a disk that came later is not seen: %v", err)
		}
	} else if _, err := i.try("", "ls", "/proc/"+pid+"/root"+kidsHome+"/.bashrc"); err == nil {
		i.t.Error("the home can be seen")
	}
	if err := i.touch(pid, state); err != nil {
		i.t.Errorf("the state folder cannot be written: %v", err)
	}
	i.run("", "touch", "/tmp/outside")
	if _, err := i.try("", "ls", "/proc/"+pid+"/root/tmp/outside"); err == nil {
		i.t.Error("/tmp is everyone's")
	}
	status := i.run("", "cat", "/proc/"+pid+"/status")
	for _, line := range []string{"CapBnd:\t0000000000000000", "CapEff:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"} {
		if !strings.Contains(status, line+"\n") {
			i.t.Errorf("the process has no %q:\n%s", line, status)
		}
	}
	for property, want := range map[string]string{"MemoryMax": "536870912", "TasksMax": "128"} {
		if got := i.systemd(property); got != want {
			i.t.Errorf("%s is %s, want %s", property, got, want)
		}
	}
}

// touch writes a file as root where the process sees it.
func (i *instance) touch(pid, dir string) error {
	_, err := i.try("", "sh", "-c", `touch "$0/.probe" && rm "$0/.probe"`, "/proc/"+pid+"/root"+dir)
	return err
}

// score has this machine's systemd compute the exposure of the unit as it was
// installed; a person's is scored as if root ran it.
func (i *instance) score(tenths int) {
	i.t.Helper()
	out := i.run("", "systemd-analyze", "security", "--no-pager", "--offline=true", fmt.Sprintf("--threshold=%d", tenths), i.unit)
	lines := strings.Split(out, "\n")
	i.t.Log(strings.TrimSpace(lines[len(lines)-1]))
}

// otherFolder: a state folder elsewhere, with a difficult name, may be written
// as the usual one.
func (i *instance) otherFolder() {
	i.t.Helper()
	i.flags = []string{"--state-dir", "/tmp/spool"}
	if _, err := i.try("", i.words("service", "install")...); err == nil || !strings.Contains(err.Error(), "/tmp of its own") {
		i.t.Errorf("a folder that the service would not see was taken: %v", err)
	}
	const folder = kidsHome + "/my film spool $HOME 100%"
	i.flags = []string{"--state-dir", folder}
	i.filmspool("", "service", "install")
	i.filmspool("", "service", "start")
	i.want("running")
	i.run("", "test", "-s", folder+"/filmspool.db")
	i.filmspool("", "add", "movie", "604")
	i.filmspool("", "service", "uninstall")
	i.flags = nil
}

// withoutNamespaces: a manager that may make no user namespace still runs the
// service, within fewer walls.
func withoutNamespaces(t *testing.T, m *machine) {
	i := userInstance(t, m, 8113)
	uid := i.run("", "id", "-u", "kid")
	i.run("[Service]\nRestrictNamespaces=yes\n", "sh", "-c",
		"mkdir -p /etc/systemd/system/user@.service.d && cat >/etc/systemd/system/user@.service.d/restrict.conf && systemctl daemon-reload")
	i.run("", "systemctl", "restart", "user@"+uid)
	i.filmspool("", "service", "install")
	i.filmspool("", "service", "start")
	i.want("running")
	if unit := i.run("", "cat", i.unit); strings.Contains(unit, "PrivateUsers=") || !strings.Contains(unit, "NoNewPrivileges=yes") {
		t.Errorf("the unit for a manager without user namespaces:\n%s", unit)
	}
	i.filmspool("", "service", "uninstall")
	i.run("", "sh", "-c", "rm /etc/systemd/system/user@.service.d/restrict.conf && systemctl daemon-reload && systemctl restart user@"+uid)
}
