package test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Places on a LibreELEC, and names that its Kodi uses.
const (
	addonID     = "service.filmspool"
	addonUnit   = addonID + ".service"
	addons      = "/storage/.kodi/addons"
	userdata    = "/storage/.kodi/userdata"
	addonState  = userdata + "/addon_data/" + addonID
	addonScript = addons + "/" + addonID + "/bin/filmspool"
)

// libreELEC is a machine that does with add-ons what LibreELEC does, on a
// Debian's systemd.
type libreELEC struct {
	*instance
	archive *zip.Reader
}

// TestAddonOnSystemd takes the add-on through its life: installed over a Kodi
// that is new, crashed, updated while it runs, booted, misconfigured, disabled,
// enabled and removed.
func TestAddonOnSystemd(t *testing.T) {
	archive := addonArchive(t)
	m := boot(t, nil)
	l := &libreELEC{archive: archive, instance: &instance{machine: m, as: []string{"env", "-u", "HOME"}, port: 8103}}
	l.write("/etc/systemd/system/kodi.target", "[Unit]\nDescription=Kodi\n")
	l.run("", "systemctl", "daemon-reload")
	l.startTracker()

	l.unpack(addons)
	l.hook("post-install")
	l.running()
	if enabled := l.show("UnitFileState"); enabled != "enabled" {
		t.Errorf("the unit is %q, not enabled", enabled)
	}
	l.addon(secretKey+"\n", "login", "--key-stdin", "--base-url", fmt.Sprintf("http://127.0.0.1:%d/api/v1", l.port))
	l.addon("", "add", "movie", "603", "--json")
	l.delivered(1)
	l.watchesKodi()
	l.private()
	l.signsOfLife()

	first := l.running()
	l.run("", "kill", "-9", first)
	eventually(t, "restart after a kill", 30*time.Second, func() bool { pid := l.show("MainPID"); return pid != "0" && pid != first })
	l.updatedWhileRunning()
	l.booted()
	l.misconfiguredAddon()
	l.disabled()
	l.removed()
	l.delivered(3) // and nothing was sent twice on the way
}

// addonArchive is the archive for this machine.
func addonArchive(t *testing.T) *zip.Reader {
	t.Helper()
	folder := os.Getenv("FILMSPOOL_ADDON")
	if folder == "" {
		t.Skip("FILMSPOOL_ADDON is not set; see the package comment")
	}
	name := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	found, err := filepath.Glob(filepath.Join(folder, addonID+"-*-"+name+".zip"))
	if err != nil || len(found) != 1 {
		t.Fatalf("archives for %s in %s: %q, %v", name, folder, found, err)
	}
	content, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// inside is a path of the machine, as seen from here.
func (m *machine) inside(path string) string { return filepath.Join("/proc", m.leader, "root", path) }

func (m *machine) write(path, text string) {
	m.t.Helper()
	if err := os.WriteFile(m.inside(path), []byte(text), 0o644); err != nil {
		m.t.Fatal(err)
	}
}

// unpack unpacks as Kodi does: no file may be executed.
func (l *libreELEC) unpack(to string) {
	l.t.Helper()
	for _, f := range l.archive.File {
		path := l.inside(filepath.Join(to, f.Name))
		if f.Mode().IsDir() {
			if err := os.MkdirAll(path, 0o755); err != nil {
				l.t.Fatal(err)
			}
			continue
		}
		content, err := f.Open()
		if err != nil {
			l.t.Fatal(err)
		}
		text, err := io.ReadAll(content)
		if err != nil {
			l.t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			l.t.Fatal(err)
		}
	}
}

// hook does what LibreELEC's Kodi does with the unit of an add-on. Kodi looks
// at no result, and waits.
func (l *libreELEC) hook(occasion string) {
	l.t.Helper()
	file := addons + "/" + addonID + "/system.d/" + addonUnit
	off := [][]string{{"stop", addonUnit}, {"disable", addonUnit}}
	on := [][]string{{"enable", file}, {"start", addonUnit}}
	steps := map[string][][]string{"enable": on, "disable": off, "pre-uninstall": off, "post-install": append(off, on...)}[occasion]
	from := time.Now()
	for _, step := range steps {
		if step[0] == "start" {
			l.run("", "sh", "-c", "chmod +x "+addons+"/"+addonID+"/bin/*")
		}
		_, _ = l.try("", append([]string{"systemctl"}, step...)...)
	}
	l.t.Logf("%s: Kodi stood still for %v", occasion, time.Since(from).Round(time.Millisecond))
}

func (l *libreELEC) show(property string) string {
	l.t.Helper()
	return l.run("", "systemctl", "show", "--value", "-p", property, addonUnit)
}

// addon runs a command as a user types it over SSH.
func (l *libreELEC) addon(stdin string, args ...string) string {
	l.t.Helper()
	out, err := l.try(stdin, append(append(append([]string{}, l.as...), addonScript), args...)...)
	if err != nil {
		log, _ := l.try("", "journalctl", "--no-pager", "--lines=60")
		l.t.Fatalf("%v\nThe journal:\n%s", err, log)
	}
	return out
}

// running waits for the service to answer and returns its process.
func (l *libreELEC) running() string {
	l.t.Helper()
	var said string
	eventually(l.t, "answer of the service", 30*time.Second, func() bool {
		out, err := l.try("", "env", "-u", "HOME", "/bin/sh", addonScript, "status", "--json")
		said = fmt.Sprint(out, err)
		return strings.Contains(out, `"state"`)
	})
	if active := l.show("ActiveState"); active != "active" {
		l.t.Fatalf("it answers, and the unit is %q: %s", active, said)
	}
	return l.show("MainPID")
}

// watchesKodi: a library that Kodi makes after the service has started is
// found, and a play in it is delivered.
func (l *libreELEC) watchesKodi() {
	l.t.Helper()
	dir := l.t.TempDir()
	sim, err := kodisim.Create(dir, 131)
	if err != nil {
		l.t.Fatal(err)
	}
	defer sim.Close()
	film, err := sim.AddFilm(kodisim.Film{Title: "Beta", Year: 2010, IDs: viewing.IDs{TMDB: 27205}, Duration: 2 * time.Hour}, time.Now().UTC())
	if err != nil {
		l.t.Fatal(err)
	}
	l.library(dir)
	eventually(l.t, "library in the status", 60*time.Second, func() bool {
		var s struct {
			Sources []struct{ Name, Kind, State string }
		}
		if err := json.Unmarshal([]byte(l.addon("", "status", "--json")), &s); err != nil {
			l.t.Fatal(err)
		}
		return len(s.Sources) == 1 && strings.Contains(s.Sources[0].Name, userdata) && s.Sources[0].State == "ok"
	})
	if err := sim.Play(film, time.Now().UTC()); err != nil {
		l.t.Fatal(err)
	}
	l.library(dir)
	l.delivered(2)
}

// library puts a library into the machine as it is now. SQLite could not be
// made to work on it there: it follows the link of /proc that leads inside.
func (l *libreELEC) library(dir string) {
	l.t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "Database/MyVideos131.db"))
	if err != nil {
		l.t.Fatal(err)
	}
	l.run("", "mkdir", "-p", userdata+"/Database")
	l.write(userdata+"/Database/new", string(content))
	l.run("", "mv", userdata+"/Database/new", userdata+"/Database/MyVideos131.db")
}

// private: everything is in one folder that nobody else may read, and nothing
// listens beyond the machine.
func (l *libreELEC) private() {
	l.t.Helper()
	if got := l.run("", "stat", "-c", "%a", addonState); got != "700" {
		l.t.Errorf("the state folder has mode %s", got)
	}
	if open := l.run("", "find", addonState, "-perm", "/077"); open != "" {
		l.t.Errorf("others may read %s", open)
	}
	if logs := l.run("", "find", addonState, "-maxdepth", "1", "(", "-name", "*.log", "-o", "-name", "log", ")"); logs != "" {
		l.t.Errorf("LibreELEC removes at every start: %s", logs)
	}
	if left := l.run("", "sh", "-c", "ls -A /storage"); left != ".kodi" {
		l.t.Errorf("/storage has %q", left)
	}
	for table, loopback := range map[string]string{"tcp": "0100007F:", "tcp6": "00000000000000000000000001000000:"} {
		text, err := os.ReadFile("/proc/" + l.leader + "/net/" + table)
		if err != nil {
			l.t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			words := strings.Fields(line)
			if len(words) > 3 && words[3] == "0A" && !strings.HasPrefix(words[1], loopback) {
				l.t.Errorf("somebody listens at %s", words[1])
			}
		}
	}
}

// signsOfLife: the watchdog hears of the program through the shell that has
// started it, or it would kill a healthy one after three minutes.
func (l *libreELEC) signsOfLife() {
	l.t.Helper()
	folder := "/run/systemd/system/" + addonUnit + ".d"
	l.run("", "mkdir", "-p", folder)
	l.write(folder+"/short.conf", "[Service]\nWatchdogSec=10\n")
	l.run("", "systemctl", "daemon-reload")
	l.addon("", "service", "restart")
	pid := l.running()
	first := l.show("WatchdogTimestampMonotonic")
	eventually(l.t, "sign of life", 30*time.Second, func() bool { return l.show("WatchdogTimestampMonotonic") != first })
	if now := l.show("MainPID"); now != pid {
		l.t.Errorf("%s became %s: the watchdog has killed it", pid, now)
	}
	l.run("", "rm", "-r", folder)
	l.run("", "systemctl", "daemon-reload")
	l.addon("", "service", "restart")
}

// updatedWhileRunning: Kodi puts the new folder in the place of the old one
// while the program runs, then has the unit started again.
func (l *libreELEC) updatedWhileRunning() {
	l.t.Helper()
	before := l.running()
	l.unpack(addons + "/temp")
	folder := addons + "/" + addonID
	l.run("", "sh", "-c", "mv "+folder+" "+addons+"/temp/old && mv "+addons+"/temp/"+addonID+" "+folder+" && rm -r "+addons+"/temp")
	if now := l.running(); now != before {
		l.t.Errorf("the service did not outlive its folder: %s became %s", before, now)
	}
	l.addon("", "add", "episode", "--show", "1396", "--season", "1", "--episode", "2", "--json")
	l.delivered(3)
	l.hook("post-install")
	if now := l.running(); now == before {
		l.t.Error("the old program runs on after the update")
	}
	if left, _ := l.try("", "pgrep", "-c", "-f", folder+"/program/filmspool run"); strings.TrimSpace(left) != "1" {
		l.t.Errorf("%s services run", left)
	}
}

// booted: the unit starts with Kodi, even from files that a backup brought back
// without their permissions.
func (l *libreELEC) booted() {
	l.t.Helper()
	l.run("", "systemctl", "stop", "kodi.target", addonUnit)
	l.run("", "chmod", "-R", "a-x,a+X", addons+"/"+addonID)
	l.run("", "sh", "-c", "chmod a-x "+addons+"/"+addonID+"/bin/filmspool "+addons+"/"+addonID+"/program/filmspool")
	l.run("", "systemctl", "daemon-reexec")
	l.run("", "systemctl", "start", "kodi.target")
	l.running()
}

// misconfiguredAddon: a wrong configuration fails at once and is not tried
// again and again.
func (l *libreELEC) misconfiguredAddon() {
	l.t.Helper()
	l.run("", "sh", "-c", "cp "+addonState+"/config.toml /tmp/kept.toml && sed -i '1i no_such_setting = 1' "+addonState+"/config.toml")
	l.addon("", "service", "restart")
	eventually(l.t, "failure", 30*time.Second, func() bool { return l.show("ActiveState") == "failed" })
	if status, restarts := l.show("ExecMainStatus"), l.show("NRestarts"); status != "78" || restarts != "0" {
		l.t.Errorf("with a wrong configuration: exit %s, %s restarts", status, restarts)
	}
	l.run("", "cp", "/tmp/kept.toml", addonState+"/config.toml")
	l.addon("", "service", "start")
	l.running()
}

// disabled: it stops, and does not come back before it is enabled.
func (l *libreELEC) disabled() {
	l.t.Helper()
	pid := l.running()
	l.hook("disable")
	if _, err := l.try("", "kill", "-0", pid); err == nil {
		l.t.Error("it runs on after the add-on was disabled")
	}
	if result := l.show("Result"); result != "success" {
		l.t.Errorf("the stop was a %s", result)
	}
	l.run("", "systemctl", "restart", "kodi.target")
	if active := l.show("ActiveState"); active != "inactive" {
		l.t.Errorf("disabled, and %s after the start of Kodi", active)
	}
	l.hook("enable")
	l.running()
}

// removed: nothing is left but what is the user's.
func (l *libreELEC) removed() {
	l.t.Helper()
	l.hook("pre-uninstall")
	l.run("", "rm", "-r", addons+"/"+addonID)
	l.run("", "systemctl", "daemon-reload")
	if load := l.show("LoadState"); load != "not-found" {
		l.t.Errorf("systemd still knows the unit: %s", load)
	}
	if left := l.run("", "find", "/etc/systemd", "-name", "*filmspool*"); left != "" {
		l.t.Errorf("left behind: %s", left)
	}
	if size, err := strconv.Atoi(l.run("", "stat", "-c", "%s", addonState+"/filmspool.db")); err != nil || size == 0 {
		l.t.Errorf("the queue is gone: %d, %v", size, err)
	}
}
