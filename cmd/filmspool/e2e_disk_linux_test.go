package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
)

// TestStartOnAFullDisk starts after a kill where nothing can be written: the
// daemon runs and says why it takes nothing, reading goes on with and without
// it, and it begins by itself once there is room.
func TestStartOnAFullDisk(t *testing.T) {
	needs(t, os.Getuid() == 0, "root, to mount a small disk")
	for _, kind := range []string{"tmpfs", "ext4"} {
		t.Run(kind, func(t *testing.T) {
			disk := small(t)
			if kind == "ext4" {
				disk = smallExt4(t)
			}
			i := newIll(t, filepath.Join(disk, "state"))
			daemon := i.start("run")
			i.tell(i.dial(daemon), 1, uuid())
			daemon.kill()
			i.do("", "resume") // leaves no log, which would have room to start in
			free := fill(t, disk)
			i.reads(1)
			daemon = i.start("run")
			out := i.try("status")
			if !strings.HasPrefix(strings.TrimPrefix(out, "error: "), "The disk is full, so the queue cannot be written.") || !strings.Contains(out, "hint:  make room") {
				t.Errorf("on a full disk, status says %q", out)
			}
			i.reads(1)
			free()
			i.until("a queue that is open", func() bool {
				out := i.try("status")
				return strings.Contains(out, "\nwaiting ") && !strings.Contains(out, "cannot be written")
			})
			control, err := control.ReadControlFile(filepath.Join(i.state, "control.json"), func(*os.File) error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			daemon.address = control.Address // the port was any, and is another one now
			i.insist(i.dial(daemon), 2, uuid())
			daemon.kill()
			i.allThere()
		})
	}
}

// reads has the reading commands work, with n entries.
func (i *ill) reads(n int) {
	i.t.Helper()
	var entries []queue.Entry
	if err := json.Unmarshal([]byte(i.do("", "queue", "list", "--json", "--limit", "10000")), &entries); err != nil || len(entries) != n {
		i.t.Errorf("listed %d entries, %v, want %d", len(entries), err, n)
	}
	if out := i.do("", "queue", "export"); strings.Count(out, "\n") < n {
		i.t.Errorf("exported %q", out)
	}
	i.do("", "queue", "show", "1")
}

// smallExt4 mounts a small file system as disks have them.
func smallExt4(t *testing.T) string {
	t.Helper()
	image, dir := filepath.Join(t.TempDir(), "image"), t.TempDir()
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, 24<<20)); err != nil {
		t.Fatal(err)
	}
	as(t, "mkfs.ext4", "-q", "-m", "0", image)
	as(t, "mount", "-o", "loop", image, dir)
	t.Cleanup(func() { as(t, "umount", "--lazy", dir) })
	return dir
}

// TestPausedOnAFullDisk fills the disk of a daemon that sends nothing: the disk
// comes first in what status says, with what was refused.
func TestPausedOnAFullDisk(t *testing.T) {
	needs(t, os.Getuid() == 0, "root, to mount a small disk")
	disk := small(t)
	i := newIll(t, filepath.Join(disk, "state"))
	daemon := i.start("run")
	i.do("", "pause")
	c := i.dial(daemon)
	i.tell(c, 1, uuid())
	free := fill(t, disk)
	for id := int64(100); i.refused < 20; id++ {
		i.tell(c, id, uuid())
	}
	var s control.Status
	if err := json.NewDecoder(strings.NewReader(i.try("status", "--json"))).Decode(&s); err != nil {
		t.Fatal(err)
	}
	if s.Storage == nil || s.Storage.Refused == 0 || s.State != account.Attention || !strings.HasPrefix(s.Summary, "The disk is full") ||
		!strings.Contains(s.Summary, fmt.Sprint(s.Storage.Refused, " events were refused since ")) {
		t.Errorf("status says %+v", s)
	}
	t.Log(s.Summary)
	if len(s.Problems) == 0 || s.Problems[0].Code != health.DiskFull || !strings.HasPrefix(s.Summary, s.Problems[0].Text) {
		t.Errorf("the problems are %+v", s.Problems)
	}
	i.reads(len(i.acked))
	free()
	i.until("all is well", func() bool { return strings.HasPrefix(i.try("status"), "Paused.") })
	if out := i.try("doctor", "--json"); strings.Contains(out, health.DiskFull) {
		t.Errorf("with room again, the doctor says %s", out)
	}
	i.do("", "resume")
	daemon.kill()
	i.allThere()
}

// TestReadOnlyDisk has the disk turn read-only under the daemon, as after an
// error. The daemon is not said to be stopped, and reading goes on.
func TestReadOnlyDisk(t *testing.T) {
	needs(t, os.Getuid() == 0, "root, to mount a small disk")
	disk := smallExt4(t)
	i := newIll(t, filepath.Join(disk, "state"))
	daemon := i.start("run")
	c := i.dial(daemon)
	i.tell(c, 1, uuid())
	as(t, "mount", "-o", "remount,abort", disk)
	if i.tell(c, 2, uuid()) {
		t.Error("taken by a disk that is read-only")
	}
	if out := i.try("status"); !strings.HasPrefix(out, "The disk is read-only") && !strings.HasPrefix(out, "The queue cannot be written") {
		t.Errorf("on a read-only disk, status says %q", out)
	}
	i.do("", "queue", "list")
	daemon.kill()
	i.reads(1)
	runtime := t.TempDir()
	i.env = append(i.env, "RUNTIME_DIRECTORY="+runtime)
	daemon = i.start("run")
	if out := i.try("status"); !strings.HasPrefix(out, "The disk is read-only, so the queue cannot be written.") {
		t.Errorf("started on a read-only disk, status says %q", out)
	}
	if out := i.try("doctor", "--json"); !strings.Contains(out, health.DiskReadOnly) {
		t.Errorf("started on a read-only disk, the doctor says %s", out)
	}
	i.reads(1)
	i.env = i.env[:len(i.env)-1]
	if out := i.fails("status"); !strings.HasPrefix(out, "error: The disk is read-only, so the queue cannot be written.") {
		t.Errorf("not found on a read-only disk, status says %q", out)
	}
	daemon.end(os.Interrupt)
}
