// Package realkodi drives a real Kodi, for tests that hold ours against it.
//
// It owns the life of one Kodi over a small library of its own: its start and
// end, its JSON-RPC, playbacks, its window. It promises that what fails because
// Kodi has ended by itself is told from every other failure ([Lives]): Kodi
// 20.1 aborts now and then, when its threads lock each other out and its C
// library notices.
//
// It refuses to bring a Kodi along: a script of which [Script] gives the path
// installs and starts it.
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

	script, port string
}

// Script is the path of the program that starts a Kodi; without one the test
// is skipped.
func Script(t testing.TB) string {
	t.Helper()
	script := os.Getenv("FILMSPOOL_REAL_KODI")
	if script == "" {
		t.Skip("needs a real Kodi 20.1: run \"real-kodi install\" as root once, then set FILMSPOOL_REAL_KODI to the path of that script")
	}
	return script
}

// New prepares a Kodi in a folder, which need not exist. Kodi runs as another
// user, who must be able to get there.
func New(t testing.TB, script, dir string) *Kodi {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0") // a port that is free now
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return &Kodi{T: t, Dir: dir, script: script, port: port}
}

// Userdata is where Kodi keeps its library and settings.
func (k *Kodi) Userdata() string { return filepath.Join(k.Dir, "home", ".kodi", "userdata") }

// Database is the path of the library.
func (k *Kodi) Database() string { return filepath.Join(k.Userdata(), "Database", "MyVideos121.db") }

// Start makes the media and starts Kodi, whose clock stands in New York.
func (k *Kodi) Start() {
	k.T.Helper()
	cmd := exec.CommandContext(k.T.Context(), "bash", k.script, "start", k.Dir)
	cmd.Env = append(os.Environ(), "KODI_PORT="+k.port, "KODI_TZ=America/New_York")
	if out, err := cmd.CombinedOutput(); err != nil {
		k.T.Fatalf("start Kodi: %v\n%s", err, out)
	}
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
	if err := os.WriteFile(settings, text, 0o644); err != nil {
		k.T.Fatal(err)
	}
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
	if err := os.WriteFile(k.pid(), fmt.Appendln(nil, cmd.Process.Pid), 0o644); err != nil {
		k.T.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); k.gone() && time.Now().Before(deadline); { // its own start script comes first
		time.Sleep(20 * time.Millisecond)
	}
	k.Await("answer after its start", k.answers)
	k.QuietWindow()
}

func (k *Kodi) pid() string { return filepath.Join(k.Dir, "kodi.pid") }

// Stop has Kodi quit. It is no failure if it has ended before.
func (k *Kodi) Stop() {
	if _, err := os.Stat(k.pid()); err != nil {
		return // never started
	}
	cmd := exec.CommandContext(context.Background(), "bash", k.script, "stop", k.Dir) // it outlives the test's context
	cmd.Env = append(os.Environ(), "KODI_PORT="+k.port)
	if out, err := cmd.CombinedOutput(); err != nil {
		k.T.Errorf("stop Kodi: %v\n%s", err, out)
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
	answer, err := k.ask(method, params...)
	if err != nil {
		k.T.Fatalf("%s: %v", method, err)
	}
	if answer["error"] != nil {
		k.T.Fatalf("%s: Kodi answers %v", method, answer["error"])
	}
	return answer
}

func (k *Kodi) ask(method string, params ...any) (answer map[string]any, err error) {
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
	limit := time.After(30 * time.Second)
	for !done() {
		if k.gone() {
			k.T.Fatalf("Kodi: no %s, it has ended", what)
		}
		select {
		case <-tick.C:
		case <-limit:
			k.T.Fatalf("Kodi: no %s within 30 s", what)
		}
	}
}
