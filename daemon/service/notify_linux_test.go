package service

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

func TestNotifySpeaksToTheSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	for _, name := range []string{path, "@filmspool-test-" + strconv.Itoa(os.Getpid())} {
		conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("NOTIFY_SOCKET", name)
		if err := Notify("READY=1\nSTATUS=up"); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 100)
		n, err := conn.Read(buf)
		if err != nil || string(buf[:n]) != "READY=1\nSTATUS=up" {
			t.Errorf("%s: got %q, %v", name, buf[:n], err)
		}
		conn.Close()
	}
}

func TestNotifyWithoutSystemd(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	if err := Notify("READY=1"); err != nil {
		t.Error(err)
	}
	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "nobody"))
	if err := Notify("READY=1"); err == nil {
		t.Error("nobody listens, and no error")
	}
}

func TestWatchdogInterval(t *testing.T) {
	own := strconv.Itoa(os.Getpid())
	for _, c := range []struct {
		micros, pid string
		want        time.Duration
	}{
		{"60000000", own, 30 * time.Second},
		{"60000000", "", 30 * time.Second},
		{"60000000", "1", 0},
		{"", own, 0},
		{"-5", own, 0},
		{"soon", own, 0},
	} {
		t.Setenv("WATCHDOG_USEC", c.micros)
		t.Setenv("WATCHDOG_PID", c.pid)
		if got := WatchdogInterval(); got != c.want {
			t.Errorf("%q for %q: got %v, want %v", c.micros, c.pid, got, c.want)
		}
	}
}
