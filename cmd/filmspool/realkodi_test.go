package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// realKodi runs the script that FILMSPOOL_REAL_KODI names, which starts a real
// Kodi over a small library of its own.
type realKodi struct {
	t      *testing.T
	script string
	dir    string
	port   string
}

// startRealKodi starts Kodi, whose clock stands in New York, and returns its
// userdata folder.
func startRealKodi(t *testing.T) (*realKodi, string) {
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
	k := &realKodi{t: t, script: script, dir: dir, port: port}
	t.Cleanup(func() { k.try("stop", dir) })
	lines := strings.Split(strings.TrimSpace(k.do("start", dir)), "\n")
	return k, lines[len(lines)-1]
}

// do runs the script and wants it to work.
func (k *realKodi) do(args ...string) string {
	k.t.Helper()
	out, err := k.try(args...)
	if err != nil {
		k.t.Fatalf("real-kodi %v: %v\n%s", args, err, out)
	}
	return out
}

func (k *realKodi) try(args ...string) (string, error) {
	cmd := exec.Command("bash", append([]string{k.script}, args...)...) // its clean-up outlives the test's context
	cmd.Env = append(os.Environ(), "KODI_PORT="+k.port)
	out, err := cmd.Output()
	return string(out), err
}

// TestRealKodiEndToEnd watches a real Kodi's library and plays a film in it:
// the first scan sends nothing, the playback arrives once, at its time in UTC,
// within five seconds of its end.
func TestRealKodiEndToEnd(t *testing.T) {
	kodi, userdata := startRealKodi(t)
	h := newHousehold(t)
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
}
