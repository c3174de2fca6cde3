//go:build long

package queue

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// cuts is how often TestPowerCut cuts the power.
const cuts = 10

// TestPowerCut cuts the power while viewings are committed at a realistic rate: every
// acknowledged event, and every entry marked as sending, must be on disk. With synchronous=NORMAL
// the same test loses some.
//
// The disk is an image on a file system with snapshots. A snapshot of the image is the disk
// without the data that was still in the page cache.
func TestPowerCut(t *testing.T) {
	if os.Getuid() != 0 {
		t.Fatal("needs root, loop devices, xfsprogs and e2fsprogs")
	}
	d := newImages(t)
	full, normal := losses{}, losses{}
	for range cuts {
		full.add(d.cut(t, ""))
	}
	for range cuts / 3 {
		normal.add(d.cut(t, "NORMAL"))
	}
	t.Logf("the store's own setting: %v", full)
	t.Logf("synchronous=NORMAL:      %v", normal)
	if full.lost+full.unmarked != 0 || full.acknowledged < 100*cuts {
		t.Errorf("with the store's own setting %v", full)
	}
	if normal.lost == 0 {
		t.Error("synchronous=NORMAL lost nothing: this test proves nothing")
	}
}

// losses counts what was lost in some power cuts.
type losses struct {
	cuts, acknowledged, lost int
	marked, unmarked         int
}

func (l *losses) add(one losses) {
	l.cuts++
	l.acknowledged += one.acknowledged
	l.lost += one.lost
	l.marked += one.marked
	l.unmarked += one.unmarked
}

func (l losses) String() string {
	return fmt.Sprintf("%d cuts, %d of %d acknowledged viewings lost, %d of %d marks lost", l.cuts, l.lost, l.acknowledged, l.unmarked, l.marked)
}

// images is the directory of disk images and mounts.
type images struct{ outer string }

// newImages creates a file system with snapshots and an empty image on it.
func newImages(t *testing.T) *images {
	dir := t.TempDir()
	d := &images{outer: filepath.Join(dir, "outer")}
	command(t, "truncate", "--size=2G", d.outer+".img")
	command(t, "mkfs.xfs", "-q", "-m", "reflink=1", d.outer+".img")
	mount(t, d.outer, "loop", d.outer+".img")
	command(t, "truncate", "--size=192M", filepath.Join(d.outer, "empty.img"))
	command(t, "mkfs.ext4", "-q", filepath.Join(d.outer, "empty.img"))
	return d
}

// command runs a program.
func command(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// mount mounts an image until unmount is called or the test ends.
func mount(t *testing.T, at, options, image string) (unmount func()) {
	t.Helper()
	if err := os.MkdirAll(at, 0o700); err != nil {
		t.Fatal(err)
	}
	command(t, "mount", "-o", options, image, at)
	unmount = sync.OnceFunc(func() {
		if err := exec.Command("umount", at).Run(); err != nil {
			command(t, "umount", "--lazy", at) // the loop device goes with its last user
		}
	})
	t.Cleanup(unmount)
	return unmount
}

// image returns a snapshot of another image.
func (d *images) image(t *testing.T, name, of string) string {
	t.Helper()
	to := filepath.Join(d.outer, name+".img")
	command(t, "cp", "--reflink=always", filepath.Join(d.outer, of+".img"), to)
	return to
}

// cut lets a child process commit for two or three seconds, takes a snapshot of the disk, and
// compares it with what the child had printed before.
func (d *images) cut(t *testing.T, synchronous string) losses {
	t.Helper()
	// Nothing but a flush brings anything onto the disk: commit is in seconds.
	unmount := mount(t, filepath.Join(d.outer, "inner"), "loop,commit=1000", d.image(t, "inner", "empty"))
	c := steadyChild(t, filepath.Join(d.outer, "inner", "queue.db"), synchronous)
	<-time.After(2*time.Second + rand.N(time.Second))
	printed := c.printed()
	after := d.image(t, "after", "inner")
	c.kill()
	unmount()
	unmount = mount(t, filepath.Join(d.outer, "cut"), "loop", after)
	defer unmount()
	s := open(t, filepath.Join(d.outer, "cut", "queue.db"), newClock())
	defer s.stop()
	s.quickCheck(t)
	s.checkCounters(t)
	return compare(s.states(t), printed)
}

// compare counts the printed lines that the disk contradicts.
func compare(states map[string]viewing.State, printed []string) (l losses) {
	for _, line := range printed {
		word, id, _ := strings.Cut(line, " ")
		state, there := states[id]
		switch {
		case word == "committed":
			l.acknowledged++
			if !there {
				l.lost++
			}
		case word == "sending":
			l.marked++
			if state != viewing.StateInDoubt {
				l.unmarked++
			}
		}
	}
	return l
}

// child is a process that prints lines.
type child struct {
	t     *testing.T
	cmd   *exec.Cmd
	ended chan struct{}

	mu    sync.Mutex
	lines []string
}

func steadyChild(t *testing.T, path, synchronous string) *child {
	t.Helper()
	c := &child{t: t, cmd: exec.Command(os.Args[0]), ended: make(chan struct{})}
	c.cmd.Env = append(os.Environ(), childEnv+"=steady", childPath+"="+path, childPragma+"="+synchronous)
	c.cmd.Stderr = os.Stderr
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(c.ended)
		in := bufio.NewReader(out)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return // an unfinished last line is no acknowledgement
			}
			c.mu.Lock()
			c.lines = append(c.lines, strings.TrimSpace(line))
			c.mu.Unlock()
		}
	}()
	t.Cleanup(c.kill)
	return c
}

// printed returns what the child has printed.
func (c *child) printed() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.lines)
}

// kill kills the child.
func (c *child) kill() {
	_ = c.cmd.Process.Kill() // it may have ended
	<-c.ended
	_ = c.cmd.Wait() // it was killed
}
