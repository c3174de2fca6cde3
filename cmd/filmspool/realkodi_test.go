package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// realKodi runs the script that FILMSPOOL_REAL_KODI names, which starts a real
// Kodi over a small library of its own.
type realKodi struct {
	t      testing.TB
	script string
	dir    string
	port   string
}

// newRealKodi is a Kodi that is not started yet.
func newRealKodi(t *testing.T) *realKodi {
	t.Helper()
	script := os.Getenv("FILMSPOOL_REAL_KODI")
	if script == "" {
		t.Skip("needs a real Kodi: install Debian's kodi and name a script that starts it in FILMSPOOL_REAL_KODI")
	}
	dir, err := os.MkdirTemp("", "filmspool-kodi-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil { // Kodi runs as another user
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0") // a port that is free now
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	k := &realKodi{script: script, dir: dir, port: port}
	k.t = mortal{t, k}
	t.Cleanup(func() { k.try("stop", dir) })
	return k
}

// start starts Kodi, whose clock stands in New York, and returns its userdata
// folder. It leaves the home window: going back there can kill a Kodi 20.1.
func (k *realKodi) start() string {
	k.t.Helper()
	lines := strings.Split(strings.TrimSpace(k.do("start", k.dir)), "\n")
	k.do("rpc", k.dir, "GUI.ActivateWindow", `{"window":"settings"}`)
	return lines[len(lines)-1]
}

// do runs the script and wants it to work, and Kodi to live on.
func (k *realKodi) do(args ...string) string {
	k.t.Helper()
	out, err := k.try(args...)
	if err != nil || k.ended() {
		k.t.Fatalf("real-kodi %v: %v\n%s", args, err, out)
	}
	return out
}

func (k *realKodi) try(args ...string) (string, error) {
	cmd := exec.Command("bash", append([]string{k.script}, args...)...) // its clean-up outlives the test's context
	cmd.Env = append(os.Environ(), "KODI_PORT="+k.port)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, &said)
	}
	return string(out), err
}

// ended reports whether the Kodi that was started runs no more.
func (k *realKodi) ended() bool {
	group, err := os.ReadFile(filepath.Join(k.dir, "kodi.pid"))
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

// log is the end of what it printed.
func (k *realKodi) log() string {
	text, _ := os.ReadFile(filepath.Join(k.dir, "kodi.log"))
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-12):], "\n")
}

// death is the panic of a mortal test.
type death struct{}

// mortal is a test that fails only while its Kodi lives; else it panics.
type mortal struct {
	testing.TB
	kodi interface{ ended() bool }
}

func (m mortal) Fatal(args ...any) {
	m.Helper()
	m.judge()
	m.TB.Fatal(args...)
}

func (m mortal) Fatalf(format string, args ...any) {
	m.Helper()
	m.judge()
	m.TB.Fatalf(format, args...)
}

// judge gives a Kodi that no longer answers two seconds to end.
func (m mortal) judge() {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for range 20 {
		if m.kodi.ended() {
			panic(death{})
		}
		<-tick.C
	}
}

// TestRealKodiEndToEnd watches a real Kodi's library and plays a film in it:
// the first scan sends nothing, the playback arrives once, at its time in UTC,
// within five seconds of its end. It is done again, twice at most, where Kodi
// ended by itself, and for no other reason.
func TestRealKodiEndToEnd(t *testing.T) {
	const most = 2
	for deaths := 0; ; {
		k := newRealKodi(t)
		if endToEnd(t, k) {
			return
		}
		if deaths++; deaths > most {
			t.Fatalf("Kodi ended by itself %d times. The end of its log:\n%s", deaths, k.log())
		}
		t.Logf("Kodi ended by itself (%d of at most %d times): all is done again with a new one. The end of its log:\n%s", deaths, most, k.log())
	}
}

// endToEnd reports whether Kodi lived as long as it was needed. What the
// service has recorded is judged by t, whether Kodi lives or not.
func endToEnd(t *testing.T, kodi *realKodi) (lived bool) {
	defer func() {
		switch cause := recover(); cause.(type) {
		case nil:
		case death:
			lived = false
		default:
			panic(cause)
		}
	}()
	userdata := kodi.start()
	h := newHousehold(t)
	h.t = kodi.t
	config := filepath.Join(h.dir, "config", "filmspool", "config.toml")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, fmt.Appendf(nil, "[[kodi.libraries]]\nuserdata = %q\n", userdata), 0o600); err != nil {
		t.Fatal(err)
	}
	box := h.start("sandbox", "--listen", "127.0.0.1:0", "--state-dir", h.dir+"/box", "--secret-key", secretKey)
	h.do(secretKey, "login", "--base-url", "http://"+box.address+"/api/v1", "--key-stdin")
	h.start("run")
	h.until("the first scan", func() bool { return strings.Contains(h.try("status"), "5 films and 6 episodes, 1 watched") })
	if n := len(h.records(box.address).History); n != 0 {
		t.Fatalf("the first scan sent %d viewings", n)
	}

	kodi.do("play", kodi.dir, "movie", "1")
	ended := time.Now()
	h.delivered(1)
	h.t = t
	records := h.records(box.address).History
	if len(records) != 1 || records[0].ID != 603 {
		t.Fatalf("recorded %+v, want film 603 once", records)
	}
	got := records[0]
	if off := ended.Sub(got.WatchedAt.Time); off < -2*time.Second || off > 8*time.Second {
		t.Errorf("watched at %v, but Kodi ended it about %v", got.WatchedAt, ended.UTC())
	}
	late := got.ReceivedAt.Sub(got.WatchedAt.Time)
	if late > 5*time.Second {
		t.Errorf("arrived %v after its end, want at most 5s", late)
	}
	t.Logf("arrived %v after its end", late.Round(time.Millisecond))
	return true
}
