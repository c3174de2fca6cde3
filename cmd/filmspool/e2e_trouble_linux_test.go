package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmspool/filmspool/connector/client"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
)

// needs skips the test where it cannot run.
func needs(t *testing.T, ok bool, what string) {
	t.Helper()
	if !ok {
		t.Skipf("needs %s", what)
	}
}

// ill is a household whose storage fails, with a browser that reports films.
type ill struct {
	*household
	t       *testing.T
	box     *flaky
	state   string
	options client.Options
	at      map[int64]string // when each film was watched
	acked   map[int64]string // their event ids
	refused int
}

// newIll has its state folder at state; empty is the usual place.
func newIll(t *testing.T, state string) *ill {
	h := newHousehold(t)
	if state == "" {
		state = filepath.Join(h.dir, "state")
	}
	h.env = []string{"FILMSPOOL_STATE_DIR=" + state}
	i := &ill{household: h, t: t, box: newFlaky(t, h.dir, true), state: state, at: map[int64]string{}, acked: map[int64]string{}}
	h.do(secretKey, "login", "--base-url", i.box.baseURL(), "--key-stdin")
	daemon := h.start("run")
	i.options = client.Options{URL: "ws://" + daemon.address + "/v1/connector", Origin: extension, Info: protocol.ClientInfo{Name: "test", Version: "1"}}
	c := i.dial(daemon)
	var err error
	if i.options.ClientID, i.options.Token, err = c.Pair(t.Context(), h.code(), "living room"); err != nil {
		t.Fatal(err)
	}
	c.Close()
	daemon.end(os.Interrupt)
	return i
}

// dial opens a socket to a daemon.
func (i *ill) dial(daemon *process) *client.Client {
	i.t.Helper()
	i.options.URL = "ws://" + daemon.address + "/v1/connector"
	c, err := client.Dial(i.t.Context(), i.options)
	if err != nil {
		i.t.Fatalf("dial: %v; the daemon said\n%s", err, i.said.String())
	}
	i.t.Cleanup(func() { c.Close() })
	return c
}

// tell reports a film; false when the daemon refused it, which must be for
// its storage and for now only.
func (i *ill) tell(c *client.Client, id int64, event string) bool {
	i.t.Helper()
	if i.at[id] == "" { // the same event keeps its time
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

// insist reports a film again and again until it is acknowledged.
func (i *ill) insist(c *client.Client, id int64, event string) {
	i.t.Helper()
	i.until("an acknowledgement", func() bool { return i.tell(c, id, event) })
}

// allThere starts the daemon again after a kill and waits until nothing is
// left to send. Each film that was acknowledged is then delivered, and once
// at the service, or in doubt; nothing is there twice or out of nowhere.
func (i *ill) allThere() {
	i.t.Helper()
	daemon := i.start("run")
	i.until("delivery of all", func() bool {
		out := i.try("status", "--json")
		return strings.Contains(out, `"pending": 0,`) && strings.Contains(out, `"sending": 0,`)
	})
	states := i.states()
	daemon.end(os.Interrupt)
	records, err := i.box.service.Records(i.t.Context())
	if err != nil {
		i.t.Fatal(err)
	}
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
	i.t.Logf("%d acknowledged, %d refused, %d at the service", len(i.acked), i.refused, len(times))
}

// states are those of all entries, by their events.
func (i *ill) states() map[string]string {
	i.t.Helper()
	var entries []queue.Entry
	if err := json.Unmarshal([]byte(i.do("", "queue", "list", "--json", "--limit", "10000")), &entries); err != nil {
		i.t.Fatal(err)
	}
	states := map[string]string{}
	for _, e := range entries {
		states[e.EventID] = string(e.State)
	}
	return states
}

// fails runs one command that has to fail, and returns what it printed.
func (i *ill) fails(args ...string) string {
	i.t.Helper()
	out, err := i.command(i.t.Context(), args...).CombinedOutput()
	i.said.add(out)
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != exitFailed {
		i.t.Errorf("filmspool %v: %v, want exit %d\n%s", args, err, exitFailed, out)
	}
	return string(out)
}

// as runs a tool as root would at the command line.
func as(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// small mounts a file system of few megabytes until the test ends.
func small(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "small")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	as(t, "mount", "-t", "tmpfs", "-o", "size=16m,mode=0700", "none", dir)
	t.Cleanup(func() { as(t, "umount", "--lazy", dir) })
	return dir
}

// fill takes what room is left on the disk of dir; it returns what frees it.
func fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	filler, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer filler.Close()
	for size := 1 << 20; size > 0; {
		if _, err := filler.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	return func() {
		if err := os.Remove(filler.Name()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDiskFull fills the disk under the daemon: what does not fit is refused,
// to be sent again; nothing that was acknowledged is missing; once there is
// room, all goes on by itself.
func TestDiskFull(t *testing.T) {
	needs(t, os.Getuid() == 0, "root, to mount a small disk")
	disk := small(t)
	i := newIll(t, filepath.Join(disk, "state"))
	daemon := i.start("run")
	c := i.dial(daemon)
	for id := int64(1); id <= 20; id++ {
		i.tell(c, id, uuid())
	}
	// What waits is to be sent, and so written down, once the disk is full.
	if err := i.box.service.Arm(sandbox.Fault{Match: "POST /history", Fault: "retry-after:1", Times: 1000}); err != nil {
		t.Fatal(err)
	}
	for id := int64(21); id <= 30; id++ {
		i.tell(c, id, uuid())
	}
	free := fill(t, disk)
	events := map[int64]string{}
	for id := int64(100); i.refused < 10; id++ { // the log may have room for many
		if id > 100_000 {
			t.Fatal("a full disk takes everything")
		}
		events[id] = uuid()
		i.tell(c, id, events[id])
	}
	i.disarm()
	i.until("a word of it", func() bool { return strings.Contains(i.try("status"), "cannot be written") })
	t.Logf("full after %d films", len(i.acked))
	if out := i.fails("add", "movie", "7"); !strings.Contains(out, "error: ") {
		t.Errorf("a command on a full disk says %q", out)
	}
	daemon.kill()
	free()
	daemon = i.start("run")
	c = i.dial(daemon)
	free = fill(t, disk)
	for id, event := range events {
		i.tell(c, id, event)
	}
	free()
	for id, event := range events {
		i.insist(c, id, event)
	}
	daemon.kill()
	i.allThere()
}

// disarm has the service work again.
func (i *ill) disarm() {
	i.t.Helper()
	request := httptest.NewRequest(http.MethodDelete, "http://127.0.0.1/_sandbox/faults", nil)
	request.RemoteAddr = "127.0.0.1:1"
	answer := httptest.NewRecorder()
	if i.box.service.Handler().ServeHTTP(answer, request); answer.Code >= 300 {
		i.t.Fatalf("faults not disarmed: %d %s", answer.Code, answer.Body)
	}
}

// TestReadOnlyFolder has a command write where nothing may be written.
func TestReadOnlyFolder(t *testing.T) {
	i := newIll(t, "")
	daemon := i.start("run")
	i.tell(i.dial(daemon), 1, uuid())
	daemon.kill()
	writable := sync.OnceFunc(func() { as(t, "chmod", "-R", "u+w", i.state) })
	if os.Getuid() == 0 {
		as(t, "mount", "--bind", "-o", "ro", i.state, i.state)
		writable = sync.OnceFunc(func() { as(t, "umount", "--lazy", i.state) })
	} else {
		as(t, "chmod", "-R", "a-w", i.state)
	}
	defer writable()
	if out := i.fails("add", "movie", "7"); !strings.Contains(out, "error: ") || !strings.Contains(out, "read-only") && !strings.Contains(out, "permission denied") {
		t.Errorf("in a folder that may not be written it says %q", out)
	}
	i.reads(1)
	writable()
	i.allThere()
}

// TestDatabaseLocked has another process hold the database for longer than
// the daemon is willing to wait.
func TestDatabaseLocked(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for time-outs of five seconds")
	}
	i := newIll(t, "")
	daemon := i.start("run")
	c := i.dial(daemon)
	i.tell(c, 1, uuid())
	free := i.hold()
	event := uuid()
	if i.tell(c, 2, event) {
		t.Error("acknowledged what could not be written")
	}
	if out := i.fails("add", "movie", "7"); !strings.Contains(out, "error: ") {
		t.Errorf("a command meanwhile says %q", out)
	}
	free()
	i.insist(c, 2, event)
	daemon.kill()
	i.allThere()
}

// TestFlushFails has the system report, now and then, that a flush has
// failed: such a commit is refused, the next ones are well, and after a kill
// all that was acknowledged is there.
func TestFlushFails(t *testing.T) {
	strace, err := exec.LookPath("strace")
	needs(t, err == nil, "strace on the PATH")
	i := newIll(t, "")
	daemon := i.startTraced(strace, "fsync,fdatasync:error=EIO:when=15+9")
	c := i.dial(daemon)
	events := map[int64]string{}
	for id := int64(1); id <= 60; id++ {
		events[id] = uuid()
		i.tell(c, id, events[id])
	}
	if i.refused == 0 {
		t.Error("no flush failed: this test proves nothing")
	}
	for id, event := range events {
		i.insist(c, id, event)
	}
	i.killTraced(daemon)
	i.allThere()
}

// startTraced starts the daemon with faults injected into its system calls.
func (i *ill) startTraced(strace, inject string) *process {
	i.t.Helper()
	call, _, _ := strings.Cut(inject, ":")
	path, err := exec.LookPath("filmspool")
	if err != nil {
		i.t.Fatal(err)
	}
	cmd := i.command(context.WithoutCancel(i.t.Context()), "run")
	cmd.Path, cmd.Args = strace, []string{strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + call, "-e", "inject=" + inject, path, "run"}
	return i.serve(cmd)
}

// killTraced kills the daemon itself, not only who traces it.
func (i *ill) killTraced(p *process) {
	i.t.Helper()
	control, err := control.ReadControlFile(filepath.Join(i.state, "control.json"), func(*os.File) error { return nil })
	if err != nil {
		i.t.Fatal(err)
	}
	as(i.t, "kill", "-KILL", fmt.Sprint(control.PID))
	p.waited = true
	_ = p.cmd.Wait() // strace ends as the daemon did
}

// hold locks the database against other writers, as another program would.
func (i *ill) hold() (free func()) {
	i.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(i.state, "filmspool.db")+"?mode=rw&_txlock=immediate&_pragma=busy_timeout(5000)")
	if err != nil {
		i.t.Fatal(err)
	}
	tx, err := db.Begin()
	if err != nil {
		i.t.Fatal(err)
	}
	return func() { _ = errors.Join(tx.Rollback(), db.Close()) }
}
