package test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// program is where the tested program stands in the machine.
const program = "/usr/local/bin/filmspool"

// machine is a booted Debian.
type machine struct {
	t      *testing.T
	leader string // its process 1, as seen from here
	off    func() // ends it before the test does
}

// boot unpacks and starts a machine with systemd that ends with the test. It
// has the program, and more files where more says: a path in it, and the file
// here.
func boot(t *testing.T, more map[string]string) *machine {
	t.Helper()
	tar, binary := os.Getenv("FILMSPOOL_NSPAWN_ROOT"), os.Getenv("FILMSPOOL_BINARY")
	if tar == "" || binary == "" {
		t.Skip("FILMSPOOL_NSPAWN_ROOT or FILMSPOOL_BINARY is not set; see the package comment")
	}
	root := unpack(t, tar, binary)
	for path, file := range more {
		must(t, exec.CommandContext(t.Context(), "install", "-m", "644", file, filepath.Join(root, path)))
	}
	return start(t, root, systemdIsUp)
}

func systemdIsUp(m *machine) bool {
	out, _ := m.try("", "systemctl", "is-system-running")
	return strings.HasPrefix(out, "running") || strings.HasPrefix(out, "degraded")
}

// unpack makes the root file system of a machine, with the program in it.
func unpack(t *testing.T, tar, binary string) string {
	t.Helper()
	root := t.TempDir()
	must(t, exec.CommandContext(t.Context(), "tar", "-C", root, "-xf", tar, "--exclude=./dev/*"))
	must(t, exec.CommandContext(t.Context(), "install", "-m", "755", binary, filepath.Join(root, program)))
	return root
}

// start boots a machine that ends with the test, and waits until it is up.
// What is written in it is forgotten with it, unless there are options, which
// take the place of the one that does this.
func start(t *testing.T, root string, up func(*machine) bool, options ...string) *machine {
	t.Helper()
	if len(options) == 0 {
		options = []string{"--volatile=overlay"}
	}
	console := new(bytes.Buffer)
	nspawn := apart(t, "systemd-nspawn", append([]string{
		"--quiet", "--directory=" + root, "--boot",
		"--register=no", "--keep-unit", "--private-network", "--link-journal=no", "--console=pipe",
	}, options...)...)
	// On a machine with the older control groups nobody tells when one is empty.
	nspawn.Env = append(os.Environ(), "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1")
	nspawn.Stdout, nspawn.Stderr = console, console
	if err := nspawn.Start(); err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t}
	m.off = sync.OnceFunc(func() { m.powerOff(nspawn, console) })
	t.Cleanup(m.off)
	// nspawn has other children before the one that stays.
	eventually(t, "machine", 90*time.Second, func() bool {
		children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", nspawn.Process.Pid))
		m.leader = strings.TrimSpace(string(children))
		return err == nil && m.leader != "" && !strings.Contains(m.leader, " ") && up(m)
	})
	return m
}

// powerOff ends the machine at once: nothing in it is worth an orderly stop.
// Killing process 1 of its namespace takes all others along.
func (m *machine) powerOff(nspawn *exec.Cmd, console *bytes.Buffer) {
	leader, err := strconv.Atoi(m.leader)
	if err != nil || unix.Kill(leader, unix.SIGKILL) != nil {
		_ = nspawn.Process.Kill()
	}
	_ = nspawn.Wait()
	if m.t.Failed() {
		m.t.Logf("the machine's console:\n%s", console)
	}
}

// command is a command that runs in the machine as root.
func (m *machine) command(ctx context.Context, args ...string) *exec.Cmd {
	enter := append(append([]string{"-c", join, "enter"}, m.groups()...),
		"--", "nsenter", "-t", m.leader, "-m", "-u", "-i", "-n", "-p", "-C", "env", "-i",
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8")
	return exec.CommandContext(ctx, "sh", append(enter, args...)...)
}

// try runs a command and returns what it wrote to standard output.
func (m *machine) try(stdin string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := m.command(ctx, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String(), fmt.Errorf("%s: %w\n%s%s", strings.Join(args, " "), err, stdout.String(), stderr.String())
	}
	return stdout.String(), nil
}

// run runs a command that has to succeed.
func (m *machine) run(stdin string, args ...string) string {
	m.t.Helper()
	out, err := m.try(stdin, args...)
	if err != nil {
		m.t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

// client speaks HTTP to the machine's own loopback.
func (m *machine) client() *http.Client {
	return &http.Client{
		Timeout:   10 * time.Second,
		Transport: &http.Transport{DisableKeepAlives: true, DialContext: m.connect},
	}
}

// connect dials in the machine's network.
func (m *machine) connect(ctx context.Context, network, address string) (net.Conn, error) {
	type answer struct {
		conn net.Conn
		err  error
	}
	dialled := make(chan answer, 1)
	go func() {
		// The thread is never unlocked, so it ends with its goroutine
		// and the other network with it.
		runtime.LockOSThread()
		conn, err := m.dial(ctx, network, address)
		dialled <- answer{conn, err}
	}()
	a := <-dialled
	return a.conn, a.err
}

func (m *machine) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ns, err := os.Open("/proc/" + m.leader + "/ns/net")
	if err != nil {
		return nil, err
	}
	defer ns.Close()
	if err := unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET); err != nil {
		return nil, fmt.Errorf("enter the machine's network: %w", err)
	}
	var d net.Dialer
	return d.DialContext(ctx, network, address)
}

// eventually asks until the answer is yes.
func eventually(t *testing.T, what string, patience time.Duration, yes func() bool) {
	t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for !yes() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("no %s within %v", what, patience)
		}
	}
}

func must(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}
