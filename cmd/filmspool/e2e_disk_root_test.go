//go:build linux && root

package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/connector/connectortest"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
)

// These tests mount small disks and trace system calls: they need root, strace
// and mkfs.ext4.

// diskTest is a fixture with failing storage and a browser that reports films.
type diskTest struct {
	*fixture
	t       *testing.T
	box     *flaky
	daemon  *process
	paired  connectortest.Options
	at      map[int64]string // watch time by film
	acked   map[int64]string // event id by film
	refused int
}

// newDiskTest creates the state folder below disk and starts a daemon.
func newDiskTest(t *testing.T, disk string) *diskTest {
	h := newFixture(t)
	h.env = []string{"FILMSPOOL_STATE_DIR=" + filepath.Join(disk, "state"), "RUNTIME_DIRECTORY=" + t.TempDir()}
	i := &diskTest{fixture: h, t: t, box: newFlaky(t, h.dir, true), at: map[int64]string{}, acked: map[int64]string{}}
	h.login(i.box.baseURL())
	i.daemon = h.start("run")
	i.paired = h.pair(i.daemon)
	return i
}

// report reports a film and reports whether it was acknowledged. A refusal must be temporary and
// because of the storage.
func (i *diskTest) report(c *connectortest.Client, id int64, event string) bool {
	i.t.Helper()
	if i.at[id] == "" { // a repeated event keeps its time
		i.at[id] = time.Now().Add(-time.Duration(id) * time.Minute).Format(time.RFC3339)
	}
	_, err := c.Viewing(i.t.Context(), protocol.Viewing{ID: event, Media: film(id), WatchedAt: i.at[id], Count: 1})
	refusal, refused := errors.AsType[*protocol.Error](err)
	switch {
	case err == nil:
		i.acked[id] = event
		return true
	case refused && refusal.Code == protocol.Storage && refusal.Retryable:
		i.refused++
		return false
	default:
		i.t.Fatalf("film %d: %v; the daemon said\n%s", id, err, i.said.String())
		return false
	}
}

// insist reports a film until it is acknowledged.
func (i *diskTest) insist(c *connectortest.Client, id int64, event string) {
	i.t.Helper()
	await(i.t.Fatalf, i.dir, "an acknowledgement", func() (bool, error) { return i.report(c, id, event), nil }, func(ok bool) bool { return ok })
}

// checkAll kills the daemon, starts it again and waits until everything is sent. Each
// acknowledged film must be delivered and once at the service, or in doubt; no film may be there
// twice or without an acknowledgement.
func (i *diskTest) checkAll() {
	i.t.Helper()
	i.daemon.kill()
	i.daemon = i.start("run")
	i.until("delivery of all", func(s control.Status) bool { return s.Counts.Pending+s.Counts.Sending == 0 })
	entries, err := i.entries()
	must(i.t, err)
	states := map[string]string{}
	for _, e := range entries {
		states[e.EventID] = string(e.State)
	}
	records, err := i.box.service.Records(i.t.Context())
	must(i.t, err)
	times := map[int64]int{}
	for _, r := range records.History {
		times[r.ID]++
	}
	for id, event := range i.acked {
		if state := states[event]; (state != "delivered" || times[id] != 1) && state != "in_doubt" {
			i.t.Errorf("film %d was acknowledged, is %q and %d times at the service", id, state, times[id])
		}
	}
	for id, n := range times {
		if i.at[id] == "" || n > 1 {
			i.t.Errorf("film %d is %d times at the service", id, n)
		}
	}
}

// as runs a tool as root.
func as(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// smallDisk mounts a file system of a few megabytes until the test ends.
func smallDisk(t *testing.T, kind string) string {
	t.Helper()
	dir := t.TempDir()
	if kind == "tmpfs" {
		as(t, "mount", "-t", "tmpfs", "-o", "size=16m,mode=0700", "none", dir)
	} else {
		image := filepath.Join(t.TempDir(), "image")
		must(t, errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, 24<<20)))
		as(t, "mkfs.ext4", "-q", "-m", "0", image)
		as(t, "mount", "-o", "loop", image, dir)
	}
	t.Cleanup(func() { as(t, "umount", "--lazy", dir) })
	return dir
}

// fill fills a disk and returns a function that frees the space.
func fill(t *testing.T, disk string) (free func()) {
	t.Helper()
	filler, err := os.Create(filepath.Join(disk, "filler"))
	must(t, err)
	defer filler.Close()
	for size := 1 << 20; size > 0; {
		if _, err := filler.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	return func() { must(t, os.Remove(filler.Name())) }
}

// On a full disk events are refused temporarily, no acknowledged event is missing, and everything
// continues when there is space.
func TestDiskFull(t *testing.T) {
	disk := smallDisk(t, "tmpfs")
	i := newDiskTest(t, disk)
	c := i.browser(i.daemon, i.paired)
	for id := int64(1); id <= 20; id++ {
		i.report(c, id, uuid())
	}
	// Pending entries become due, which needs writes, after the disk is full.
	must(t, i.box.service.Arm(sandbox.Fault{Match: "POST /history", Fault: "retry-after:1", Times: 1000}))
	for id := int64(21); id <= 30; id++ {
		i.report(c, id, uuid())
	}
	free := fill(t, disk)
	events := map[int64]string{}
	for id := int64(100); i.refused < 10; id++ { // the log may have space for many
		if id > 100_000 {
			t.Fatal("a full disk takes everything")
		}
		events[id] = uuid()
		i.report(c, id, events[id])
	}
	i.box.recover()
	i.problem(health.QueueUnwritable)
	if answer, err := http.Get("http://" + i.daemon.address + "/healthz"); err != nil || answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("on a full disk /healthz answers %v, %v", answer, err)
	}
	if out, code := i.try("diary", "--json"); code != exitDone {
		t.Errorf("on a full disk the queue cannot be read: %s", out)
	}
	free()
	for id, event := range events {
		i.insist(c, id, event)
	}
	i.checkAll()
}

// startRefused starts a daemon that must end with an error about its disk.
func (i *diskTest) startRefused(says string) {
	i.t.Helper()
	if out, code := i.try("run"); code != exitTemporary || !strings.Contains(out, says) {
		i.t.Errorf("it exits %d, and says %q", code, out)
	}
}

// A start on a full disk after a kill explains the reason and exits so that the service manager
// tries again.
func TestStartOnAFullDisk(t *testing.T) {
	for _, kind := range []string{"tmpfs", "ext4"} {
		t.Run(kind, func(t *testing.T) {
			disk := smallDisk(t, kind)
			i := newDiskTest(t, disk)
			i.report(i.browser(i.daemon, i.paired), 1, uuid())
			i.daemon.kill()
			i.do("", "resume") // leaves no space in the log
			free := fill(t, disk)
			i.startRefused("full")
			if out, code := i.try("add", "7"); code != exitTemporary || !strings.Contains(out, "full") {
				t.Errorf("a command on a full disk exits %d and says %q", code, out)
			}
			free()
			i.daemon = i.start("run")
			i.insist(i.browser(i.daemon, i.paired), 2, uuid())
			i.checkAll()
		})
	}
}

// If the disk becomes read-only, as after an error, reads continue.
func TestReadOnlyDisk(t *testing.T) {
	disk := smallDisk(t, "ext4")
	i := newDiskTest(t, disk)
	c := i.browser(i.daemon, i.paired)
	i.report(c, 1, uuid())
	as(t, "mount", "-o", "remount,abort", disk)
	if i.report(c, 2, uuid()) {
		t.Error("taken by a disk that is read-only")
	}
	i.do("", "diary")
	i.problem(health.QueueUnwritable)
	i.daemon.kill()
	i.startRefused("read-only")
}

// A commit with a failed flush is refused, later ones succeed, and after a kill all acknowledged
// films exist.
func TestFlushFails(t *testing.T) {
	i := newDiskTest(t, t.TempDir())
	i.daemon.end(os.Interrupt)
	cmd := i.command(context.WithoutCancel(t.Context()), "run")
	cmd.Args = append(strings.Fields("strace -f -qq -o /dev/null -e trace=fsync,fdatasync -e inject=fsync,fdatasync:error=EIO:when=15+9"), cmd.Path, "run")
	strace, err := exec.LookPath("strace")
	must(t, err)
	cmd.Path = strace
	traced := i.serve(cmd)
	c := i.browser(traced, i.paired)
	events := map[int64]string{}
	for id := int64(1); id <= 60; id++ {
		events[id] = uuid()
		i.report(c, id, events[id])
	}
	if i.refused == 0 {
		t.Error("no flush failed: this test proves nothing")
	}
	for id, event := range events {
		i.insist(c, id, event)
	}
	as(t, "pkill", "-KILL", "-P", strconv.Itoa(traced.cmd.Process.Pid)) // the daemon; strace exits with its status
	traced.waited = true
	_ = traced.cmd.Wait()
	i.checkAll()
}
