package nudge

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// inside is set for the test's own copy in a network of its own.
const inside = "NUDGE_TEST_INSIDE"

// alone runs the calling test again in a network namespace of its own, where
// it may change everything, and reports whether this is that run.
func alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv(inside) != "" {
		return true
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("needs the program ip (Debian: iproute2)")
	}
	t.Parallel()
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
	c.Env = append(os.Environ(), inside+"=1")
	c.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	if os.Getuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET}
	}
	out, err := c.CombinedOutput()
	if c.ProcessState == nil {
		t.Skipf("needs root, or a system that lets users have a network of their own: %v", err)
	}
	if text := string(out); err != nil || !strings.Contains(text, "--- PASS: "+t.Name()) {
		if strings.Contains(text, "--- SKIP") {
			t.Skip(text)
		}
		t.Fatalf("%v\n%s", err, text)
	}
	return false
}

// ip changes the network; arguments are parted by spaces.
func ip(t *testing.T, arguments string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "ip", strings.Fields(arguments)...).CombinedOutput(); err != nil {
		t.Fatalf("ip %s: %v\n%s", arguments, err, out)
	}
}

// pair adds two interfaces that are each other's end.
func pair(t *testing.T) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "ip", "link", "add", "one", "type", "veth", "peer", "name", "two").CombinedOutput(); err != nil {
		t.Skipf("needs a kernel with veth: %v\n%s", err, out)
	}
	ip(t, "link set one up")
	ip(t, "link set two up")
}

// TestKernelTellsOfTheNetwork changes a real network.
func TestKernelTellsOfTheNetwork(t *testing.T) {
	if !alone(t) {
		return
	}
	armed, wakes := make(chan bool), make(chan string, 100)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, Options{Armed: armed}, func(reason string) { wakes <- reason }) }()
	defer func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	woken := func(what string) {
		t.Helper()
		select {
		case reason := <-wakes:
			if reason != Network {
				t.Fatalf("%s: woken by %q", what, reason)
			}
		case <-time.After(15 * time.Second): // half of what a mere look would take
			t.Fatalf("%s: no nudge", what)
		}
	}
	armed <- true
	armed <- true // taken only while watching: the socket is open
	pair(t)
	ip(t, "address add 192.0.2.1/24 dev one")
	woken("an address")
	ip(t, "route add default via 192.0.2.2")
	woken("a default route")
	ip(t, "link delete one")
	woken("an interface gone")
	armed <- false
	ip(t, "link set lo up")
	pair(t)
	ip(t, "address add 192.0.2.1/24 dev one")
	select {
	case reason := <-wakes:
		t.Errorf("woken by %q while nothing waits", reason)
	case <-time.After(2 * time.Second):
	}
}

// TestNewsOfTheNetwork shows what is certain, and what changes nothing.
func TestNewsOfTheNetwork(t *testing.T) {
	if !alone(t) {
		return
	}
	e, err := listen()
	if err != nil {
		t.Fatal(err)
	}
	defer e.close()
	before := addresses()
	pair(t)
	ip(t, "route add 198.51.100.0/24 dev one")
	ip(t, "link delete one")
	if after := addresses(); before != after {
		t.Errorf("an interface that leads nowhere made %q of %q", after, before)
	}
	heard(t, e, false)
	pair(t)
	table := tables()
	ip(t, "address add 192.0.2.1/24 dev one")
	if addresses() == before || tables() == table {
		t.Error("the new address does not show")
	}
	heard(t, e, false)
	ip(t, "route add default via 192.0.2.2")
	heard(t, e, true)
}

// heard takes all the news there is, and fails unless some of it is certain
// exactly if it should be.
func heard(t *testing.T, e *ear, want bool) {
	t.Helper()
	ip(t, "link set lo mtu 1400") // the mark behind what was done so far
	ip(t, "link set lo mtu 1500")
	some, any, quiet := false, false, 20*time.Second
	for {
		select {
		case certain := <-e.news:
			some, any = some || certain, true
			if some == want { // else a slow machine has more to tell
				quiet = 500 * time.Millisecond
			}
			continue
		case <-time.After(quiet):
		}
		break
	}
	if !any || some != want {
		t.Errorf("heard %v, certain %v, want %v", any, some, want)
	}
}

func TestNonsenseIsCertain(t *testing.T) {
	if !certain([]byte("not a message of the kernel")) || certain(nil) {
		t.Error("garbage is read as no change, or silence as one")
	}
}

// TestListeningEnds shows that closing ends a read that waits.
func TestListeningEnds(t *testing.T) {
	for range 3 {
		e, err := listen()
		if err != nil {
			t.Skipf("needs a netlink socket: %v", err)
		}
		e.close()
		if _, ok := <-e.news; ok {
			t.Error("news after the end")
		}
	}
}
