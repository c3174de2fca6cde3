//go:build linux && long

package main

import (
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/kodi/kodisim"
)

// wakeups counts how often an idle process runs within a span. Samples are taken every 20 ms;
// consecutive samples in which any thread has slept again, started or ended count as one.
func wakeups(t *testing.T, pid int, span time.Duration) int {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	end := time.After(span)
	count, awake, was := 0, false, sleeps(t, pid)
	for {
		select {
		case <-end:
			return count
		case <-tick.C:
		}
		now := sleeps(t, pid)
		moved := !maps.Equal(now, was)
		if moved && !awake {
			count++
		}
		awake, was = moved, now
	}
}

// sleeps returns how often each thread of a process has gone to sleep.
func sleeps(t *testing.T, pid int) map[string]string {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(files) == 0 {
		t.Fatalf("process %d is gone, %v", pid, err)
	}
	times := map[string]string{}
	for _, file := range files {
		text, _ := os.ReadFile(file) // a thread may end at any time
		_, after, _ := strings.Cut(string(text), "\nvoluntary_ctxt_switches:")
		times[file], _, _ = strings.Cut(after, "\n")
	}
	return times
}

// An idle daemon with a watched library, a working account, a watchdog and no waiting entries
// wakes up at most three times a minute.
func TestIdleHardlyWakes(t *testing.T) {
	h := newFixture(t)
	userdata := filepath.Join(h.dir, "userdata")
	kodi := kodisim.Create(userdata, 121)
	defer kodi.Close()
	h.configure("[[kodi.libraries]]\nuserdata = %q\n", userdata)
	box := h.sandbox("127.0.0.1:0")
	manager, err := net.ListenPacket("unixgram", filepath.Join(h.dir, "notify"))
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	h.env = append(h.env, "NOTIFY_SOCKET="+filepath.Join(h.dir, "notify"), "WATCHDOG_USEC=180000000")
	run := h.start("run")
	h.login(box.baseURL())
	h.do("", "add", "603")
	h.delivered(1)
	pid := run.cmd.Process.Pid
	if n := wakeups(t, pid, 5*time.Second); n == 0 {
		t.Error("the end of the work does not show in the count")
	}
	n := wakeups(t, pid, time.Minute)
	t.Logf("%d wake-ups in an idle minute", n)
	if n > 3 {
		t.Errorf("%d wake-ups in an idle minute, want at most 3", n)
	}
}
