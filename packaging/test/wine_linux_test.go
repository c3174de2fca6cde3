package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What is where in Wine's Windows.
const (
	exe       = `C:\filmspool\filmspool.exe`
	winePort  = 8104 // of the tracking service
	wineDrive = "/home/kid/.wine/drive_c/"
	wineData  = wineDrive + "ProgramData/Filmspool/"
	wineLocal = wineDrive + "users/kid/AppData/Local/Filmspool/"
	wineRoam  = wineDrive + "users/kid/AppData/Roaming/filmspool/"
)

// wine is a Windows, as far as Wine is one, in a machine of its own.
type wine struct{ *machine }

// startWine unpacks a Debian with Wine, makes a Windows there for one person
// with our program in it, and keeps that Windows up until the test ends.
func startWine(t *testing.T) *wine {
	t.Helper()
	tar, binary := os.Getenv("FILMSPOOL_WINE_ROOT"), os.Getenv("FILMSPOOL_EXE")
	if tar == "" || binary == "" {
		t.Skip("FILMSPOOL_WINE_ROOT or FILMSPOOL_EXE is not set; see the package comment")
	}
	root := t.TempDir()
	must(t, exec.CommandContext(t.Context(), "tar", "-C", root, "-xf", tar, "--exclude=./dev/*"))
	must(t, exec.CommandContext(t.Context(), "chroot", root, "useradd", "--create-home", "kid"))
	console := new(bytes.Buffer)
	nspawn := exec.Command("systemd-nspawn", "--quiet", "--directory="+root, "--register=no", "--keep-unit", "--as-pid2",
		"--private-network", "--console=pipe", "sleep", "infinity")
	nspawn.Stdout, nspawn.Stderr = console, console
	if err := nspawn.Start(); err != nil {
		t.Fatal(err)
	}
	w := &wine{&machine{t: t}}
	t.Cleanup(func() { w.powerOff(nspawn, console) })
	eventually(t, "machine", 30*time.Second, func() bool {
		children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", nspawn.Process.Pid))
		w.leader = strings.TrimSpace(string(children))
		if err != nil || w.leader == "" || strings.Contains(w.leader, " ") {
			return false
		}
		_, err = w.try("", "test", "-d", "/proc/2")
		return err == nil
	})
	if out, err := w.start(3*time.Minute, "", "wineboot", "-i"); err != nil {
		t.Fatalf("wineboot: %v\n%s", err, out)
	}
	// Wine waits ten seconds for a service, Windows thirty.
	if out, err := w.start(time.Minute, "", "wine", "reg", "add", `HKLM\System\CurrentControlSet\Control`, "/v", "ServicesPipeTimeout", "/t", "REG_DWORD", "/d", "60000", "/f"); err != nil {
		t.Fatalf("reg add: %v\n%s", err, out)
	}
	if out, err := w.start(time.Minute, "", "wineserver", "-k", "-w"); err != nil {
		t.Logf("wineserver: %v\n%s", err, out)
	}
	must(t, exec.CommandContext(t.Context(), "install", "-D", "-m", "755", binary, w.path(wineDrive+"filmspool/filmspool.exe")))
	w.background("sandbox", "wine", exe, "sandbox", "--listen", fmt.Sprintf("127.0.0.1:%d", winePort),
		"--state-dir", `C:\sandbox`, "--secret-key", secretKey, "--public-key", publicKey)
	eventually(t, "tracking service", 30*time.Second, func() bool {
		answer, err := w.client().Get(fmt.Sprintf("http://127.0.0.1:%d/_sandbox/records", winePort))
		if err != nil {
			return false
		}
		return answer.Body.Close() == nil
	})
	return w
}

// path is where something of the machine lies here, be it on its disk or not.
func (w *wine) path(name string) string { return filepath.Join("/proc", w.leader, "root", name) }

// kid puts a command into the hands of the machine's person. What it writes
// goes into a file: Wine's own processes would hold a pipe open for good.
func (w *wine) kid(out string, words ...string) []string {
	return append([]string{
		"setpriv", "--reuid=kid", "--regid=kid", "--clear-groups",
		"env", "HOME=/home/kid", "USER=kid", "WINEDEBUG=-all", "XDG_RUNTIME_DIR=/tmp", "DISPLAY=" + w.display(),
		"sh", "-c", `cd; exec >"$0" 2>&1; exec "$@"`, out,
	}, words...)
}

// display is empty as long as no screen was started.
func (w *wine) display() string {
	if _, err := os.Stat(w.path("/tmp/.X11-unix/X9")); err != nil {
		return ""
	}
	return ":9"
}

// background starts a command that goes on.
func (w *wine) background(name string, words ...string) {
	w.t.Helper()
	w.run("", append([]string{"setsid", "--fork"}, w.kid("/tmp/"+name+".out", words...)...)...)
}

// start runs a command of Wine and returns all it wrote.
func (w *wine) start(patience time.Duration, stdin string, words ...string) (string, error) {
	out := "/tmp/out." + strconv.FormatInt(time.Now().UnixNano(), 36)
	cut := []string{"timeout", "--kill-after=5", strconv.Itoa(int(patience.Seconds()))}
	_, err := w.try(stdin, w.kid(out, append(cut, words...)...)...)
	text, _ := os.ReadFile(w.path(out))
	return strings.TrimSpace(strings.ReplaceAll(string(text), "error: XDG_RUNTIME_DIR is invalid or not set in the environment.\n", "")), err
}

// filmspool runs our program, which has to succeed.
func (w *wine) filmspool(stdin string, words ...string) string {
	w.t.Helper()
	out, err := w.start(time.Minute, stdin, append([]string{"wine", exe}, words...)...)
	if err != nil {
		w.t.Fatalf("filmspool %s: %v\n%s", strings.Join(words, " "), err, out)
	}
	return out
}

// refused runs our program, which has to end with that code and say that.
func (w *wine) refused(code int, want string, words ...string) {
	w.t.Helper()
	out, err := w.start(time.Minute, "", append([]string{"wine", exe}, words...)...)
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("exit status %d", code)) || !strings.Contains(out, want) {
		w.t.Errorf("filmspool %s: %v, and it said %q, not %q", strings.Join(words, " "), err, out, want)
	}
}

// state is what "service status" says.
func (w *wine) state(flags ...string) (s serviceState) {
	w.t.Helper()
	out, _ := w.start(time.Minute, "", append(append([]string{"wine", exe}, flags...), "service", "status", "--json")...) // 3 when it does not run
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		w.t.Fatalf("service status: %v\n%s", err, out)
	}
	return s
}

// serviceState is a part of that.
type serviceState struct {
	Installed bool   `json:"installed"`
	State     string `json:"state"`
	PID       int    `json:"pid"`
	Restarts  int    `json:"restarts"`
	Autostart bool   `json:"autostart"`
	Detail    string `json:"detail"`
}

func (w *wine) want(state string, flags ...string) serviceState {
	w.t.Helper()
	s := w.state(flags...)
	if s.State != state {
		w.t.Errorf("%v: the service is %+v, not %s", flags, s, state)
	}
	return s
}

// kill ends the one process with that word in its command line, as a crash would.
func (w *wine) kill(word string) {
	w.t.Helper()
	w.signal(unix.SIGKILL, word)
}

// signal sends a signal to that process.
func (w *wine) signal(signal unix.Signal, word string) {
	w.t.Helper()
	mine, err := os.Readlink("/proc/" + w.leader + "/ns/pid")
	if err != nil {
		w.t.Fatal(err)
	}
	processes, _ := filepath.Glob("/proc/[0-9]*")
	killed := 0
	for _, p := range processes {
		space, _ := os.Readlink(p + "/ns/pid")
		line, _ := os.ReadFile(p + "/cmdline")
		if space != mine || !bytes.Contains(line, []byte(word)) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(p))
		if err != nil || unix.Kill(pid, signal) != nil {
			w.t.Fatalf("%s got no signal", p)
		}
		killed++
	}
	if killed != 1 {
		w.t.Errorf("%d processes with %s got the signal", killed, word)
	}
}

// delivered waits until the tracking service has that many viewings.
func (w *wine) delivered(want int) {
	w.t.Helper()
	i := &instance{machine: w.machine, port: winePort}
	i.delivered(want)
}

// there fails unless a file of the machine is there.
func (w *wine) there(name string) {
	w.t.Helper()
	if _, err := os.Stat(w.path(name)); err != nil {
		w.t.Errorf("%s is gone: %v", name, err)
	}
}

// private fails when others may read what has to be kept from them.
func (w *wine) private(names ...string) {
	w.t.Helper()
	for _, name := range names {
		info, err := os.Stat(w.path(name))
		if err != nil || info.Mode().Perm()&0o007 != 0 {
			w.t.Errorf("%s: %v %v", name, info, err)
		}
	}
}
