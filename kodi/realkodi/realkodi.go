//go:build kodi

// Package realkodi drives a real Kodi, for tests that hold ours against it.
//
// It owns the life of one Kodi over a small library of its own: its start and
// end, its JSON-RPC, playbacks, its window. It promises to tell Kodi's own end
// from every other failure ([Lives]). Kodi 20.1 aborts now and then, when its
// threads lock each other out and its C library notices.
//
// It needs root and Debian's packages kodi, kodi-bin, xvfb, xauth, libgl1-mesa-dri,
// libegl-mesa0, ffmpeg and sqlite3, and is built with the tag kodi only.
package realkodi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// Kodi is a real Kodi 20.1 at work over a small library of its own. Its
// methods fail the test T when they cannot do their work.
type Kodi struct {
	T   testing.TB // the test that drives it now
	Dir string     // its folder: media, home, log

	port string
}

// New prepares a Kodi in a folder, which need not exist. Kodi runs as another
// user, who must be able to get there.
func New(t testing.TB, dir string) *Kodi {
	t.Helper()
	return &Kodi{T: t, Dir: dir, port: FreePort(t)}
}

// Userdata is where Kodi keeps its library and settings.
func (k *Kodi) Userdata() string { return filepath.Join(k.Dir, "home", ".kodi", "userdata") }

// Database is the path of the library.
func (k *Kodi) Database() string { return filepath.Join(k.Userdata(), "Database", "MyVideos121.db") }

// Start makes the media and starts Kodi, whose clock stands in New York. It
// returns when the library is filled.
func (k *Kodi) Start() {
	k.T.Helper()
	const zone = "America/New_York"
	k.collect(zone)
	k.launch(zone)
	k.scan()
	k.QuietWindow()
}

// Again starts a Kodi that was stopped, with what it has, and its clock in a zone.
func (k *Kodi) Again(zone string) {
	k.T.Helper()
	settings := filepath.Join(k.Userdata(), "guisettings.xml")
	text, err := os.ReadFile(settings)
	if err != nil {
		k.T.Fatal(err)
	}
	text = regexp.MustCompile(`(id="locale\.timezone")[^>]*>[^<]*<`).ReplaceAll(text, []byte("${1}>"+zone+"<"))
	k.write(settings, string(text))
	k.launch(zone)
	k.QuietWindow()
}

// launch starts Kodi as a user of its own, in a group of processes of its own,
// and waits until it answers.
func (k *Kodi) launch(zone string) {
	k.T.Helper()
	log, err := os.Create(filepath.Join(k.Dir, "kodi.log"))
	if err != nil {
		k.T.Fatal(err)
	}
	defer log.Close()
	cmd := exec.CommandContext(context.Background(), "setsid", "bash", "-c", `exec setpriv --reuid=kodi-run --regid="$(id -g kodi-run)" --clear-groups \
		xvfb-run -a -s '-screen 0 640x360x24' /usr/lib/*/kodi/kodi.bin --standalone --windowing=x11 --audio-backend=alsa`)
	cmd.Env = append(os.Environ(), "HOME="+filepath.Join(k.Dir, "home"), "XDG_RUNTIME_DIR="+filepath.Join(k.Dir, "run"),
		"LIBGL_ALWAYS_SOFTWARE=1", "LANG=C.UTF-8", "TZ="+zone)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		k.T.Fatal(err)
	}
	go func() { _ = cmd.Wait() }() // it leaves no zombie behind
	k.write(k.pid(), fmt.Sprintln(cmd.Process.Pid))
	for deadline := time.Now().Add(10 * time.Second); k.gone() && time.Now().Before(deadline); { // its own start script comes first
		time.Sleep(20 * time.Millisecond)
	}
	k.Await("answer after its start", k.answers)
}

func (k *Kodi) pid() string { return filepath.Join(k.Dir, "kodi.pid") }

// Stop has Kodi quit, and kills what is left of it after ten seconds. It is no
// failure if it has ended before.
func (k *Kodi) Stop() {
	group, err := os.ReadFile(k.pid())
	if err != nil {
		return // never started
	}
	_, _ = k.Ask("Application.Quit") // it may end before it has answered
	const end = `for _ in $(seq 100); do kill -0 -- "-$0" 2>/dev/null || exit 0; sleep 0.1; done; kill -- "-$0" || true`
	cmd := exec.CommandContext(context.Background(), "bash", "-c", end, strings.TrimSpace(string(group))) // it outlives the test's context
	if out, err := cmd.CombinedOutput(); err != nil {
		k.T.Errorf("stop Kodi: %v\n%s", err, out)
	}
	if err := os.Remove(k.pid()); err != nil {
		k.T.Error(err)
	}
}

// Kill ends Kodi at once, as a power cut does.
func (k *Kodi) Kill() {
	k.T.Helper()
	group, err := os.ReadFile(k.pid())
	if err != nil {
		k.T.Fatal(err)
	}
	k.run("kill", "-KILL", "--", "-"+strings.TrimSpace(string(group)))
	if err := os.Remove(k.pid()); err != nil {
		k.T.Fatal(err)
	}
}

// Ended tells a Kodi that has ended by itself from one that lives. One that
// does not answer may be about to end.
func (k *Kodi) Ended() bool {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(5 * time.Second)
	for !k.gone() {
		if k.answers() {
			return false
		}
		select {
		case <-tick.C:
		case <-limit:
			return false // it hangs
		}
	}
	return true
}

// gone reports whether the Kodi that was started runs no more. One that never
// came to be started is not gone.
func (k *Kodi) gone() bool {
	group, err := os.ReadFile(k.pid())
	if err != nil {
		return false
	}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	return !slices.ContainsFunc(stats, func(path string) bool {
		text, _ := os.ReadFile(path) // or it has just ended
		stat := strings.Fields(string(text))
		return len(stat) > 4 && stat[1] == "(kodi.bin)" && stat[2] != "Z" && stat[4] == strings.TrimSpace(string(group))
	})
}

// Tail is the end of what Kodi printed and of what it logged.
func (k *Kodi) Tail() string {
	var lines []string
	for _, name := range []string{"home/.kodi/temp/kodi.log", "kodi.log"} {
		text, _ := os.ReadFile(filepath.Join(k.Dir, name))
		all := strings.Split(strings.TrimSpace(string(text)), "\n")
		lines = append(lines, all[max(0, len(all)-12):]...)
	}
	return strings.Join(lines, "\n")
}

// answers reports whether Kodi answers within a second: even "who are you?" will do.
func (k *Kodi) answers() bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, "GET", "http://127.0.0.1:"+k.port+"/jsonrpc", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	return response.Body.Close() == nil
}

// Call is one JSON-RPC call; params alternate name and value.
func (k *Kodi) Call(method string, params ...any) map[string]any {
	k.T.Helper()
	answer, err := k.Ask(method, params...)
	if err != nil {
		k.T.Fatalf("%s: %v", method, err)
	}
	if answer["error"] != nil {
		k.T.Fatalf("%s: Kodi answers %v", method, answer["error"])
	}
	return answer
}

// Ask is Call for an answer that may be an error of Kodi's.
func (k *Kodi) Ask(method string, params ...any) (answer map[string]any, err error) {
	named := map[string]any{}
	for i := 0; i+1 < len(params); i += 2 {
		named[params[i].(string)] = params[i+1]
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": named})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, "POST", "http://127.0.0.1:"+k.port+"/jsonrpc", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.SetBasicAuth("kodi", "kodi")
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	return answer, json.Unmarshal(text, &answer)
}

// Await polls: Kodi's own world gives no other sign.
func (k *Kodi) Await(what string, done func() bool) {
	k.T.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(2 * time.Minute)
	for !done() {
		if k.gone() {
			k.T.Fatalf("Kodi: no %s, it has ended", what)
		}
		select {
		case <-tick.C:
		case <-limit:
			k.T.Fatalf("Kodi: no %s within two minutes", what)
		}
	}
}

// FreePort is a port of loopback that nobody listens on now.
func FreePort(t testing.TB) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}
