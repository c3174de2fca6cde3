package test

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/filmspool/filmspool/connector/client"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/queue/viewing"
)

// TestExeInWine takes the installers for Windows and the program through all the
// ways it runs there: in a terminal, with a person's login, and as the machine's
// service.
func TestExeInWine(t *testing.T) {
	w := startWine(t)
	if out := w.filmspool("", "version"); !strings.Contains(out, "windows/amd64") {
		t.Errorf("version says %q", out)
	}
	for _, part := range []struct {
		name string
		life func(*wine)
	}{
		{"installers", (*wine).installers},
		{"foreground", (*wine).foreground},
		{"login", (*wine).atLogin},
		{"crash", (*wine).crashesAtLogin},
		{"service", (*wine).asService},
		{"failure", (*wine).serviceFails},
		{"both", (*wine).twoOfThem},
	} {
		t.Run(part.name, func(t *testing.T) { part.life(&wine{&machine{t: t, leader: w.leader}}) })
	}
	w.delivered(4) // and nothing was sent twice on the way
}

// login gives the key, and the address of the tracking service.
func (w *wine) login(flags ...string) {
	w.t.Helper()
	out := w.filmspool(secretKey+"\n", append(flags, "login", "--key-stdin", "--base-url", fmt.Sprintf("http://127.0.0.1:%d/api/v1", winePort))...)
	if !strings.Contains(out, "The key is good") {
		w.t.Errorf("login: %s", out)
	}
}

// foreground: the program in a terminal, other commands beside it, a browser,
// and an end by Ctrl-C's stand-in.
func (w *wine) foreground() {
	w.t.Helper()
	const dir = `C:\fore`
	state := []string{"--state-dir", dir}
	w.background("run", append([]string{"wine", exe, "run", "--listen", "127.0.0.1:43460"}, state...)...)
	eventually(w.t, "program in the foreground", 30*time.Second, func() bool {
		text, _ := os.ReadFile(w.path("/tmp/run.out"))
		return strings.Contains(string(text), "ready on http://127.0.0.1:43460")
	})
	w.login(state...)
	w.filmspool("", append(state, "add", "movie", "603")...)
	w.delivered(1)
	if out := w.filmspool("", append(state, "queue", "list")...); !strings.Contains(out, "delivered") {
		w.t.Errorf("queue list: %s", out)
	}
	w.private(wineDrive+"fore", wineDrive+"fore/keys/default.json", wineDrive+"fore/control.json")
	w.browser("127.0.0.1:43460", state)
	w.delivered(2)
	w.refused(1, "another", append(state, "run", "--listen", "127.0.0.1:43461")...)
	w.refused(78, "43460", "run", "--state-dir", `C:\other`, "--listen", "127.0.0.1:43460")
	w.refused(78, "is there", "run", "--config", `C:\no\such.toml`)
	w.signal(unix.SIGINT, "127.0.0.1:43460") // Ctrl-C
	eventually(w.t, "orderly end", 30*time.Second, func() bool {
		_, err := os.Stat(w.path(wineDrive + "fore/control.json"))
		return errors.Is(err, fs.ErrNotExist)
	})
}

// browser pairs, says hello again with its token, and reports a viewing.
func (w *wine) browser(address string, state []string) {
	w.t.Helper()
	var code struct {
		Code string `json:"code"`
	}
	if err := json.Unmarshal([]byte(w.filmspool("", append(state, "pair", "--json")...)), &code); err != nil {
		w.t.Fatal(err)
	}
	o := client.Options{
		URL: "ws://" + address + "/v1/connector", Origin: "chrome-extension://" + strings.Repeat("a", 32),
		Info: protocol.ClientInfo{Name: "test", Version: "1", Browser: "chromium"}, Dial: w.connect,
	}
	c, err := client.Dial(w.t.Context(), o)
	if err != nil {
		w.t.Fatal(err)
	}
	o.ClientID, o.Token, err = c.Pair(w.t.Context(), code.Code, "a browser")
	if err != nil {
		w.t.Fatal(err)
	}
	c.Close()
	if c, err = client.Dial(w.t.Context(), o); err != nil {
		w.t.Fatal(err)
	}
	defer c.Close()
	media := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 604}}
	if _, err := c.Viewing(w.t.Context(), protocol.Viewing{ID: uuid(), Media: media, WatchedAt: time.Now().UTC().Format(time.RFC3339)}); err != nil {
		w.t.Fatal(err)
	}
}

// uuid makes the name of an event.
func uuid() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	x := hex.EncodeToString(b[:])
	return strings.Join([]string{x[:8], x[8:12], x[12:16], x[16:20], x[20:]}, "-")
}

// atLogin: a person's own service, every verb twice.
func (w *wine) atLogin() {
	w.t.Helper()
	w.want("not installed")
	w.refused(1, "filmspool service install", "service", "start")
	w.refused(1, "filmspool --system service install", "service", "install", "--linger")
	w.filmspool("", "service", "install")
	w.filmspool("", "service", "install")
	w.want("stopped")
	w.filmspool("", "service", "start")
	first := w.want("running")
	w.filmspool("", "service", "start")
	if again := w.want("running"); again.PID != first.PID || first.PID == 0 || !first.Autostart {
		w.t.Errorf("a second start made %+v of %+v", again, first)
	}
	w.login()
	w.filmspool("", "add", "movie", "605")
	w.delivered(3)
	w.filmspool("", "service", "restart")
	if again := w.want("running"); again.PID == first.PID {
		w.t.Error("a restart started nothing")
	}
	w.refused(1, "another", "run", "--listen", "127.0.0.1:43462")
	if out := w.filmspool("", "service", "logs"); strings.Count(out, "ready on http://127.0.0.1:43456") != 2 || strings.Contains(out, secretKey) {
		w.t.Errorf("the log of two starts:\n%s", out)
	}
	w.private(wineLocal, wineLocal+"keys/default.json")
	w.filmspool("", "service", "stop")
	w.filmspool("", "service", "stop")
	w.want("stopped")
	if out, err := w.start(time.Minute, "", "wine", "reg", "query", `HKCU\Software\Microsoft\Windows\CurrentVersion\Run`); err != nil || !strings.Contains(out, exe+" run --service-host=login") {
		w.t.Errorf("what a login starts: %v\n%s", err, out)
	}
}

// crashesAtLogin: what was killed comes back, what is configured wrongly does
// not, and both are told.
func (w *wine) crashesAtLogin() {
	w.t.Helper()
	w.filmspool("", "service", "start")
	first := w.want("running")
	w.kill("--service-host=child")
	eventually(w.t, "word of the crash", 10*time.Second, func() bool { return w.state().State == "restarting" })
	eventually(w.t, "another start", 30*time.Second, func() bool { s := w.state(); return s.State == "running" && s.PID != first.PID && s.Restarts == 1 })
	if out := w.filmspool("", "service", "logs"); !strings.Contains(out, "started again after 5s") {
		w.t.Errorf("the log does not tell of the crash:\n%s", out)
	}
	w.kill("--service-host=login") // nobody watches now; the program goes on
	w.want("running")
	w.filmspool("", "service", "stop")
	w.want("stopped")

	w.write(wineRoam+"config.toml", "no_such_setting = 1\n")
	w.refused(1, "no_such_setting", "service", "start")
	if s := w.want("failed"); !strings.Contains(s.Detail, "until this is mended") {
		w.t.Errorf("the failure is told as %+v", s)
	}
	if out := w.filmspool("", "service", "logs"); strings.Count(out, "no_such_setting") != 1 {
		w.t.Errorf("the log tells the failure so:\n%s", out)
	}
	w.forget(wineRoam + "config.toml")
	w.filmspool("", "service", "start")
	w.want("running")
	w.filmspool("", "service", "uninstall")
	w.filmspool("", "service", "uninstall")
	w.want("not installed")
	w.there(wineLocal + "filmspool.db")
	w.there(wineLocal + "keys/default.json")
}

// asService: the machine's service, every verb twice.
func (w *wine) asService() {
	w.t.Helper()
	const system = "--system"
	w.want("not installed", system)
	w.refused(1, "filmspool --system service install", system, "service", "start")
	w.run("", "install", "-m", "755", wineDrive+"filmspool/filmspool.exe", wineDrive+"users/kid/filmspool.exe")
	if out, err := w.start(time.Minute, "", "wine", `C:\users\kid\filmspool.exe`, system, "service", "install"); err == nil || !strings.Contains(out, "your own folder") {
		w.t.Errorf("a program that the account cannot read was installed: %v\n%s", err, out)
	}
	if out := w.filmspool("", system, "service", "install"); !strings.Contains(out, `icacls "C:\users\kid\AppData\Roaming\Kodi\userdata"`) {
		w.t.Errorf("the account is not told of: %s", out)
	}
	w.filmspool("", system, "service", "install")
	w.want("stopped", system)
	w.filmspool("", system, "service", "start")
	w.filmspool("", system, "service", "start")
	first := w.want("running", system)
	w.login(system)
	w.filmspool("", system, "add", "episode", "--show", "1396", "--season", "1", "--episode", "2")
	w.delivered(4)
	w.filmspool("", system, "status")
	w.filmspool("", system, "service", "restart")
	if again := w.want("running", system); again.PID == first.PID || again.PID == 0 || !again.Autostart {
		w.t.Errorf("a restart made %+v of %+v", again, first)
	}
	w.private(wineData + "keys/default.json")
	const services = `HKLM\System\CurrentControlSet\Services\filmspool`
	out, err := w.start(time.Minute, "", "wine", "reg", "query", services)
	for _, want := range []string{`NT SERVICE\filmspool`, exe + " run --system --service-host=scm", "Keeps what you watched"} {
		if err != nil || !strings.Contains(out, want) {
			w.t.Errorf("the service manager does not know %s: %v\n%s", want, err, out)
		}
	}
}

// serviceFails: killed, and configured wrongly; and removed while it runs.
func (w *wine) serviceFails() {
	w.t.Helper()
	const system = "--system"
	w.kill("--service-host=scm")
	eventually(w.t, "word of the kill", 30*time.Second, func() bool { return w.state(system).State != "running" })
	w.filmspool("", system, "service", "start")
	w.want("running", system)
	w.filmspool("", system, "service", "stop")
	w.filmspool("", system, "service", "stop")
	w.want("stopped", system)

	w.write(wineData+"config.toml", "no_such_setting = 1\n")
	w.refused(1, "no_such_setting", system, "service", "start")
	if s := w.want("failed", system); !strings.Contains(s.Detail, "until this is mended") {
		w.t.Errorf("the failure is told as %+v", s)
	}
	w.forget(wineData + "config.toml")
	if out := w.filmspool("", system, "service", "logs"); !strings.Contains(out, "no_such_setting") || strings.Contains(out, secretKey) {
		w.t.Errorf("the log:\n%s", out)
	}
	w.filmspool("", system, "service", "start")
	w.want("running", system)
	w.filmspool("", system, "service", "uninstall")
	w.filmspool("", system, "service", "uninstall")
	w.want("not installed", system)
	w.there(wineData + "filmspool.db")
	w.there(wineData + "keys/default.json")
}

// twoOfThem: a person's and the machine's want the same port.
func (w *wine) twoOfThem() {
	w.t.Helper()
	w.filmspool("", "--system", "service", "install")
	w.filmspool("", "--system", "service", "start")
	w.filmspool("", "service", "install")
	w.refused(78, "43456", "service", "start")
	w.filmspool("", "service", "uninstall")
	w.filmspool("", "--system", "service", "uninstall")
}

// write makes a file of the machine's person.
func (w *wine) write(name, text string) {
	w.t.Helper()
	w.run(text, "sh", "-c", `mkdir -p "$(dirname "$0")" && cat >"$0" && chown -R kid: "$(dirname "$0")"`, name)
}

func (w *wine) forget(name string) {
	w.t.Helper()
	if err := os.Remove(w.path(name)); err != nil {
		w.t.Fatal(err)
	}
}
